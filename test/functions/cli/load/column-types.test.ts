import { expect, test } from 'vitest';
import { looksLike, suggestedType } from '../../../../functions/cli/load/column-types.ts';

test.each([
  ['1', 'UInt64', true],
  ['x', 'UInt64', false],
  ['-1.5e3', 'Nullable(Float64)', true],
  ['uid', 'LowCardinality(Nullable(Int8))', false],
  ['\\N', 'UInt8', true],
  ['', 'Date', true],
  ['2026-01-01', 'Date', true],
  ['day', 'Date', false],
  ['2026-01-01 10:00:00', "DateTime('UTC')", true],
  ['time', 'DateTime64(3)', false],
  ['anything', 'LowCardinality(String)', true],
  ['[1]', 'Array(UInt8)', true],
  ['a', 'Array(UInt8)', false],
  ['true', 'Bool', true],
])('%s like %s: %s', (field, type, expected) => expect(looksLike(field, type)).toBe(expected));

test.each([
  [['1', '18446744073709551615'], 'UInt64'],
  [['1', '-2'], 'Int64'],
  [['-1', '18446744073709551615'], 'String'],
  [['18446744073709551616'], 'String'],
  [['007', '1'], 'String'],
  [['0', '10'], 'UInt64'],
  [['1', ''], 'Nullable(UInt64)'],
  [['1.5', '2'], 'Float64'],
  [['2026-01-01'], 'Date'],
  [['2026-01-01 00:00:00'], 'DateTime'],
  [['2026-01-01', 'x'], 'String'],
  [['', '\\N'], 'String'],
  [[], 'String'],
])('%j suggests %s', (fields, type) => expect(suggestedType(fields)).toBe(type));
