import { expect, test } from 'vitest';
import {
  csvDialect,
  headerLine,
  recordAt,
  tabDialect,
} from '../../../../functions/cli/load/text-dialect.ts';

const comma = csvDialect('a,b\n');

function records(sample: string, dialect = comma, whole = true) {
  const all: (readonly string[])[] = [];
  for (let at = 0; ; ) {
    const record = recordAt(sample, at, { dialect, whole });
    if (record === undefined) return all;
    all.push(record.fields);
    at = record.end;
  }
}

test('records of CSV: quotes, line feeds in them, carriage returns, no end', () => {
  expect(records('a,b\r\n"x, ""y""\nz",2\n3,')).toEqual([
    ['a', 'b'],
    ['x, "y"\nz', '2'],
    ['3', ''],
  ]);
  expect(records('')).toEqual([]);
  expect(records('a')).toEqual([['a']]);
});

test('lines that end with a carriage return alone are seen to be lines', () => {
  expect(records('a,b\r1,2\r3,4')).toEqual([
    ['a', 'b'],
    ['1', '2'],
    ['3', '4'],
  ]);
});

test('a record that the sample cuts is none', () => {
  expect(records('a,b\n"open', comma, false)).toEqual([['a', 'b']]);
  expect(records('a,b\nc,d', comma, false)).toEqual([['a', 'b']]);
});

test('records of TSV', () => {
  expect(records('a\tb "c\n1\\t2\t\\N\n', tabDialect)).toEqual([
    ['a', 'b "c'],
    ['1\t2', '\\N'],
  ]);
});

test.each([
  ['a,b;c,d\n', ','],
  ['a;b;c\n1,5;2;3', ';'],
  ['a|b\n', '|'],
  ['"a;b;c",d\n', ','],
  ['alone\n', ','],
])('the delimiter of %j', (sample, delimiter) =>
  expect(csvDialect(sample).delimiter).toBe(delimiter),
);

test('a header is read back as it was written', () => {
  const names = ['a', 'b "c"', 'd, e'];
  expect(records(headerLine(names, comma))).toEqual([names]);
  expect(records(headerLine(['a\tb', 'c\\'], tabDialect), tabDialect)).toEqual([['a\tb', 'c\\']]);
});
