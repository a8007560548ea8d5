import { describe, expect, test } from 'vitest';
import type { Insert } from '../../../engine/sql/ast.ts';
import { parseStatement } from '../../../engine/sql/statement-parser.ts';

function insert(text: string): Insert {
  const statement = parseStatement(text);
  if (statement.kind !== 'insert') throw new Error(statement.kind);
  return statement;
}

const dataOf = (text: string) => text.slice(insert(text).source.dataAt);

describe('where the data begins', () => {
  test.each([
    ['INSERT INTO t VALUES (1), (2)', '(1), (2)'],
    ['INSERT INTO t VALUES', ''],
    ['INSERT INTO t VALUES\n\n (1); anything', '(1); anything'],
    ['INSERT INTO t FORMAT CSV\n1,2\n', '1,2\n'],
    ['INSERT INTO t FORMAT CSV\r\n1,2', '1,2'],
    ['INSERT INTO t FORMAT CSV  1,2', '1,2'],
    ['INSERT INTO t FORMAT CSV \n\n1', '\n1'],
    ['INSERT INTO t FORMAT CSV', ''],
    ['INSERT INTO t FORMAT TSV\n\'unclosed ` " ~ /*', '\'unclosed ` " ~ /*'],
    ['INSERT INTO t (a, b) SETTINGS x = 1 FORMAT JSONEachRow {"a":1}', '{"a":1}'],
    ["INSERT INTO t SELECT a FROM input('a String') GROUP BY a FORMAT CSVWithNames\na\n'", "a\n'"],
  ])('%j', (text, data) => {
    expect(dataOf(text)).toBe(data);
  });
});

test('the query, the format and the columns', () => {
  expect(
    insert("INSERT INTO db.t (a, `b c`) SELECT 1, x FROM input('x Int8') FORMAT CSV\n1"),
  ).toMatchObject({
    name: { database: 'db', table: 't' },
    columns: ['a', 'b c'],
    source: { kind: 'query', format: 'CSV', query: { selects: [{ items: [{}, {}] }] } },
  });
});

test('input() in a subquery makes the format that of the data, too', () => {
  const { source } = insert(
    "INSERT INTO t SELECT * FROM (SELECT * FROM input('x Int8')) FORMAT CSV\n1",
  );
  expect(source).toMatchObject({ kind: 'query', format: 'CSV' });
});

test('without input() no data follows a query', () => {
  const text = 'INSERT INTO TABLE t (SELECT 1)';
  expect(insert(text).source).toMatchObject({ kind: 'query', dataAt: text.length });
  expect(() => parseStatement('INSERT INTO t SELECT 1 FORMAT CSV\n1')).toThrowError(
    expect.objectContaining({ code: 62 }),
  );
});

test('a semicolon in the place of data is refused', () => {
  expect(() => parseStatement('INSERT INTO t FORMAT CSV; 1')).toThrowError(
    expect.objectContaining({ code: 62 }),
  );
});

test.each(['INSERT INTO t (* EXCEPT a) VALUES', "INSERT INTO t FROM INFILE 'a' FORMAT CSV"])(
  '48: %s',
  (text) => {
    expect(() => parseStatement(text)).toThrowError(expect.objectContaining({ code: 48 }));
  },
);
