// Plans as data: where questions stand, and in how many stages.

import { expect, it } from 'vitest';
import type { TableSchema } from '../../../catalog/schema.ts';
import type { Plan } from '../../../engine/plan/physical-plan.ts';
import { printExpression } from '../../../engine/plan/bound-printer.ts';
import { printPlan } from '../../../engine/plan/plan-printer.ts';
import { column, planned } from './planned.ts';

const schema = {
  id: 1,
  name: 't',
  engine: 'AggregatingMergeTree',
  columns: [
    column(1, 'k', 'String'),
    column(2, 'x', 'UInt32'),
    column(3, 'u', 'AggregateFunction(groupBitmap, UInt64)'),
  ],
  orderBy: ['k'],
  settings: [],
  comment: '',
  schemaVersion: 1,
} as unknown as TableSchema;

const details = {
  ...schema,
  id: 2,
  name: 'd',
  engine: 'MergeTree',
  columns: schema.columns.slice(0, 2),
} as unknown as TableSchema;

const plan = (text: string): Plan => planned(text, { t: schema, d: details });

const operators = (text: string): string[] =>
  plan(text)
    .nodes.filter((node) => node.used)
    .map((node) => node.operator.op);

it.each([
  ['SELECT k FROM t', 0],
  ['SELECT groupBitmapMerge(u) FROM t', 1],
  [
    'SELECT k, bitmapCardinality(groupBitmapMergeState(u)) AS n FROM t GROUP BY k HAVING n > 5 ORDER BY n',
    1,
  ],
  ['SELECT bitmapCardinality(u) FROM t WHERE bitmapContains(u, 5)', 1],
  ['SELECT k, u FROM t WHERE bitmapCardinality(u) > 5', 2],
  ['SELECT bitmapToArray(bitmapSubsetLimit(u, toUInt64(0), toUInt64(5))) FROM t', 1],
  ['SELECT bitmapCardinality(bitmapSubsetLimit(u, toUInt64(0), toUInt64(5))) FROM t', 2],
  ['SELECT n FROM (SELECT k AS n, bitmapCardinality(u) AS unused FROM t)', 0],
  ['SELECT c FROM (SELECT bitmapCardinality(u) AS c FROM t) WHERE c > 1', 1],
  ['SELECT count() FROM d', 1],
  ['SELECT count() FROM d WHERE x > (SELECT max(x) FROM t)', 1],
  ['SELECT count() FROM d WHERE x > (SELECT max(x) FROM d)', 2],
  ['SELECT count(), (SELECT groupBitmapMerge(u) FROM t) FROM d', 1],
  ['SELECT count() FROM d WHERE bitmapContains((SELECT groupBitmapMergeState(u) FROM t), x)', 2],
  ['SELECT (SELECT groupBitmapMerge(u) FROM t) / (SELECT groupBitmapMerge(u) FROM t)', 1],
])('%s takes %d dispatches', (sql, stages) => {
  expect(plan(sql).stages).toBe(stages);
});

it('asks after LIMIT where the order does not need the answers', () => {
  const limited = operators('SELECT k, bitmapCardinality(u) FROM t ORDER BY k LIMIT 10');
  expect(limited).toEqual(['scan', 'sort', 'limit', 'ask', 'project']);
  const ordered = operators('SELECT k, bitmapCardinality(u) AS n FROM t ORDER BY n LIMIT 10');
  expect(ordered).toEqual(['scan', 'ask', 'sort', 'limit', 'project']);
});

it('reads only columns that somebody needs', () => {
  const { nodes } = plan('SELECT k FROM (SELECT * FROM t)');
  expect(nodes[0]!.needed).toEqual([true, false, false]);
});

it('a common table that is used twice is planned once', () => {
  const sql =
    'WITH c AS (SELECT k, groupBitmapMergeState(u) AS s FROM t GROUP BY k) SELECT bitmapAndCardinality(a.s, b.s) FROM c AS a, c AS b';
  expect(operators(sql).filter((op) => op === 'scan')).toHaveLength(1);
});

it('a comma join with an equality of both sides is an inner join', () => {
  const { nodes } = plan('SELECT a.x FROM t AS a, t AS b WHERE a.k = b.k AND a.x < b.x');
  const joins = nodes.filter((node) => node.used && node.operator.op === 'join');
  expect(joins.map((node) => node.operator)).toMatchObject([{ how: 'inner' }]);
});

it('what concerns one side of a join filters that side, below the join', () => {
  const { nodes } = plan(
    "SELECT 1 FROM t AS a, t AS b, t AS c WHERE a.x = 1 AND b.k = 'k' AND c.x = b.x AND c.x < a.x AND rand() > 0",
  );
  const used = nodes.filter((node) => node.used).map((node) => node.operator);
  expect(used.filter(({ op }) => op === 'join')).toMatchObject([
    { how: 'cross' },
    { how: 'inner' },
  ]);
  const conditions = used.flatMap((node) => (node.op === 'filter' ? [node.condition] : []));
  expect(conditions.map((condition) => printExpression(condition))).toEqual([
    'equals($1, 1)',
    "equals($0, 'k')",
    expect.stringContaining('rand'),
  ]);
});

it('what concerns the right side of a LEFT JOIN stays above it', () => {
  const { nodes } = plan(
    "SELECT 1 FROM t AS a LEFT JOIN t AS b ON a.x = b.x WHERE b.k = '' AND a.x > 5",
  );
  const filters = nodes.filter((node) => node.used && node.operator.op === 'filter');
  expect(filters.length).toBe(2);
});

