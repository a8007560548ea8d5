import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { ThreadInvoker } from '../../engine/batch/thread-invoker.ts';
import { expectRight, invokerContract, questionOf } from '../engine/batch/invoker-contract.ts';
import { faultyProgram, localFaults, openWorld } from './local-workers.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'muster-threads-'));
const main = fileURLToPath(new URL('../../dist/functions/worker-thread-main.js', import.meta.url));

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function startThreads(threads: number, program = main, data = {}): ThreadInvoker {
  return new ThreadInvoker({
    threads,
    program: { path: program, data: { store: directory, ...data } },
  });
}

invokerContract('threads', {
  open: async () => ({ world: await openWorld(directory), invoker: startThreads(2) }),
  stops: true,
  faults: {
    ...localFaults(directory, (fault) => startThreads(1, faultyProgram, fault)),
    'an environment that was frozen goes on':
      'they freeze with the root, whose process and clock they share; no socket lies between',
  },
});

test('threads start when there is work for them, and say which of them did it', async () => {
  const world = await openWorld(directory);
  const invoker = startThreads(2);
  expect(invoker.threadIds).toEqual([]);
  const { usages } = await expectRight(questionOf(world), { invoker, world });
  expect(invoker.threadIds.length).toBe(2);
  expect(new Set(usages.map(({ worker }) => worker)).size).toBe(2);
  expect(usages.map(({ cold }) => cold)).toEqual([true, true]);
  await invoker.close();
  expect(invoker.threadIds).toEqual([]);
});

test('a thread whose store is not there is a clear error', async () => {
  const world = await openWorld(directory);
  const invoker = startThreads(1, main, { store: 's3://nobody--has/this', region: undefined });
  await expect(expectRight(questionOf(world), { invoker, world })).rejects.toMatchObject({
    code: expect.any(Number),
  });
  await invoker.close();
});

// A finalizer of an addon that runs while its thread is torn down ends the whole process, at once or
// later: only the exit code of a process shows it (engine/batch/worker-thread.ts).
test.each([
  ['and closed', '5', 'closed'],
  ['and left alone when the process ends', '2', 'kept'],
])('threads are started, used %s, and the process lives', (_, rounds, ending) => {
  const churn = fileURLToPath(new URL('programs/thread-churn.mjs', import.meta.url));
  const ended = spawnSync(process.execPath, [churn, directory, rounds, ending], {
    encoding: 'utf8',
  });
  expect([ended.status, ended.signal, ended.stdout]).toEqual([0, null, 'done\n']);
});
