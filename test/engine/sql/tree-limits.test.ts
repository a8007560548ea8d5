import { expect, test } from 'vitest';
import { parseStatement } from '../../../engine/sql/statement-parser.ts';
import { printStatement } from '../../../engine/sql/statement-printer.ts';

const hostile: Readonly<Record<string, (n: number) => string>> = {
  parentheses: (n) => `select ${'('.repeat(n)}1${')'.repeat(n)}`,
  'open parentheses': (n) => `select ${'('.repeat(n)}`,
  calls: (n) => `select ${'f('.repeat(n)}1${')'.repeat(n)}`,
  arrays: (n) => `select ${'['.repeat(n)}1${']'.repeat(n)}`,
  sums: (n) => `select 1${'+1'.repeat(n)}`,
  minuses: (n) => `select ${'- '.repeat(n)}x`,
  nots: (n) => `select ${'not '.repeat(n)}x`,
  subqueries: (n) => `select * from ${'(select * from '.repeat(n)}t${')'.repeat(n)}`,
  cases: (n) => `select ${'case when '.repeat(n)}1`,
  intervals: (n) => `select ${'interval '.repeat(n)}1`,
  'intervals in parentheses': (n) => `select ${'interval ('.repeat(n)}1${')'.repeat(n)}`,
  'interval names': (n) => `select ${'interval - '.repeat(n)}1`,
  betweens: (n) => `select 1${' between 1 and 2'.repeat(n)}`,
  casts: (n) => `select 1${'::Int8'.repeat(n)}`,
  accesses: (n) => `select a${'[1]'.repeat(n)}`,
  joins: (n) => `select 1 from a${' cross join a'.repeat(n)}`,
  types: (n) => `select a::${'Array('.repeat(n)}Int8${')'.repeat(n)}`,
  keys: (n) => `create table t (a Int8) order by ${'('.repeat(n)}`,
  withs: (n) => `with ${'('.repeat(n)}1`,
  exists: (n) => `select ${'exists('.repeat(n)}`,
};
const refusals = ['SYNTAX_ERROR', 'TOO_DEEP_AST', 'TOO_BIG_AST', 'QUERY_IS_TOO_LARGE'];

test.each(Object.keys(hostile))('deep %s are refused, soon, and never by the stack', (name) => {
  for (const n of [199, 1000, 10_000, 40_000]) {
    const start = performance.now();
    try {
      printStatement(parseStatement(hostile[name]?.(n) ?? ''));
      expect(n).toBe(199);
    } catch (error) {
      expect(refusals).toContain((error as { errorName?: string }).errorName);
    }
    expect(performance.now() - start).toBeLessThan(3000);
  }
});

test('long lists are no deep trees', () => {
  const list = Array.from({ length: 20_000 }, (_, i) => i).join(',');
  expect(() => parseStatement(`select a in (${list}) and b${' and c'.repeat(9000)}`)).not.toThrow();
});

test('repeated operands count as often as they are reached', () => {
  const nested = (n: number) => `select a${' between 1 and 2'.repeat(n)}`;
  expect(parseStatement(nested(8)).kind).toBe('select');
  expect(() => parseStatement(nested(40))).toThrowError(
    expect.objectContaining({ errorName: 'TOO_BIG_AST' }),
  );
});

test('the size of the SQL is limited, not that of the data', () => {
  const text = `insert into t values ${'(1),'.repeat(100_000)}`;
  expect(parseStatement(text).kind).toBe('insert');
  expect(() => parseStatement('select 1 + 1', { querySizeMax: 10 })).toThrowError(
    expect.objectContaining({ errorName: 'QUERY_IS_TOO_LARGE' }),
  );
});
