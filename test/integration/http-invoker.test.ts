// Workers over HTTP as processes that are killed, stopped and drained: what they promise otherwise is in
// test/engine/batch/http-invoker.test.ts.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { dispatch } from '../../engine/batch/dispatch.ts';
import { HttpInvoker } from '../../engine/batch/http-invoker.ts';
import { slicesOf } from '../../engine/batch/slices.ts';
import { DirectoryStore } from '../../object-store/directory-store.ts';
import {
  contractWorld,
  expectRight,
  longQuestionOf,
  pause,
  questionOf,
} from '../engine/batch/invoker-contract.ts';
import type { World } from '../engine/worker/world.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'muster-http-workers-'));
const program = fileURLToPath(new URL('programs/http-worker.mjs', import.meta.url));
const secret = 'of these processes';
const started: ChildProcess[] = [];
let world: World;

beforeAll(async () => {
  world = await contractWorld(await DirectoryStore.open(directory, systemClock));
});
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

async function startWorker(threads = 0) {
  const child = spawn(process.execPath, [program, directory, secret, `${threads}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  const port = await new Promise<string>((resolve) => {
    child.stdout.once('data', (line: Buffer) => resolve(line.toString().trim()));
  });
  const ended = new Promise<number | null>((resolve) => void child.once('exit', resolve));
  return { child, ended, address: `http://127.0.0.1:${port}` };
}

test('killed, stopped and drained workers: the others do the work', async () => {
  const workers = await Promise.all([startWorker(), startWorker(), startWorker()]);
  const invoker = new HttpInvoker({ addresses: workers.map(({ address }) => address), secret });
  const one = { invoker, world };
  const { usages } = await expectRight(questionOf(world), one);
  expect(new Set(usages.map(({ worker }) => worker)).size).toBeGreaterThan(1);

  // Over the work: three slices, all of them seconds long, on the way when the first worker dies.
  const batch = longQuestionOf(world, 30_000);
  const asked = dispatch(batch, slicesOf(batch), invoker, { store: world.store });
  await pause(100);
  workers[0]?.child.kill('SIGKILL');
  const { answers } = await asked;
  expect(answers[0]?.ask === 'card' && answers[0].counts.length).toBe(30_000);
  for (let i = 0; i < 3; i++) await expectRight(questionOf(world), one);

  // Frozen: its sockets stay open, and say nothing until it goes on.
  workers[1]?.child.kill('SIGSTOP');
  const frozen = expectRight(questionOf(world), one);
  await pause(300);
  workers[1]?.child.kill('SIGCONT');
  await frozen;

  workers[1]?.child.kill('SIGTERM');
  for (let i = 0; i < 3; i++) await expectRight(questionOf(world), one);
  expect(await workers[1]?.ended).toBe(0);
  await expectRight(questionOf(world), one);
  await invoker.close();
});

test('a worker with threads says how many, and is given as much', async () => {
  const { child, ended, address } = await startWorker(2);
  const invoker = new HttpInvoker({ addresses: [address], secret });
  expect(invoker.parallelism).toBe(1);
  await expectRight(questionOf(world), { invoker, world });
  expect(invoker.parallelism).toBe(2);
  const batch = longQuestionOf(world, 20_000);
  const { usages } = await dispatch(batch, slicesOf(batch), invoker, { store: world.store });
  expect(new Set(usages.map(({ worker }) => worker)).size).toBe(2);
  expect(usages[0]?.worker).toContain('thread');
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  await invoker.close();
});
