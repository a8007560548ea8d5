// Two `muster worker`s and a server that sends them its questions, as the how-to starts them: answers
// are those of a server alone, and EXPLAIN ANALYZE names the workers.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, type Server, serve, start } from './command-line.ts';

const cwd = mkdtempSync(join(tmpdir(), 'muster-worker-urls-'));
const env = { MUSTER_WORKER_SECRET: 'sixteen letters, or more' };
const workers: { readonly child: ChildProcess; readonly url: string }[] = [];
let root: Server;
let alone: Server;

/** So many parts that sharing out their work pays. */
const inserts = Array.from(
  { length: 64 },
  (_, i) =>
    `INSERT INTO visits SELECT '2026-01-0${(i % 8) + 1}', groupBitmapState(number * ${i + 1}) FROM numbers(999)`,
);

beforeAll(async () => {
  mkdirSync(join(cwd, 'd'));
  const table =
    'CREATE TABLE visits (day Date, users AggregateFunction(groupBitmap, UInt64)) ' +
    'ENGINE = AggregatingMergeTree ORDER BY day';
  // Merged, the stripes of these inserts would be one, which is no work for two.
  const apart = 'SET muster_background_compaction = 0';
  const input = [table, apart, ...inserts].join(';\n');
  const loaded = await run(['sql', '--data', 'd'], { cwd, input });
  expect(loaded).toEqual({ code: 0, out: '', said: '' });
  workers.push(await startWorker(), await startWorker());
  const urls = workers.map(({ url }) => url).join(',');
  root = await serve(['--data', 'd', '--worker-urls', urls], { cwd, env });
  alone = await serve(['--data', 'd', '--workers', '0'], { cwd });
}, 120_000);

afterAll(async () => {
  await root?.stop();
  await alone?.stop();
  for (const { child } of workers) child.kill('SIGKILL');
  rmSync(cwd, { recursive: true, force: true });
});

async function startWorker() {
  const words = ['worker', '--port', '0', '--data', 'd', '--workers', '0', '--log-level', 'error'];
  const child = start(words, { cwd, env });
  let printed = '';
  child.stdout.on('data', (chunk) => (printed += chunk));
  child.stderr.on('data', (chunk) => (printed += chunk));
  for (;;) {
    const port = /listens on 127\.0\.0\.1:(\d+)/.exec(printed)?.[1];
    if (port !== undefined) return { child, url: `http://127.0.0.1:${port}` };
    if (child.exitCode !== null) throw new Error(printed);
    await delay(10);
  }
}

async function ask(server: Server, body: string) {
  const reply = await fetch(server.url, { method: 'POST', body });
  const cost = JSON.parse(reply.headers.get('x-muster-cost') ?? '{}') as Record<string, number>;
  return { status: reply.status, text: await reply.text(), cost };
}

test('answers are those of a server alone', async () => {
  for (const sql of [
    'SELECT groupBitmapMerge(users) FROM visits',
    'SELECT day, groupBitmapMerge(users) AS people FROM visits GROUP BY day ORDER BY day',
    'SELECT day, bitmapToArray(subBitmap(users, 3, 3)) FROM visits ORDER BY day',
  ]) {
    const shared = await ask(root, sql);
    const own = await ask(alone, sql);
    expect(shared).toMatchObject({ status: 200, text: own.text });
    expect(own.cost.invocations).toBe(1);
    expect(shared.cost.invocations).toBeGreaterThan(1);
  }
});

// Which of them a slice prefers depends on their ports: it may be one alone.
test('EXPLAIN ANALYZE names who worked; when one ends the other does its work', async () => {
  const pids = workers.map(({ child }) => child.pid);
  const before = await namedIn(root);
  expect(before.length).toBeGreaterThan(0);
  expect(pids).toEqual(expect.arrayContaining([...before]));
  const ending = workers.find(({ child }) => child.pid === before[0])?.child;
  ending?.kill('SIGTERM');
  await once(ending as ChildProcess, 'close');
  expect(await namedIn(root)).toEqual(pids.filter((pid) => pid !== ending?.pid));
});

async function namedIn(server: Server): Promise<readonly number[]> {
  const sql = 'SELECT groupBitmapMerge(users) FROM visits';
  const { status, text } = await ask(server, `EXPLAIN ANALYZE ${sql} FORMAT TSVRaw`);
  expect(status).toBe(200);
  const lines = text.matchAll(/^\S+ process (\d+) /gm);
  return [...new Set([...lines].map((match) => Number(match[1])))];
}
