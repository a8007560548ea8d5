import { expect, test } from 'vitest';
import { parseStatement } from '../../../engine/sql/statement-parser.ts';
import { printStatement } from '../../../engine/sql/statement-printer.ts';

test.each([
  ['show databases', 'SHOW DATABASES'],
  ["show databases like 'a%' format JSON", "SHOW DATABASES LIKE 'a%' FORMAT JSON"],
  ['show tables in db', 'SHOW TABLES FROM db'],
  ['show create db.t', 'SHOW CREATE TABLE db.t'],
  ['show create database d', 'SHOW CREATE DATABASE d'],
  ['desc t', 'DESCRIBE TABLE t'],
  ['describe table (select 1) format TSKV', 'DESCRIBE TABLE (SELECT 1) FORMAT TSKV'],
  ['desc numbers(3)', 'DESCRIBE TABLE numbers(3)'],
  ['describe select 1', 'DESCRIBE TABLE (SELECT 1)'],
  ['exists db.t', 'EXISTS TABLE db.t'],
  ['exists database d', 'EXISTS DATABASE d'],
  ['exists db.`t t`', 'EXISTS TABLE db.`t t`'],
])('%s', (text, expected) => {
  expect(printStatement(parseStatement(text))).toBe(expected);
});

test.each(["show tables ilike 'a'", 'show tables limit 1', 'describe t settings a = 1'])(
  '48: %s',
  (text) => {
    expect(() => parseStatement(text)).toThrowError(expect.objectContaining({ code: 48 }));
  },
);
