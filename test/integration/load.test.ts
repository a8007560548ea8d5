// 32 clients on the built program: nothing but right answers and 429, memory that stays, nothing left
// behind. MUSTER_TEST_LOAD_SECONDS makes it longer; bench/load-bench.ts prints the same.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LoadReport, runLoad } from '../../bench/load/load-run.ts';
import { type ServedProcess, serveProcess } from './served-process.ts';

const seconds = Number(process.env.MUSTER_TEST_LOAD_SECONDS ?? 8);
const megabyte = 1e6;

let directory: string;
let served: ServedProcess;
let report: LoadReport;
beforeAll(
  async () => {
    directory = await mkdtemp(join(tmpdir(), 'muster-load-'));
    const flags = ['--data', directory, '--queries-max', '8', '--log-level', 'error'];
    served = await serveProcess([...flags, '--workers', '2']);
    report = await runLoad({
      port: served.port,
      clients: 32,
      seconds,
      warmUpSeconds: 2,
      seed: 20_260,
    });
  },
  120_000 + 2000 * seconds,
);
afterAll(async () => {
  served.child.kill('SIGKILL');
  await rm(directory, { recursive: true });
});

test('answers are right, or 429', () => {
  expect(report.unexpected).toEqual([]);
  const happened = (name: string) => report.outcomes.get(name) ?? 0;
  for (const name of ['count', 'and', 'rows', 'insert', 'syntax', 'identifier']) {
    expect([name, happened(`${name} ok`) > 0]).toEqual([name, true]);
  }
  expect(happened('leaves within left') + happened('leaves before left')).toBeGreaterThan(0);
  // The door was passed and shut.
  const refused = [...report.outcomes].filter(([name]) => name.endsWith(' 202'));
  expect(refused.length).toBeGreaterThan(0);
});

test('what was answered for is there, what was left is not', () => {
  expect(report.insertedRows).toBeGreaterThan(0);
  expect(report.storedRows).toBe(report.insertedRows);
});

test('memory stays', () => {
  const [heap = 0, , heapAtEnd = 0] = report.heap;
  expect(heapAtEnd).toBeLessThan(1.5 * heap + 50 * megabyte);
  const [rss = 0, , rssAtEnd = 0] = report.rss;
  expect(rssAtEnd).toBeLessThan(1.5 * rss + 150 * megabyte);
});

test('nothing is left behind', () => {
  const { before, after } = report;
  expect([after.running, after.waiting, after.connections]).toEqual([0, 0, 1]);
  // Some are opened once, when they are first needed.
  expect(after.openFiles).toBeLessThan(before.openFiles + 10);
  const more = [...after.resources].filter(
    ([type, count]) => count > (before.resources.get(type) ?? 0),
  );
  expect(more).toEqual([]);
});

test('the log holds no errors, and the server stops', async () => {
  served.child.kill('SIGTERM');
  expect(await served.ended()).toEqual([0, null]);
  expect(served.log()).toEqual([]);
});
