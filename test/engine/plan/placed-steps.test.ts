// What moves into scans of tables that are grouped by columns, and what must not: only an aggregate
// whose keys contain the grouping columns themselves is whole where rows lie.

import { expect, it } from 'vitest';
import type { TableSchema } from '../../../catalog/schema.ts';
import { printPlan } from '../../../engine/plan/plan-printer.ts';
import { column, planned } from './planned.ts';

const schema = {
  id: 1,
  name: 't',
  engine: 'AggregatingMergeTree',
  columns: [
    column(1, 'exp', 'UInt16'),
    column(2, 'arm', 'String'),
    column(3, 'day', 'Date'),
    column(4, 'u', 'AggregateFunction(groupBitmap, UInt64)'),
  ],
  orderBy: ['exp', 'arm', 'day'],
  settings: [['muster_group_by', "'exp, arm'"]],
  comment: '',
  schemaVersion: 1,
} as unknown as TableSchema;

const details = {
  ...schema,
  id: 2,
  engine: 'MergeTree',
  columns: schema.columns.slice(0, 3),
  settings: [],
} as unknown as TableSchema;

/** The operators at the root, and those where rows lie. */
function places(text: string): {
  readonly root: readonly string[];
  readonly there: readonly string[];
} {
  const lines = printPlan(planned(text, { t: schema, d: details })).map((line) => line.trim());
  const name = (line: string) => /#\d+ (\w+)/.exec(line)?.[1] ?? '';
  return {
    root: lines.filter((line) => line.startsWith('#')).map(name),
    there: lines.filter((line) => line.startsWith('there')).map(name),
  };
}

it.each([
  ['SELECT exp, arm, groupBitmapMerge(u) AS n FROM t GROUP BY exp, arm HAVING n > 10'],
  ['SELECT arm, exp, day, groupBitmapMerge(u) AS n FROM t GROUP BY day, arm, exp HAVING n > 10'],
  [
    'SELECT e, a, groupBitmapMerge(u) AS n FROM (SELECT exp AS e, arm AS a, u FROM t WHERE toYYYYMM(day) > 3) GROUP BY e, a HAVING n > 10',
  ],
  [
    'SELECT exp, arm, sum(n) AS s FROM (SELECT exp, arm, day, groupBitmapMerge(u) AS n FROM t GROUP BY exp, arm, day) GROUP BY exp, arm HAVING s > 1',
  ],
])('all of it: %s', (text) => {
  const { root, there } = places(text);
  expect(root.filter((one) => one !== 'Project')).toEqual(['Rows']);
  expect(there).toContain('Aggregate');
  expect(there.at(-1)).toMatch(/Filter|Project/);
});

it.each([
  ['without keys', 'SELECT groupBitmapMerge(u), count() FROM t'],
  ['a part of the grouping', 'SELECT exp, groupBitmapMerge(u) FROM t GROUP BY exp'],
  ['a function of it', 'SELECT exp, upper(arm) AS a, groupBitmapMerge(u) FROM t GROUP BY exp, a'],
  [
    'a function under its name',
    'SELECT exp, arm, count() FROM (SELECT intDiv(exp, 2) AS exp, arm FROM t) GROUP BY exp, arm',
  ],
])('two halves: %s', (_, text) => {
  const { root, there } = places(text);
  expect(root).toContain('Aggregate');
  expect(there.filter((one) => one === 'Aggregate')).toEqual(['Aggregate']);
});

it.each([
  ['can not be merged', 'SELECT exp, uniqExact(day) FROM t GROUP BY exp'],
  ['an AND that may be over no rows', 'SELECT groupBitmapAndIf(u, toYYYYMM(day) > 3) FROM t'],
  ['a least value that may be over no rows', 'SELECT minIf(exp, toYYYYMM(day) > 3) FROM t'],
])('at the root alone: %s', (_, text) => {
  const { root, there } = places(text);
  expect(root).toContain('Aggregate');
  expect(there).not.toContain('Aggregate');
});

it.each([
  [
    'what can be merged is made of detail rows where they are read',
    'SELECT arm, count(), sum(exp), max(day) FROM d WHERE exp > 3 GROUP BY arm',
    ['Filter', 'Aggregate'],
  ],
  [
    'through what works row by row',
    'SELECT a, countIf(e = 2) FROM (SELECT upper(arm) AS a, exp % 3 AS e FROM d) GROUP BY a',
    ['Project', 'Aggregate'],
  ],
  ['sets are not, for their ids would travel', 'SELECT groupBitmap(exp) FROM d', []],
  [
    'what depends on the order of rows is not',
    'SELECT arm, any(exp), count() FROM d GROUP BY arm',
    [],
  ],
  ['nor what has no halves', 'SELECT uniqExact(arm), count() FROM d', []],
  [
    'nor what looks up what runs after the scan',
    'SELECT countIf(exp < (SELECT max(exp) FROM d)) FROM d AS e',
    undefined,
  ],
])('%s: %s', (_, text, expected) => {
  const { root, there } = places(text);
  expect(root).toContain('Aggregate');
  if (expected !== undefined) expect(there.filter((one) => one !== '')).toEqual(expected);
});
