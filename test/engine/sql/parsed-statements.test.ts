import { expect, test } from 'vitest';
import { ParsedStatements } from '../../../engine/sql/parsed-statements.ts';
import { parseStatement } from '../../../engine/sql/statement-parser.ts';

const none = { hasParameters: false };

test('a query that is asked again is the same frozen tree', () => {
  const parsed = new ParsedStatements();
  const text = "SELECT a, [1, 2] FROM t WHERE b = 'x' ORDER BY a LIMIT 3 FORMAT JSON";
  const first = parsed.parse(text, none);
  expect(first).toEqual(parseStatement(text));
  expect(parsed.parse(text, none)).toBe(first);
  expect(parsed.parse(`${text} `, none)).not.toBe(first);
  if (first.kind !== 'select') throw new Error('a query');
  expect(Object.isFrozen(first.query)).toBe(true);
  expect(() => Object.assign(first.query, { more: 1 })).toThrow(TypeError);
});

test('what parameters decide is parsed each time', () => {
  const parsed = new ParsedStatements();
  const text = 'SELECT a FROM {t:Identifier}';
  const of = (name: string) => parsed.parse(text, { hasParameters: true, identifier: () => name });
  expect(of('one')).toEqual(parseStatement('SELECT a FROM one'));
  expect(of('two')).toEqual(parseStatement('SELECT a FROM two'));
  expect(() =>
    parsed.parse(text, {
      hasParameters: false,
      identifier: () => {
        throw new Error('not set');
      },
    }),
  ).toThrow('not set');
});

test('other statements, long ones and errors are parsed each time', () => {
  const parsed = new ParsedStatements();
  const use = 'USE db';
  expect(parsed.parse(use, none)).not.toBe(parsed.parse(use, none));
  const long = `SELECT ${'1 + '.repeat(5000)}1`;
  expect(() => parsed.parse('SELECT (', none)).toThrow('Syntax error');
  expect(() => parsed.parse('SELECT (', none)).toThrow('Syntax error');
  expect(() => parsed.parse(long, none)).toThrow();
});
