// Leaving stripes out never changes an answer, and leaves out those that it should.

import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { openCatalog } from '../../../catalog/catalog.ts';
import { CountingStore } from '../../../object-store/counting-store.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';
import { Session } from '../queries/session.ts';

let session: Session;

beforeAll(async () => {
  session = await Session.open();
  await session.run('CREATE DATABASE bm');
  await session.run(
    'CREATE TABLE e (k String, d Date, x Int32, n Nullable(UInt8)) ENGINE = MergeTree ORDER BY (k, x)',
  );
  for (let part = 0; part < 6; part++) {
    await session.run(
      `INSERT INTO e SELECT concat('k', toString(${part})), toDate('2026-01-01') + ${part}, toInt32(number) - 50 + ${part} * 100, if(number % 2 = 0, NULL, ${part}) FROM numbers(100)`,
    );
  }
});

it.each([
  ["k = 'k3'", 100],
  ["k IN ('k1', 'k5', 'zz')", 200],
  ["k > 'k3'", 300],
  ["'k3' > k", 400],
  ["k >= 'k3' AND x < 360", 200],
  ["k = 'k0' OR k = 'k4'", 200],
  ["k = 'k0' OR n = 2", 200],
  ["d = '2026-01-03'", 100],
  ["d BETWEEN '2026-01-02' AND '2026-01-03'", 200],
  ['x = -50', 100],
  ['x < 0', 100],
  ['x IN (-5, 120, 70000)', 200],
  ['NOT (x < 0)', 600],
  ['x % 2 = 0', 600],
  ["k = 'k9'", 0],
])('WHERE %s reads %d rows', async (where, rows) => {
  const pruned = await session.run(`SELECT count(), sum(x) FROM e WHERE ${where}`);
  const { text } = await session.ask(`SELECT count(), sum(x) FROM e WHERE ${where}`);
  const whole = await session.ask(
    `SELECT countIf(${where}), sumIf(x, ${where}) FROM (SELECT k, d, x, n FROM e)`,
  );
  expect(text).toBe(whole.text);
  expect(pruned.statistics.readRows).toBe(rows);
});

const insertTimes = (table: string, from: string, days: number): string =>
  `INSERT INTO ${table} SELECT toDateTime('${from}', 'UTC') + number * 7919 % (${days} * 86400), number % 40 - 20, ['a', 'b', 'c'][1 + number % 3] FROM numbers(${days * 6})`;

/** Keys of tables with columns (ts DateTime, x Int32, s String). */
const partitionings = [
  'toYYYYMM(ts)',
  'toDate(ts)',
  'toMonday(ts)',
  "toYYYYMM(ts, 'Asia/Tokyo')",
  '(toStartOfMonth(ts), s)',
  '(s, intDiv(x, 10))',
  'tuple(x % 4, toYear(ts))',
  'intDiv(toYYYYMMDD(ts), 3)',
  's',
];

describe.each(['UTC', 'America/New_York', 'Asia/Kolkata'])('a session in %s', (timeZone) => {
  const settings = { session_timezone: timeZone };
  let pruned: Session;

  beforeAll(async () => {
    pruned = await Session.open();
    await pruned.run('CREATE DATABASE bm');
    for (const [i, key] of partitionings.entries()) {
      const merged = i % 3 === 1 ? 'ReplacingMergeTree' : 'MergeTree';
      const order = ['(s, ts)', 'ts', 'tuple()'][i % 3 === 1 ? 0 : i % 3];
      await pruned.run(
        `CREATE TABLE p${i} (ts DateTime, x Int32, s String) ENGINE = ${merged} PARTITION BY ${key} ORDER BY ${order}`,
      );
      await pruned.run(insertTimes(`p${i}`, '2026-01-20 00:00:00', 40));
      await pruned.run(insertTimes(`p${i}`, '2026-02-25 00:00:00', 9), { settings });
      await pruned.run(insertTimes(`p${i}`, '1970-01-01 00:00:00', 1));
    }
  });

  it('never changes an answer', { timeout: 120_000 }, async () => {
    let fewer = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(partitionings.length - 1), predicates, async (i, where) => {
        const sums = `count(), sum(x), max(ts)`;
        const filtered = await pruned.ask(`SELECT ${sums} FROM p${i} WHERE ${where}`, { settings });
        const condition = `if(${where}, 1, 0)`;
        const all = `SELECT * FROM p${i} WHERE ${condition}`;
        const whole = await pruned.ask(`SELECT ${sums} FROM (${all})`, { settings });
        expect([partitionings[i], where, filtered.text]).toEqual([
          partitionings[i],
          where,
          whole.text,
        ]);
        const read = async (sql: string) =>
          (await pruned.run(sql, { settings })).statistics.readRows;
        const few = await read(`SELECT ${sums} FROM p${i} WHERE ${where}`);
        if (few < (await read(all))) fewer++;
      }),
      { numRuns: 150, seed: 11 },
    );
    expect(fewer).toBeGreaterThan(75);
  });
});

const times = fc
  .integer({ min: 0, max: 80 * 24 })
  .map((hour) =>
    new Date(Date.UTC(2026, 0, 18, hour)).toISOString().slice(0, 19).replace('T', ' '),
  );
