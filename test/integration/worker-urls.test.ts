// Two `muster worker`s and a server that sends them its questions, as the how-to starts them: answers
// are those of a server alone, and both workers are named in what a question cost.

import { type ChildProcess } from 'node:child_process';
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
  const loaded = await run(['sql', '--data', 'd'], { cwd, input: [table, ...inserts].join(';\n') });
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

test('answers are those of a server alone, by both workers', async () => {
  for (const sql of [
    'SELECT groupBitmapMerge(users) FROM visits',
    'SELECT day, groupBitmapMerge(users) AS people FROM visits GROUP BY day ORDER BY day',
    'SELECT day, bitmapToArray(subBitmap(users, 3, 3)) FROM visits ORDER BY day',
  ]) {
    const shared = await ask(root, sql);
    const own = await ask(alone, sql);
    expect(shared).toMatchObject({ status: 200, text: own.text });
    expect([shared.cost.workers, own.cost.workers]).toEqual([2, 1]);
  }
});

test('EXPLAIN ANALYZE names the processes', async () => {
  const { text } = await ask(
    root,
    'EXPLAIN ANALYZE SELECT groupBitmapMerge(users) FROM visits FORMAT TSVRaw',
  );
  for (const { child } of workers) expect(text).toMatch(`process ${child.pid} `);
});

test('one that ends leaves its work to the other', async () => {
  const sql = 'SELECT groupBitmapMerge(users) FROM visits';
  const { text } = await ask(alone, sql);
  workers[0]?.child.kill('SIGTERM');
  expect(await ask(root, sql)).toMatchObject({ status: 200, text });
});
