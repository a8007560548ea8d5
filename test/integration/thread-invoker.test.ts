import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { ThreadInvoker } from '../../engine/batch/thread-invoker.ts';
import { DirectoryStore } from '../../object-store/directory-store.ts';
import {
  contractWorld,
  expectRight,
  invokerContract,
  questionOf,
} from '../engine/batch/invoker-contract.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'muster-threads-'));
const main = fileURLToPath(new URL('../../dist/functions/worker-thread-main.js', import.meta.url));

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function startThreads(threads: number): ThreadInvoker {
  return new ThreadInvoker({ threads, program: { path: main, data: { store: directory } } });
}

async function openWorld() {
  return await contractWorld(await DirectoryStore.open(directory, systemClock));
}

invokerContract('threads', async () => ({
  world: await openWorld(),
  invoker: startThreads(2),
}));

test('x', async () => {
  const world = await openWorld();
  const invoker = startThreads(3);
  const batch = questionOf(world);
  await expectRight(batch, { invoker, world });
  expect(invoker.threadIds.length).toBe(3);
  await invoker.close();
});