const day = times.map((time) => time.slice(0, 10));
const month = fc.constantFrom(202512, 202601, 202602, 202603, 202604);
const comparator = fc.constantFrom('=', '<', '<=', '>', '>=');
const leaf = fc.oneof(
  fc.tuple(comparator, times).map(([op, time]) => `ts ${op} '${time}'`),
  fc.tuple(times, times).map(([a, b]) => `ts BETWEEN '${a}' AND '${b}'`),
  fc.tuple(times, comparator).map(([time, op]) => `toDateTime('${time}', 'UTC') ${op} ts`),
  fc.tuple(comparator, day).map(([op, text]) => `toDate(ts) ${op} '${text}'`),
  fc.tuple(day, day).map(([a, b]) => `toDate(ts) IN ('${a}', '${b}')`),
  fc.tuple(comparator, day).map(([op, text]) => `toMonday(ts) ${op} toDate('${text}')`),
  fc.tuple(comparator, month).map(([op, number]) => `toYYYYMM(ts) ${op} ${number}`),
  fc.tuple(month, month).map(([a, b]) => `toYYYYMM(ts) IN (${a}, ${b})`),
  fc.tuple(comparator, fc.integer({ min: -25, max: 25 })).map(([op, x]) => `x ${op} ${x}`),
  fc
    .tuple(comparator, fc.integer({ min: -3, max: 3 }))
    .map(([op, x]) => `intDiv(x, 10) ${op} ${x}`),
  fc.integer({ min: -4, max: 4 }).map((x) => `x % 4 = ${x}`),
  fc.tuple(comparator, fc.integer({ min: -21, max: 21 })).map(([op, x]) => `x ${op} ${x}.5`),
  fc
    .array(fc.integer({ min: -25, max: 25 }), { minLength: 1 })
    .map((list) => `x IN (${list.join()})`),
  fc.tuple(comparator, fc.constantFrom('a', 'b', 'bb', '')).map(([op, s]) => `s ${op} '${s}'`),
  fc.constantFrom(
    "s IN ('a', 'zz')",
    'x * 2 = 4',
    'toYear(ts) = 1970',
    'x = NULL',
    "ts < '1970-01-02 00:00:00'",
  ),
);
const predicates = fc.oneof(
  leaf,
  fc.tuple(leaf, leaf).map((both) => both.join(' AND ')),
  fc.tuple(leaf, leaf).map((both) => both.join(' OR ')),
  fc.tuple(leaf, leaf, leaf).map(([a, b, c]) => `(${a} OR ${b}) AND ${c}`),
  fc.tuple(leaf, leaf).map(([a, b]) => `NOT (${a}) AND ${b}`),
);

describe('what is opened', () => {
  const store = new MemoryStore();
  const months = 60;

  beforeAll(async () => {
    const catalog = await openCatalog(store, { limits: { leafRowsMax: 4, tailFoldBytes: 2048 } });
    const writer = await Session.open({ store, catalog });
    await writer.run('CREATE DATABASE bm');
    await writer.run(
      'CREATE TABLE m (ts DateTime, k UInt8) ENGINE = MergeTree PARTITION BY (toYYYYMM(ts), k) ORDER BY k',
    );
    for (let i = 0; i < months; i++) {
      const start = new Date(Date.UTC(2020, i, 1)).toISOString().slice(0, 10);
      await writer.run(
        `INSERT INTO m SELECT toDateTime('${start} 00:00:00', 'UTC') + number * 86400, intDiv(number, 14) FROM numbers(28)`,
      );
    }
  });

  async function reading(where: string) {
    const counting = new CountingStore(store);
    const cold = await Session.open({ store: counting });
    await cold.run('SELECT 1');
    const { text } = await cold.ask(
      `SELECT count(), uniqExact(toYYYYMM(ts)) FROM m WHERE ${where}`,
    );
    const keys = (part: string) =>
      new Set(counting.calls.flatMap(({ key }) => (key.includes(part) ? [key] : []))).size;
    const places = counting.calls.filter(({ key }) => key.startsWith('data/'));
    return { text, objects: keys('data/'), pages: keys('/pages/'), reads: places.length };
  }

  it('is what the condition needs: pages, then stripes', async () => {
    const whole = await reading('k < 9');
    expect(whole).toMatchObject({ text: `${28 * months}\t${months}`, objects: months });
    const one = await reading("ts >= '2023-05-01 00:00:00' AND ts < '2023-06-01 00:00:00'");
    expect(one).toMatchObject({ text: '28\t1', objects: 1 });
    expect(one.pages).toBeLessThanOrEqual(3);
    expect(whole.pages).toBeGreaterThan(3 * one.pages);
  });

  it.each([
    ['toYYYYMM(ts) = 202305', '28\t1', 1],
    ['toYYYYMM(ts) IN (202001, 202412)', '56\t2', 2],
    ["toDate(ts) = '2023-05-03'", '1\t1', 1],
    ["toStartOfMonth(ts) BETWEEN '2023-01-01' AND '2023-03-01' AND k = 1", '42\t3', 3],
    ["toYear(ts) = 2024 OR ts = toDateTime('2020-02-02 00:00:00', 'UTC')", '337\t13', 13],
    ['toYYYYMM(ts) = 202305 AND k = 7', '0\t0', 0],
    ['toYYYYMM(ts) = 201905', '0\t0', 0],
  ])('WHERE %s', async (where, text, objects) => {
    expect(await reading(where)).toMatchObject({ text, objects });
  });

  it('one partition of a tuple is one stripe', async () => {
    const both = await reading('toYYYYMM(ts) = 202305');
    const half = await reading('toYYYYMM(ts) = 202305 AND k = 1');
    expect(half.reads).toBeLessThan(both.reads);
  });
});