it('prints as stages', () => {
  const lines = printPlan(plan("SELECT groupBitmapMerge(u) FROM t WHERE k = 'a'"));
  expect(lines).toEqual([
    'Stage 0',
    '  #0 Scan d.t: k, u (stored sets)',
    "  #1 Filter #0: equals(k, 'a')",
    '  #2 Aggregate #1: keys [], fold or(u)',
    'Stage 1',
    '  #3 Ask #2',
    '       ask card($0) -> $1',
    '  #4 Project #3: $1 -> groupBitmapMerge(u)',
  ]);
});

it.each([
  ['SELECT k, x FROM t GROUP BY k', 'NOT_AN_AGGREGATE'],
  ['SELECT k FROM t WHERE count() > 1', 'ILLEGAL_AGGREGATION'],
  ['SELECT sum(u) FROM t', 'NOT_IMPLEMENTED'],
  ['SELECT u + 1 FROM t', 'ILLEGAL_TYPE_OF_ARGUMENT'],
  ['SELECT DISTINCT u FROM t', 'NOT_IMPLEMENTED'],
  ['SELECT k FROM t ORDER BY u', 'NOT_IMPLEMENTED'],
  ['SELECT k FROM t GROUP BY k WITH ROLLUP', 'NOT_IMPLEMENTED'],
  ['SELECT sum(x) OVER () FROM t', 'NOT_IMPLEMENTED'],
  ['SELECT sumState(x) FROM t', 'NOT_IMPLEMENTED'],
  ['SELECT groupBitmapXor(DISTINCT u) FROM t', 'NOT_IMPLEMENTED'],
  ['SELECT a.k FROM t AS a RIGHT JOIN t AS b ON a.k = b.k', 'NOT_IMPLEMENTED'],
  ["SELECT k FROM t LIMIT 'a'", 'INVALID_LIMIT_EXPRESSION'],
  ['SELECT 1 UNION ALL SELECT 1, 2', 'UNION_ALL_RESULT_STRUCTURES_MISMATCH'],
  ['SELECT y FROM t', 'UNKNOWN_IDENTIFIER'],
  ['SELECT x FROM t ORDER BY 3', 'BAD_ARGUMENTS'],
])('%s is refused: %s', (sql, errorName) => {
  let found: unknown;
  try {
    plan(sql);
  } catch (error) {
    found = error;
  }
  expect(found).toMatchObject({ errorName });
});

it.each([
  [
    "SELECT x FROM d WHERE k = 'a' AND x > 1",
    "Rows d.d: x where and(equals(k, 'a'), greater(x, 1))",
  ],
  ['SELECT x FROM d WHERE x > 1 LIMIT 5 OFFSET 2', 'Rows d.d: x where greater(x, 1) first 7'],
  ['SELECT x FROM d WHERE x IN (SELECT x FROM t) AND x > 1', 'Rows d.d: x where greater(x, 1)'],
  // Division may fail on the rows that the first condition keeps away.
  ['SELECT x FROM d WHERE x IN (SELECT x FROM t) AND intDiv(1, x) = 1', 'Rows d.d: x'],
  ['SELECT x FROM d WHERE rand() > x', 'Rows d.d: x'],
  [
    'SELECT x FROM (SELECT * FROM d WHERE x > 1) AS a, t WHERE a.x = t.x',
    'Rows d.d: x where greater(x, 1)',
  ],
  [
    'SELECT max(x) FROM d PREWHERE x > 1 WHERE x < 9 ',
    'Rows d.d: x where and(greater(x, 1), less(x, 9))',
  ],
  ['SELECT x FROM d ORDER BY k LIMIT 1', 'Rows d.d: k, x'],
])('what the workers read for %s', (sql, scan) => {
  const lines = printPlan(plan(sql)).map((line) => line.replace(/^ *#\d+ /, ''));
  expect(lines.filter((line) => line.startsWith('Rows'))).toEqual([scan]);
});

it.each([
  ['SELECT bitmapCount(u) FROM t', "Maybe you meant: ['bitmapCardinality']", 8],
  ['SELECT k FROM t WHERE k', 'Invalid type for filter in WHERE: String', 23],
  ['SELECT k FROM t AS a JOIN d AS b ON a.k', 'ON of a JOIN takes a comparison', 37],
  ['SELECT k AS z, x AS z FROM t', 'Multiple expressions for alias z', 16],
])('%s says %s', (sql, message, at) => {
  let found: unknown;
  try {
    plan(sql);
  } catch (error) {
    found = error;
  }
  expect(found).toMatchObject({
    message: expect.stringContaining(message),
    position: { line: 1, column: at },
  });
});

it.each([
  ['SELECT k FROM t LIMIT -1', 'less than nothing'],
  ['SELECT k FROM t LIMIT 1 OFFSET 0.5', 'fraction'],
  ['SELECT number FROM numbers(0, 10, 2)', 'step'],
  ['SELECT z FROM (SELECT k FROM t) AS s(z)', 'list of columns'],
  ['SELECT (1, toNullable(x)) = (1, 2) FROM d', 'Nullable elements'],
  ['SELECT ((1, NULL), 1) < ((1, 2), 2)', 'Nullable elements'],
])('what ClickHouse has and Muster has not is error 48: %s', (sql, named) => {
  expect(() => plan(sql)).toThrowError(
    expect.objectContaining({ code: 48, message: expect.stringContaining(named) as string }),
  );
});
