// The questions of the latency bench and the tables that they are about: a stored set of a million, the
// thirty sets of the field at a tenth of their scale, and hundreds of thousands of tiny sets, grouped by
// id and by their key.

import { encodeState } from '../../storage-format/clickhouse-state.ts';
import type { MusterProcess } from '../muster-process.ts';
import { sampleOf, sparseIds } from '../sets/samples.ts';
import { load, taggedRow } from '../sets/side-by-side.ts';
import { smallRows } from '../sets/small-sets.ts';

interface LatencyQuestion {
  readonly name: string;
  readonly sql: string;
  /** Asked less often. */
  readonly isLong?: boolean;
}

export const latencyQuestions: readonly LatencyQuestion[] = [
  { name: 'one', sql: 'SELECT 1' },
  { name: 'count', sql: 'SELECT bitmapCardinality(users) FROM one WHERE tag = 1' },
  { name: 'union', sql: 'SELECT groupBitmapMerge(users) FROM thirty' },
  { name: 'intersection', sql: 'SELECT groupBitmapAnd(users) FROM thirty' },
  { name: 'five', sql: 'SELECT groupBitmapAnd(users) FROM thirty WHERE tag < 5' },
  {
    name: 'pairs',
    sql:
      'SELECT count(), sum(bitmapAndCardinality(a.users, b.users)) ' +
      'FROM thirty AS a CROSS JOIN thirty AS b WHERE a.tag < b.tag',
  },
];

export const smallQuestions: readonly LatencyQuestion[] = ['small', 'small_by_tag'].flatMap(
  (table) => [
    {
      name: `filter-${table}`,
      sql: `SELECT count() FROM ${table} WHERE bitmapCardinality(users) > 10`,
      isLong: true,
    },
    {
      name: `having-${table}`,
      sql:
        `SELECT count() FROM (SELECT tag, groupBitmapMerge(users) AS n FROM ${table} ` +
        'GROUP BY tag HAVING n > 10)',
      isLong: true,
    },
  ],
);

const sizes: readonly (readonly [number, number])[] = [
  [5, 1_000_000],
  [7, 100_000],
  [9, 10_000],
  [9, 1_000],
];

const structure = 'tag UInt32, users AggregateFunction(groupBitmap, UInt64)';

export async function loadLatencyTables(muster: MusterProcess, small: number): Promise<void> {
  const state = encodeState(sparseIds(sampleOf(2_000_000, 1_000_000, 1)), 'UInt64');
  await load({ table: 'one', structure, chunks: [taggedRow(1, state)] }, { muster });
  const thirty = sizes
    .flatMap(([many, size]) => Array.from({ length: many }, () => size))
    .map((size, tag) =>
      taggedRow(tag, encodeState(sparseIds(sampleOf(2_000_000, size, 100 + tag)), 'UInt64')),
    );
  await load({ table: 'thirty', structure, chunks: thirty }, { muster });
  await load(
    { table: 'small', structure, chunks: [...smallRows(small, 1_000_000, 8)] },
    { muster },
  );
  const grouped = `${structure}) ENGINE = MergeTree ORDER BY tag SETTINGS muster_dictionary = 'tags', muster_group_by = 'tag'`;
  await muster.query(`CREATE TABLE small_by_tag (${grouped}`);
  await muster.query('INSERT INTO small_by_tag SELECT * FROM small');
}
