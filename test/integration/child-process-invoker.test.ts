import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { ChildProcessInvoker } from '../../engine/batch/child-process-invoker.ts';
import { dispatch } from '../../engine/batch/dispatch.ts';
import { slicesOf } from '../../engine/batch/slices.ts';
import {
  expectRight,
  invokerContract,
  pause,
  questionOf,
} from '../engine/batch/invoker-contract.ts';
import { faultyProgram, localFaults, openWorld } from './local-workers.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'muster-workers-'));
const main = fileURLToPath(new URL('../../dist/functions/worker-main.js', import.meta.url));

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function startWorkers(workers: number, program = main, data = {}): ChildProcessInvoker {
  return new ChildProcessInvoker({
    workers,
    command: {
      program: process.execPath,
      arguments: [program, JSON.stringify({ store: directory, ...data })],
      environment: process.env,
    },
  });
}

invokerContract('child processes', {
  open: async () => ({ world: await openWorld(directory), invoker: startWorkers(2) }),
  cpuMs: (invoker) => cpuMsOf((invoker as ChildProcessInvoker).processIds),
  stops: true,
  faults: {
    ...localFaults(directory, (fault) => startWorkers(1, faultyProgram, fault)),
    // Stopped and continued: its clock doesn't jump, for it is the root's.
    'an environment that was frozen goes on': async () => {
      const invoker = startWorkers(1);
      const strike = async () => {
        for (const pid of invoker.processIds) process.kill(pid, 'SIGSTOP');
        await pause(200);
        for (const pid of invoker.processIds) process.kill(pid, 'SIGCONT');
      };
      return { world: await openWorld(directory), invoker, strike };
    },
  },
});

test('a killed worker is replaced, and its work done by another', async () => {
  const world = await openWorld(directory);
  const invoker = startWorkers(1);
  const batch = questionOf(world);
  await expectRight(batch, { invoker, world });
  const running = expectRight(batch, { invoker, world });
  for (const pid of invoker.processIds) process.kill(pid, 'SIGKILL');
  await running;
  await expectRight(batch, { invoker, world });
  await invoker.close();
});

test('closing does not wait for a worker that is stopped', async () => {
  const world = await openWorld(directory);
  const invoker = startWorkers(1);
  await expectRight(questionOf(world), { invoker, world });
  for (const pid of invoker.processIds) process.kill(pid, 'SIGSTOP');
  await invoker.close();
});

test('workers that cannot start are a clear error', async () => {
  const world = await openWorld(directory);
  const invoker = new ChildProcessInvoker({
    workers: 1,
    command: { program: process.execPath, arguments: ['-e', 'process.exit(3)'], environment: {} },
  });
  const batch = questionOf(world);
  await expect(dispatch(batch, slicesOf(batch), invoker)).rejects.toMatchObject({
    errorName: 'NETWORK_ERROR',
    message: expect.stringContaining('exit code 3'),
  });
});

/** User and system time, as Linux counts it in hundredths of a second. */
function cpuMsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return sum + (Number(fields[11]) + Number(fields[12])) * 10;
  }, 0);
}
