import { expect, test } from 'vitest';
import { parseStatement } from '../../../engine/sql/statement-parser.ts';
import { printStatement } from '../../../engine/sql/statement-printer.ts';

test.each([
  "ALTER TABLE db.t DROP PARTITION '2026-01-01'",
  'ALTER TABLE t DROP PARTITION (202601, 7)',
  'ALTER TABLE t DROP PARTITION ALL',
])('%s', (text) => {
  const statement = parseStatement(text);
  expect(statement.kind).toBe('drop-partition');
  expect(printStatement(statement)).toBe(text);
});

test.each([
  "ALTER TABLE t DROP PARTITION ID '202601'",
  'ALTER TABLE t DROP PARTITION 1, DROP PARTITION 2',
  'ALTER TABLE t ON CLUSTER c DROP PARTITION 1',
])('48: %s', (text) => {
  expect(() => parseStatement(text)).toThrowError(expect.objectContaining({ code: 48 }));
});
