import { expect, test } from 'vitest';
import { kindOf } from '../../functions/query-record.ts';

test.each([
  ['SELECT 1', 'select'],
  [' \n(select 1) UNION ALL SELECT 2', 'select'],
  ['WITH 1 AS x SELECT x', 'select'],
  ['-- of the day\n/* by * us */ # too\nInsert INTO t', 'insert'],
  ['EXPLAIN SELECT 1', 'explain'],
  ['DESC t', 'show'],
  ['TRUNCATE TABLE t', 'drop'],
  ['OPTIMIZE TABLE t', 'other'],
  ['SELECTED', 'other'],
  ['', 'other'],
  ["'", 'other'],
])('%s: %s', (text, kind) => {
  expect(kindOf(text)).toBe(kind);
});
