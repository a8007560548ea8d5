// Detail rows come from the workers: portion by portion, filtered there, each once and in order,
// however many slices share the reading.

import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { InProcessInvoker } from '../../../engine/batch/in-process-invoker.ts';
import type { Invoker } from '../../../engine/batch/invoker.ts';
import { createWorkerEnvironment } from '../../../engine/worker/worker-environment.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';
import { Session } from '../queries/session.ts';

/** Code ranges of a group, and invocations side by side. */
const layouts = [
  [1, 1],
  [3, 1],
  [1, 3],
  [7, 2],
] as const;
const sessions: Session[] = [];

beforeAll(async () => {
  for (const [rangesPerGroup, parallelism] of layouts) {
    const store = new MemoryStore();
    const inner = new InProcessInvoker(createWorkerEnvironment(store));
    const invoker: Invoker = {
      parallelism,
      invoke: (request, options) => inner.invoke(request, options),
      close: () => inner.close(),
    };
    const session = await Session.open({ store, rangesPerGroup, invoker });
    sessions.push(session);
    await session.run('CREATE DATABASE bm');
    await session.run(
      'CREATE TABLE d (x Int32, s LowCardinality(String), n Nullable(Int16), t DateTime) ENGINE = MergeTree ORDER BY (s, x)',
    );
    await session.run('CREATE TABLE none (x Int32) ENGINE = MergeTree ORDER BY x');
    await session.run(
      'CREATE TABLE tags (k UInt8, u AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY k',
    );
    await session.run('INSERT INTO tags SELECT 1, groupBitmapState(number) FROM numbers(9)');
    for (let stripe = 0; stripe < 5; stripe++) {
      await session.run(
        `INSERT INTO d SELECT toInt32(number * 7 % 50) - 20, ['a', 'bb', ''][1 + number % 3], if(number % 4 = 0, NULL, number - ${stripe}), toDateTime('2026-01-01 00:00:00', 'UTC') + number * 3600 + ${stripe} FROM numbers(${20 * stripe + 1})`,
      );
    }
  }
});

async function answersOf(sql: string): Promise<readonly string[]> {
  const answers = await Promise.all(sessions.map((session) => session.ask(sql)));
  return answers.map(({ text }) => text);
}

const condition = fc.oneof(
  fc.integer({ min: -25, max: 35 }).map((x) => `x > ${x}`),
  fc.integer({ min: -25, max: 35 }).map((x) => `x % 5 = ${x} % 5`),
  fc.constantFrom('a', 'bb', '', 'zz').map((s) => `s = '${s}'`),
  fc.constantFrom("s IN ('a', '')", 'n IS NULL', 'NOT (n > 3)', "s LIKE 'b%'", 'toHour(t) < 7'),
  fc.constantFrom(
    'x < (SELECT max(x) FROM d)',
    'x IN (SELECT n FROM d)',
    'if(x = 0, 1, 100 / x) > 3',
  ),
);
const where = fc.oneof(
  condition,
  fc.tuple(condition, fc.constantFrom('AND', 'OR'), condition).map((parts) => parts.join(' ')),
);

describe('detail rows', () => {
  it('are the same filtered in workers and counted at the root, in every layout', async () => {
    await fc.assert(
      fc.asyncProperty(where, async (text) => {
        const sums = (of: string) =>
          `count${of === '' ? '()' : `If(${of})`}, sum${of === '' ? '(x)' : `If(x, ${of})`}`;
        const filtered = await answersOf(`SELECT ${sums('')} FROM d WHERE ${text}`);
        const counted = await answersOf(`SELECT ${sums(text)} FROM d`);
        expect({ text, filtered }).toEqual({ text, filtered: counted });
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  it('keep the order of the scan, also under LIMIT', async () => {
    const all = await answersOf('SELECT x, s, n FROM d WHERE x > 0');
    expect(new Set(all).size).toBe(1);
    const lines = all[0]!.split('\n');
    const limited = await answersOf('SELECT x, s, n FROM d WHERE x > 0 LIMIT 7 OFFSET 20');
    for (const text of limited) expect(text.split('\n')).toEqual(lines.slice(20, 27));
  });

  it('of an empty table cost no dispatch', async () => {
    const { text, dispatches } = await sessions[0]!.ask('SELECT count(), max(x) FROM none');
    expect([text, dispatches]).toEqual(['0\t0', 0]);
  });

  it('are asked together with sets of the same stage', async () => {
    const sql =
      'SELECT (SELECT count() FROM d), (SELECT max(x) FROM d), (SELECT groupBitmapMerge(u) FROM tags)';
    for (const session of sessions) {
      expect(await session.ask(sql)).toMatchObject({ text: '205\t29\t9', dispatches: 1 });
    }
  });

  it('have a limit that names its setting', async () => {
    const settings = { max_rows_to_read: '100' };
    await expect(sessions[0]!.ask('SELECT sum(x) FROM d', { settings })).rejects.toMatchObject({
      code: 158,
      message: expect.stringContaining('max_rows_to_read'),
    });
  });
});

it('a large table comes portion by portion, within little memory', {
  timeout: 60_000,
}, async () => {
  const session = await Session.open();
  await session.run('CREATE DATABASE bm');
  await session.run('CREATE TABLE big (x UInt32) ENGINE = MergeTree ORDER BY x');
  for (let i = 0; i < 3; i++) {
    await session.run(`INSERT INTO big SELECT number + ${i} * 700000 FROM numbers(700000)`);
  }
  const settings = { max_memory_usage: '4000000' };
  const whole = await session.ask('SELECT count(), max(x), sum(x) FROM big', { settings });
  expect(whole).toMatchObject({ text: '2100000\t2099999\t2204998950000', dispatches: 3 });
  const first = await session.ask('SELECT x FROM big LIMIT 2', { settings });
  expect(first).toMatchObject({ text: '0\n1', dispatches: 1 });
});
