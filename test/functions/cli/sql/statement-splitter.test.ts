import { expect, test } from 'vitest';
import { splitStatements } from '../../../../functions/cli/sql/statement-splitter.ts';

const texts = (source: string) => splitStatements(source).statements.map(({ text }) => text);
const rest = (source: string) => splitStatements(source).rest?.text;

test('semicolons end statements, but not in strings, names and comments', () => {
  expect(texts('SELECT \';\', `a;b`, "c;d"; SELECT 2 -- ; not here\n;')).toEqual([
    'SELECT \';\', `a;b`, "c;d"',
    'SELECT 2 -- ; not here',
  ]);
  expect(texts('SELECT /* ; /* ; */ ; */ 1;')).toEqual(['SELECT /* ; /* ; */ ; */ 1']);
  expect(texts("SELECT 'it''s; \\'; fine';")).toEqual(["SELECT 'it''s; \\'; fine'"]);
  expect(texts(';; ;')).toEqual([]);
  expect(texts('-- nothing\n;')).toEqual([]);
});

test('what no semicolon ends is the rest', () => {
  expect(rest('SELECT 1')).toBe('SELECT 1');
  expect(rest('SELECT 1;  ')).toBeUndefined();
  expect(rest('SELECT 1; -- done')).toBeUndefined();
  expect(rest("SELECT 1; SELECT 'open; ")).toBe("SELECT 'open;");
  expect(rest('SELECT 1; /* open ;')).toBe('/* open ;');
  expect(rest('')).toBeUndefined();
});

test('\\G asks for one value a line', () => {
  const { statements } = splitStatements("SELECT 1\\G SELECT '\\G';\nSELECT 2\\G");
  expect(statements.map(({ text, vertical }) => [text, vertical])).toEqual([
    ['SELECT 1', true],
    ["SELECT '\\G'", false],
    ['SELECT 2', true],
  ]);
});

test('lines are those of the source', () => {
  const { statements, rest: last } = splitStatements(
    '\n-- one\nSELECT 1;\n\n SELECT\n 2; SELECT 3',
  );
  expect(statements.map(({ line }) => line)).toEqual([2, 5]);
  expect(last?.line).toBe(6);
});

test('data of INSERT ... FORMAT end at a semicolon alone, or at their line', () => {
  const rows = 'INSERT INTO t FORMAT CSV\n1,"a;\n"\n2,b;\n;\nSELECT 1;';
  expect(texts(rows)).toEqual(['INSERT INTO t FORMAT CSV\n1,"a;\n"\n2,b;', 'SELECT 1']);
  expect(texts('INSERT INTO t FORMAT JSONEachRow {"a":";"};\nSELECT 1;')).toEqual([
    'INSERT INTO t FORMAT JSONEachRow {"a":";"}',
    'SELECT 1',
  ]);
  expect(rest('INSERT INTO t FORMAT CSV\n1;2\n')).toBe('INSERT INTO t FORMAT CSV\n1;2');
  const crlf = 'INSERT INTO t FORMAT CSV\r\n1\r\n;\r\nSELECT 1;';
  expect(texts(crlf)).toEqual(['INSERT INTO t FORMAT CSV\r\n1', 'SELECT 1']);
});

test('VALUES, INSERT ... SELECT and columns called format are SQL', () => {
  expect(
    texts("INSERT INTO t VALUES (';'); INSERT INTO t SELECT format FROM u; SELECT 1;"),
  ).toEqual(["INSERT INTO t VALUES (';')", 'INSERT INTO t SELECT format FROM u', 'SELECT 1']);
  expect(texts('INSERT INTO t (format) VALUES (1); SELECT 1 FORMAT CSV; SELECT 2;')).toHaveLength(
    3,
  );
});

test('an INSERT without data wants some', () => {
  const wants = (source: string) => {
    const split = splitStatements(source);
    return [...split.statements, ...(split.rest === undefined ? [] : [split.rest])].map(
      ({ wantsData }) => wantsData,
    );
  };
  expect(wants('INSERT INTO t FORMAT CSV')).toEqual([true]);
  expect(wants('INSERT INTO t FORMAT CSV;')).toEqual([true]);
  expect(wants('INSERT INTO t FORMAT CSV\n \n;')).toEqual([true]);
  expect(wants('INSERT INTO t FORMAT CSV 1;')).toEqual([false]);
  expect(wants("INSERT INTO t SELECT a FROM input('a Int8') FORMAT CSV")).toEqual([true]);
  expect(wants('SELECT 1 FORMAT CSV; INSERT INTO t VALUES (1)')).toEqual([false, false]);
});
