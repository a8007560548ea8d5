// EXPLAIN over real worker processes: what was expected to go out did go out, every process that answered
// is named, and the cost says all that the processes read.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { ChildProcessInvoker } from '../../engine/batch/child-process-invoker.ts';
import { DirectoryStore } from '../../object-store/directory-store.ts';
import { Session } from '../engine/queries/session.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'muster-explain-'));
const main = fileURLToPath(new URL('../../dist/functions/worker-main.js', import.meta.url));
const workers = 8;
const question =
  'SELECT tag, bitmapCardinality(groupBitmapMergeState(users)) FROM tags GROUP BY tag ORDER BY tag';

let session: Session;
let invoker: ChildProcessInvoker;

beforeAll(async () => {
  const store = await DirectoryStore.open(directory, systemClock);
  invoker = new ChildProcessInvoker({
    workers,
    command: {
      program: process.execPath,
      arguments: [main, JSON.stringify({ store: directory })],
      environment: process.env,
    },
  });
  session = await Session.open({ store, invoker });
  await session.run('CREATE DATABASE bm');
  await session.run(
    'CREATE TABLE tags (day Date, tag String, users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree PARTITION BY day ORDER BY tag SETTINGS muster_groups = 16',
  );
  for (const day of [1, 2]) {
    await session.run(
      `INSERT INTO tags SELECT toDate('2026-01-0${day}'), toString(number % 3), groupBitmapState(sipHash64(number * ${day})) FROM numbers(60000) GROUP BY 2`,
    );
  }
});

afterAll(async () => {
  await invoker.close();
  rmSync(directory, { recursive: true, force: true });
});

test('16 slices are answered by 8 processes, whose ids are told', async () => {
  const expected = (await session.ask(`EXPLAIN ${question}`)).text;
  expect(expected).toContain('Stage 1: dispatch of 16 slices in 8 invocations');
  const { cost } = await session.run(question);
  expect(cost).toMatchObject({ invocations: 8, requests: { writes: 0 } });
  expect(cost.workers).toHaveLength(workers);
  expect(cost.workerSeconds).toBeGreaterThan(0);
  expect(cost.bytesRead).toBeGreaterThan(100_000);
  const { processIds } = invoker;
  for (const id of processIds) expect(cost.workers.join()).toContain(String(id));
});

test('EXPLAIN ANALYZE has a line for each of them', async () => {
  const { text } = await session.ask(`EXPLAIN ANALYZE ${question}`);
  expect(text).toContain('dispatch of 16 slices in 8 invocations to 8 workers');
  const table = text.split('\n').slice(text.split('\n').indexOf('') + 1);
  const { processIds } = invoker;
  expect(processIds).toHaveLength(workers);
  for (const id of processIds) {
    expect(table.filter((line) => new RegExp(`\\b${id}\\b`).test(line))).toHaveLength(1);
  }
});
