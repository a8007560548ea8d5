import { describe, expect, test } from 'vitest';
import { parseStatement } from '../../../engine/sql/statement-parser.ts';
import { printStatement } from '../../../engine/sql/statement-printer.ts';

test('a table with everything', () => {
  const text = `CREATE TABLE IF NOT EXISTS db.t (
    label LowCardinality(String) CODEC(ZSTD(1)) COMMENT 'x',
    at DateTime64(3, 'UTC') NOT NULL,
    n Int32 NULL,
    kind Enum8('a' = 1, 'b' = -2),
    users AggregateFunction(groupBitmap, UInt64),
  ) ENGINE = AggregatingMergeTree() PARTITION BY (label, toYYYYMM(at)) ORDER BY (label, at)
  PRIMARY KEY label SETTINGS index_granularity = 128, muster_dictionary = 'people' COMMENT 'é'`;
  expect(parseStatement(text)).toMatchObject({
    kind: 'create-table',
    ifNotExists: true,
    name: { database: 'db', table: 't' },
    columns: [
      { name: 'label', type: { kind: 'LowCardinality' } },
      { name: 'at', type: { kind: 'DateTime64', precision: 3, timeZone: 'UTC' } },
      { name: 'n', type: { kind: 'Nullable', inner: { kind: 'Int32' } } },
      { name: 'kind', type: { kind: 'Enum8' } },
      { name: 'users', type: { kind: 'Bitmap', id: { kind: 'UInt64' } } },
    ],
    engine: { name: 'AggregatingMergeTree', arguments: [] },
    partitionBy: { kind: 'tuple' },
    orderBy: [{ parts: ['label'] }, { parts: ['at'] }],
    primaryKey: [{ parts: ['label'] }],
    settings: [{ name: 'index_granularity' }, { name: 'muster_dictionary' }],
    comment: 'é',
  });
});

describe('sorting keys', () => {
  test.each([
    ['a', 'a'],
    ['(a)', 'a'],
    ['(a, b)', '(a, b)'],
    ['tuple()', 'tuple()'],
    ['()', 'tuple()'],
    ['tuple(a, b)', '(a, b)'],
    ['(a + 1) % 2', '(a + 1) % 2'],
    ['(a, b).1', '(a, b).1'],
  ])('ORDER BY %s', (key, expected) => {
    const text = `CREATE TABLE t (a Int8) ENGINE = MergeTree ORDER BY ${key}`;
    expect(printStatement(parseStatement(text))).toBe(
      `CREATE TABLE t (\`a\` Int8) ENGINE = MergeTree ORDER BY ${expected}`,
    );
  });
});

test('columns may be called like keywords, and clauses may come in any order', () => {
  const text = 'create table t (key Int8, date Date, order Int8) order by key engine MergeTree';
  expect(parseStatement(text)).toMatchObject({
    columns: [{ name: 'key' }, { name: 'date' }, { name: 'order' }],
    engine: { name: 'MergeTree' },
  });
});

test.each([
  ['a Int8 DEFAULT 1', 'DEFAULT'],
  ['a DEFAULT 1', 'DEFAULT'],
  ['a Int8 MATERIALIZED 1', 'MATERIALIZED'],
  ['a Int8 ALIAS 1', 'ALIAS'],
  ['a Int8 TTL b', 'TTL'],
  ['a Int8 PRIMARY KEY', 'PRIMARY KEY'],
  ['a Int8, INDEX i a TYPE minmax', 'INDEX'],
  ['a Int8, CONSTRAINT c CHECK a > 1', 'CONSTRAINT'],
  ['a Int8, PROJECTION p (SELECT a)', 'PROJECTION'],
])('a column clause that changes rows is error 48: %s', (columns, named) => {
  expect(() => parseStatement(`CREATE TABLE t (${columns}) ENGINE = MergeTree`)).toThrowError(
    expect.objectContaining({ code: 48, message: expect.stringContaining(named) as string }),
  );
});

test.each([
  ['CREATE OR REPLACE TABLE t (a Int8) ENGINE = Memory', 'OR REPLACE'],
  ['CREATE TEMPORARY TABLE t (a Int8)', 'TEMPORARY'],
  ['CREATE TABLE t ON CLUSTER c (a Int8)', 'ON CLUSTER'],
  ['CREATE TABLE t ENGINE = Memory AS SELECT 1', 'AS'],
  ['CREATE TABLE t (a Int8) ENGINE = MergeTree ORDER BY (a DESC, b)', 'DESC'],
  ['CREATE TABLE t (a Int8) ENGINE = MergeTree ORDER BY a DESC', 'DESC'],
  ['CREATE TABLE t (a Int8) ENGINE = MergeTree ORDER BY a TTL b', 'TTL'],
  ['CREATE TABLE t (a Int8) ENGINE = MergeTree SAMPLE BY a', 'SAMPLE'],
  ['CREATE DATABASE d ENGINE = Lazy(1)', 'Lazy'],
  ['DROP TABLE t, u', 'Several tables'],
  ['DROP TABLE IF EMPTY t', 'IF EMPTY'],
])('48: %s', (text, named) => {
  expect(() => parseStatement(text)).toThrowError(
    expect.objectContaining({ code: 48, message: expect.stringContaining(named) as string }),
  );
});

test('an unknown type is error 50 and is named', () => {
  expect(() => parseStatement('CREATE TABLE t (a Nested(b Int8)) ENGINE = Memory')).toThrowError(
    expect.objectContaining({ code: 50 }),
  );
});

test.each([
  ['create database if not exists d engine = Atomic', 'CREATE DATABASE IF NOT EXISTS d'],
  ['drop database if exists d sync', 'DROP DATABASE IF EXISTS d'],
  ['drop table if exists db.t no delay', 'DROP TABLE IF EXISTS db.t'],
  ['truncate if exists db.t', 'TRUNCATE TABLE IF EXISTS db.t'],
])('%s', (text, expected) => {
  expect(printStatement(parseStatement(text))).toBe(expected);
});
