import { expect, test } from 'vitest';
import { parseStatement } from '../../../engine/sql/statement-parser.ts';
import { printStatement } from '../../../engine/sql/statement-printer.ts';

test.each([
  'OPTIMIZE TABLE db.t',
  'OPTIMIZE TABLE t FINAL',
  'OPTIMIZE TABLE t PARTITION (202601, 7)',
  "OPTIMIZE TABLE t PARTITION '2026-01-01' FINAL SETTINGS optimize_throw_if_noop = 1",
])('%s', (text) => {
  const statement = parseStatement(text);
  expect(statement.kind).toBe('optimize');
  expect(printStatement(statement)).toBe(text);
});

test.each([
  [48, "OPTIMIZE TABLE t PARTITION ID '202601'"],
  [48, 'OPTIMIZE TABLE t PARTITION ALL FINAL'],
  [48, 'OPTIMIZE TABLE t ON CLUSTER c FINAL'],
  [48, 'OPTIMIZE TABLE t FINAL DEDUPLICATE BY k'],
  [48, 'OPTIMIZE TABLE t CLEANUP'],
  [62, 'OPTIMIZE t'],
  [62, 'OPTIMIZE TABLE IF EXISTS t'],
  [62, 'OPTIMIZE TABLE t FINAL PARTITION 1'],
  [62, 'OPTIMIZE TABLE t FINAL FORCE'],
])('%i: %s', (code, text) => {
  expect(() => parseStatement(text)).toThrowError(expect.objectContaining({ code }));
});
