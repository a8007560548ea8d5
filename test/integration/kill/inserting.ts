// Runs insert-child.mjs, and inspects from a fresh process-like start what it left in a store.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { systemClock } from '../../../base/clock.ts';
import { openCatalog } from '../../../catalog/catalog.ts';
import type { Snapshot } from '../../../catalog/snapshot.ts';
import { InProcessInvoker } from '../../../engine/batch/in-process-invoker.ts';
import { DataObjects } from '../../../engine/dictionary/data-objects.ts';
import {
  createDictionaryCaches,
  DictionaryReader,
} from '../../../engine/dictionary/dictionary-reader.ts';
import { dictionaryRef } from '../../../engine/dictionary/dictionary-ref.ts';
import { Engine } from '../../../engine/engine.ts';
import { formatResult } from '../../../engine/formats/output.ts';
import { createWorkerEnvironment } from '../../../engine/worker/worker-environment.ts';
import { openStore } from '../../../object-store/open-store.ts';
import type { ObjectStore } from '../../../object-store/port.ts';
import { bundledProgram } from './bundled-program.ts';

/** A directory's path or an s3:// address. */
export interface StorePlace {
  readonly url: string;
  readonly endpoint?: string;
}

interface InsertTask {
  readonly store: StorePlace;
  readonly inserts: readonly string[];
  readonly killAt?: number;
  readonly moment?: 'before' | 'after';
}

interface InsertRun {
  readonly acknowledged: readonly number[];
  /** Store calls; undefined when it was killed. */
  readonly calls: number | undefined;
  readonly signal: string | null;
}

const program = bundledProgram('insert-child.mjs');

export function startInserts(task: InsertTask): { child: ChildProcess; done: Promise<InsertRun> } {
  const child = spawn(process.execPath, [program, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const done = once(child, 'close').then(([, signal]): InsertRun => {
    const acknowledged = [...printed.matchAll(/acknowledged (\d+)/g)].map((m) => Number(m[1]));
    const calls = /calls (\d+)/.exec(printed);
    return { acknowledged, calls: calls === null ? undefined : Number(calls[1]), signal };
  });
  return { child, done };
}

/** An engine over the store, as the next start would have it. */
export async function openEngine({ url, endpoint }: StorePlace) {
  const store = await openStore(url, { clock: systemClock, endpoint });
  const catalog = await openCatalog(store, { clock: systemClock });
  const invoker = new InProcessInvoker(createWorkerEnvironment(store));
  const engine = new Engine({ catalog, store, invoker });
  const query = async (text: string): Promise<string> => {
    const request = { queryId: 'check', text, database: 'kill' };
    const result = await engine.execute({
      ...request,
      parameters: new Map(),
      settings: new Map(),
    });
    if (result.kind === 'done') return '';
    const chunks = [...formatResult('TabSeparated', result, { settings: new Map() })];
    return Buffer.concat(chunks).toString();
  };
  return { store, catalog, engine, query };
}

/**
 * Every id of every dictionary: codes are dense from 0 to the next code, each belongs to one
 * segment, no id has two codes. Returns how many ids there are.
 */
export async function checkDictionaries(store: ObjectStore, snapshot: Snapshot): Promise<number> {
  let total = 0;
  for (const id of snapshot.dictionaries.keys()) {
    const ref = await dictionaryRef(snapshot, id);
    const data = new DataObjects(store, snapshot.namespace);
    const reader = new DictionaryReader(data, createDictionaryCaches(1 << 26));
    const seen = new Set<bigint | string>();
    for (const [group, next] of ref.nextCodes.entries()) {
      let base = 0;
      for (const segment of ref.segments.filter((candidate) => candidate.group === group)) {
        if (segment.base !== base)
          throw new Error(`group ${group}: base ${segment.base}, not ${base}`);
        base += segment.count;
      }
      if (base !== next) throw new Error(`group ${group}: ${base} codes, next is ${next}`);
      const codes = Uint32Array.from({ length: next }, (_, code) => code);
      const keys = await reader.decode(group, codes, ref);
      total += keys.values.length;
      for (const key of keys.values) seen.add(key);
    }
    if (seen.size !== total) throw new Error(`${total} codes for ${seen.size} ids`);
  }
  return total;
}
