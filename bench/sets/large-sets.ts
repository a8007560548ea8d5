// Sets of thousands to millions: the union of a hundred, the count of a stored one, and the thirty sets
// by which the field measures itself (5 x 10 M, 7 x 1 M, 9 x 100 k, 9 x 10 k out of 20 M people).

import { encodeState } from '../../storage-format/clickhouse-state.ts';
import { denseIds, sampleOf, sparseIds } from './samples.ts';
import { compare, load, type SideBySide, taggedRow } from './side-by-side.ts';

const sparse = 'tag UInt32, users AggregateFunction(groupBitmap, UInt64)';
const dense = 'tag UInt32, users AggregateFunction(groupBitmap, UInt32)';

export async function hundredSets(sides: SideBySide, scale: number): Promise<void> {
  const people = 2_000_000;
  const chunks = Array.from({ length: 100 }, (_, tag) =>
    taggedRow(tag, encodeState(sparseIds(sampleOf(people, 50_000, tag)), 'UInt64')),
  );
  for (const table of ['hundred', 'hundred_cold']) {
    await load({ table, structure: sparse, chunks }, { muster: sides.muster });
  }
  await load({ table: 'hundred', structure: sparse, chunks }, { oracle: sides.oracle });
  const union = (table: string) => `SELECT groupBitmapMerge(users) FROM ${table}`;
  await compare(
    {
      name: 'union of 100 sets of 50 k sparse ids',
      clickHouse: union('hundred'),
      muster: union('hundred'),
      cold: union('hundred_cold'),
      atLeast: 300,
    },
    sides,
  );
  await storedCount(sides, Math.round(10_000_000 * scale));
}

async function storedCount(sides: SideBySide, size: number): Promise<void> {
  const state = encodeState(sparseIds(sampleOf(2 * size, size, 1)), 'UInt64');
  const chunks = [taggedRow(1, state)];
  for (const table of ['one', 'one_cold']) {
    await load({ table, structure: sparse, chunks }, { muster: sides.muster });
  }
  await load({ table: 'one', structure: sparse, chunks }, { oracle: sides.oracle });
  const count = (table: string) => `SELECT bitmapCardinality(users) FROM ${table} WHERE tag = 1`;
  await compare(
    {
      name: `count of a stored set of ${size} sparse ids`,
      clickHouse: count('one'),
      muster: count('one'),
      cold: count('one_cold'),
      atLeast: 1000,
    },
    sides,
  );
}

const sizes: readonly (readonly [number, number])[] = [
  [5, 10_000_000],
  [7, 1_000_000],
  [9, 100_000],
  [9, 10_000],
];

const questions: readonly (readonly [string, (table: string) => string])[] = [
  ['union of 30', (table) => `SELECT groupBitmapMerge(users) FROM ${table}`],
  ['intersection of 30', (table) => `SELECT groupBitmapAnd(users) FROM ${table}`],
  ['intersection of 5', (table) => `SELECT groupBitmapAnd(users) FROM ${table} WHERE tag < 5`],
  [
    '435 pair counts',
    (table) =>
      'SELECT count(), sum(bitmapAndCardinality(a.users, b.users)) ' +
      `FROM ${table} AS a CROSS JOIN ${table} AS b WHERE a.tag < b.tag`,
  ],
];

/** What ClickHouse holds. For its last question it takes a quarter of an hour, at full scale. */
const opponents = [
  { ids: 'dense 32-bit ids', table: 'thirty_dense', atLeast: 2 },
  { ids: '64-bit ids', table: 'thirty', atLeast: 100 },
];

export async function thirtySets(sides: SideBySide, scale: number): Promise<void> {
  const universe = 20_000_000 * scale;
  const people = sizes
    .flatMap(([many, size]) => Array.from({ length: many }, () => size))
    .map((size, tag) => sampleOf(universe, size * scale, 100 + tag));
  const sparseRows = people.map((set, tag) =>
    taggedRow(tag, encodeState(sparseIds(set), 'UInt64')),
  );
  const denseRows = people.map((set, tag) => taggedRow(tag, encodeState(denseIds(set), 'UInt32')));
  const { muster, oracle } = sides;
  await load({ table: 'thirty', structure: sparse, chunks: sparseRows }, sides);
  await load({ table: 'thirty_dense', structure: dense, chunks: denseRows }, { oracle });
  for (const { table } of opponents) {
    for (const [i] of questions.entries()) {
      const cold = `${table}_cold${i}`;
      await load({ table: cold, structure: sparse, chunks: sparseRows }, { muster });
    }
  }
  for (const { ids, table, atLeast } of opponents) {
    for (const [i, [name, sql]] of questions.entries()) {
      const ours = { muster: sql('thirty'), cold: sql(`${table}_cold${i}`) };
      await compare({ name: `${name}, ${ids}`, clickHouse: sql(table), ...ours, atLeast }, sides);
    }
  }
}
