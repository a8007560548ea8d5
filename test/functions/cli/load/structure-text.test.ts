import { expect, test } from 'vitest';
import { columnsOfStructure } from '../../../../functions/cli/load/structure-text.ts';

test('names and types, with commas in them', () => {
  expect(columnsOfStructure("day Date, `a b` Map(String, UInt8), e Enum8('x, y' = 1)")).toEqual([
    { name: 'day', type: 'Date' },
    { name: 'a b', type: 'Map(String, UInt8)' },
    { name: 'e', type: "Enum8('x, y' = 1)" },
  ]);
});

test.each(['', 'day', 'day Date,', '1 Date', ', a Int8'])('%j is refused', (text) => {
  expect(() => columnsOfStructure(text)).toThrow(/--structure is like/);
});
