// What threads and child processes have alike under the contract of invokers: workers of this machine,
// over one store, some of them with a fault (programs/faulty-worker.mjs).

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../base/clock.ts';
import type { Invoker } from '../../engine/batch/invoker.ts';
import { DirectoryStore } from '../../object-store/directory-store.ts';
import { contractWorld, type FaultyCase } from '../engine/batch/invoker-contract.ts';

export const faultyProgram = fileURLToPath(new URL('programs/faulty-worker.mjs', import.meta.url));

export async function openWorld(directory: string) {
  return await contractWorld(await DirectoryStore.open(directory, systemClock));
}

/** What a worker with a fault is started with. */
interface Fault {
  readonly mode: string;
  /** A file that says that it has struck, or shall. */
  readonly marker: string;
}

let markers = 0;

/** `start`: one worker of the faulty program. */
export function localFaults(directory: string, start: (fault: Fault) => Invoker) {
  const open = (mode: string) => async (): Promise<FaultyCase> => {
    const marker = path.join(directory, `marker-${markers++}`);
    return {
      world: await openWorld(directory),
      invoker: start({ mode, marker }),
      strike: mode === 'foreign' ? () => writeFileSync(marker, '') : () => {},
    };
  };
  const noDoor = 'they take what comes: the root admits queries';
  return {
    'a worker that dies over the work is replaced by another': open('dies-once'),
    'work that kills two workers is not given to a third': open('dies'),
    'a worker that never answers is waited for until the deadline': open('hangs'),
    'a worker that is too busy is asked again': noDoor,
    'workers that stay too busy are an error before the deadline': noDoor,
    'a reply that comes twice counts once': open('twice'),
    'a reply to another question is never taken': open('foreign'),
  };
}
