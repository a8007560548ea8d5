import { describe, expect, test } from 'vitest';
import { MusterError } from '../../../base/errors.ts';
import { parseExpression, parseStatement } from '../../../engine/sql/statement-parser.ts';
import { invalidStatements } from './invalid-statements.ts';

function errorOf(text: string, parse: (text: string) => unknown = parseStatement): MusterError {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof MusterError) return error;
    throw error;
  }
  throw new Error(`accepted: ${text}`);
}

test.each(invalidStatements)('62: %s', (text) => {
  const error = errorOf(text);
  expect(error.errorName).toBe('SYNTAX_ERROR');
  expect(error.position).toBeDefined();
  expect(error.message).toMatch(/\(line \d+, col \d+\)/);
});

describe('messages', () => {
  test('say where, what stands there, and what could', () => {
    const { message, position } = errorOf('SELECT 1 FRON t WHERE x');
    expect(message).toMatch(
      /^Syntax error: failed at position 15 \(t\) \(line 1, col 15\): t WHERE x\. Expected one/,
    );
    expect(position).toEqual({ offset: 14, line: 1, column: 15 });
  });

  test('count lines', () => {
    const { message, position } = errorOf('SELECT 1\n\n  FROM t)');
    expect(position).toEqual({ offset: 18, line: 3, column: 9 });
    expect(message).toContain('failed at position 19 ()) (line 3, col 9): ).');
  });

  test('name the end of the text', () => {
    expect(errorOf('SELECT').message).toContain('failed at position 7 (end of query)');
  });

  test('show a limited part of the text', () => {
    expect(errorOf(`SELECT 1 2 ${'x'.repeat(10_000)}`).message.length).toBeLessThan(1000);
  });

  test('several statements', () => {
    expect(errorOf('SELECT 1; SELECT 2').message).toContain('Multi-statements are not allowed');
  });
});

test.each(['SELECT 1;', 'SELECT 1 ; -- done', 'SELECT 1;;', '/* a */ SELECT 1 # b'])(
  'accepts: %s',
  (text) => {
    expect(parseStatement(text).kind).toBe('select');
  },
);

test('an expression alone', () => {
  expect(parseExpression('toYYYYMM(d)')).toMatchObject({ name: 'toYYYYMM' });
  expect(errorOf('a b', parseExpression).errorName).toBe('SYNTAX_ERROR');
});

test.each([
  ['system flush logs', 'SYSTEM'],
  ['alter table t delete where 1', 'ALTER TABLE ... DELETE'],
  ['alter user u', 'ALTER'],
  ['create view v as select 1', 'CREATE VIEW'],
  ['drop dictionary d', 'DROP DICTIONARY'],
  ['show processlist', 'SHOW PROCESSLIST'],
  ['exists view v', 'EXISTS VIEW'],
  ['set role x', 'SET ROLE'],
  ['truncate all tables from d', 'TRUNCATE ALL'],
])('%s is named as unsupported', (text, what) => {
  expect(parseStatement(text)).toMatchObject({ kind: 'unsupported', what });
});

test('EXPLAIN takes the format of what it explains', () => {
  expect(parseStatement('explain plan select 1 format JSON')).toMatchObject({
    kind: 'explain',
    format: 'JSON',
    what: 'plan',
    statement: { kind: 'select' },
  });
  expect(errorOf('explain ast select 1').code).toBe(48);
});

test('EXPLAIN takes what is explained, and settings that change nothing here', () => {
  const parsed = parseStatement('explain analyze header = 1, actions = 0 select 1');
  expect(parsed).toMatchObject({
    kind: 'explain',
    what: 'analyze',
    settings: [{ name: 'header' }, { name: 'actions' }],
  });
  expect(parseStatement('explain syntax insert into t select 1')).toMatchObject({
    what: 'syntax',
    statement: { kind: 'insert' },
  });
  expect(errorOf('explain estimate header = 1 select 1')).toMatchObject({ code: 115 });
  expect(errorOf('explain headers = 1 select 1')).toMatchObject({
    code: 115,
    message: expect.stringContaining("['header'"),
  });
  expect(errorOf('explain json = 1 select 1').code).toBe(48);
  expect(parseStatement('explain json = 0 select 1').kind).toBe('explain');
});

test('USE and SET', () => {
  expect(parseStatement('use database d')).toMatchObject({ kind: 'use', database: 'd' });
  expect(parseStatement("set a = 1, b = 'x'")).toMatchObject({
    kind: 'set',
    settings: [
      { name: 'a', value: { kind: 'integer', value: 1n } },
      { name: 'b', value: { kind: 'string', value: 'x' } },
    ],
  });
});
