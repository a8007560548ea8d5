import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { ChildProcessInvoker } from '../../engine/batch/child-process-invoker.ts';
import { dispatch } from '../../engine/batch/dispatch.ts';
import { slicesOf } from '../../engine/batch/slices.ts';
import { DirectoryStore } from '../../object-store/directory-store.ts';
import {
  contractWorld,
  expectRight,
  invokerContract,
  questionOf,
} from '../engine/batch/invoker-contract.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'muster-workers-'));
const main = fileURLToPath(new URL('../../dist/functions/worker-main.js', import.meta.url));

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function startWorkers(workers: number): ChildProcessInvoker {
  return new ChildProcessInvoker({
    workers,
    command: {
      program: process.execPath,
      arguments: [main, JSON.stringify({ store: directory })],
      environment: process.env,
    },
  });
}

async function openWorld() {
  return await contractWorld(await DirectoryStore.open(directory, systemClock));
}

invokerContract('child processes', async () => ({
  world: await openWorld(),
  invoker: startWorkers(2),
}));

test('a worker that dies is replaced, and its work done by another', async () => {
  const world = await openWorld();
  const invoker = startWorkers(1);
  const batch = questionOf(world);
  await expectRight(batch, { invoker, world });
  const running = expectRight(batch, { invoker, world });
  for (const pid of invoker.processIds) process.kill(pid, 'SIGKILL');
  await running;
  await expectRight(batch, { invoker, world });
  await invoker.close();
});

test('workers that cannot start are a clear error', async () => {
  const world = await openWorld();
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
