import { expect, test } from 'vitest';
import { complete, type Names } from '../../../../functions/cli/sql/completion.ts';

const names: Names = {
  databases: new Set(['default', 'shop']),
  tables: [
    ['default', 'daily'],
    ['shop', 'clicks'],
  ],
  columns: [
    ['default', 'daily', 'day'],
    ['default', 'daily', 'users'],
    ['shop', 'clicks', 'page'],
  ],
  functions: ['dateDiff', 'groupBitmapState', 'bitmapAnd'],
  settings: ['max_threads', 'max_result_rows'],
};
const offered = (line: string, database = 'default') => complete(line, names, database)[0];

test('names of tables, columns, functions and keywords, in any case', () => {
  expect(offered('SELECT d')).toEqual(
    expect.arrayContaining(['daily', 'dateDiff', 'day', 'default', 'desc']),
  );
  expect(offered('SELECT groupb')).toEqual(['groupBitmap', 'groupBitmapState']);
  expect(offered('sel')).toEqual(['select']);
  expect(offered('SEL')).toEqual(['SELECT']);
  expect(complete('SELECT sum(us', names, 'default')).toEqual([['use', 'users', 'using'], 'us']);
  expect(offered('SELECT ')).toEqual([]);
});

test('behind a dot: columns of a table, tables of a database', () => {
  expect(offered('SELECT daily.')).toEqual(['daily.day', 'daily.users']);
  expect(offered('SELECT * FROM shop.c')).toEqual(['shop.clicks']);
  expect(offered('SELECT shop.clicks.p')).toEqual(['shop.clicks.page']);
  expect(offered('SELECT clicks.', 'shop')).toEqual(['clicks.page']);
});

test('tables of the database in use; settings; commands', () => {
  expect(offered('FROM cl')).toEqual([]);
  expect(offered('FROM cl', 'shop')).toEqual(['clicks']);
  expect(offered('SET max_r')).toEqual(['max_result_rows']);
  expect(offered('.t')).toEqual(['.tables', '.timing']);
});
