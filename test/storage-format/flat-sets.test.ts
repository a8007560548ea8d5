// Sets made row after row in one array, against JavaScript's Sets: rows of no code, of few, around the
// lengths where another way to sort begins, and of so many that they are bitmaps.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { setFromUnsorted, setToCodes } from '../../storage-format/bitmap.ts';
import { FlatSets, FlatSetsBuilder } from '../../storage-format/flat-sets.ts';
import { newCursor, setsOf } from '../../storage-format/set-vector.ts';

const lengths = fc.constantFrom(0, 1, 2, 23, 24, 25, 26, 63, 64, 65, 2047, 2048, 2049, 3000);
const codes = lengths.chain((length) =>
  fc.array(fc.oneof(fc.nat(5000), fc.constantFrom(0, 2 ** 32 - 1)), {
    minLength: length,
    maxLength: length,
  }),
);

const ascending = (row: readonly number[]) => [...new Set(row)].toSorted((a, b) => a - b);

describe('FlatSetsBuilder', () => {
  it('gives each row the distinct codes that were pushed, ascending', () => {
    fc.assert(
      fc.property(fc.array(codes, { maxLength: 9 }), fc.nat(9), (rows, expected) => {
        const builder = new FlatSetsBuilder(expected);
        for (const row of rows) {
          for (const code of row) builder.push(code);
          builder.closeRow();
        }
        const sets = builder.finish();
        expect(sets).toHaveLength(rows.length);
        expect(setsOf(sets).map((set) => [...setToCodes(set)])).toEqual(rows.map(ascending));
      }),
      { numRuns: 60 },
    );
  });

  it('takes rows that are sets already, between others', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(codes, fc.boolean()), { maxLength: 9 }), (rows) => {
        const builder = new FlatSetsBuilder(0);
        for (const [row, isSet] of rows) {
          if (isSet) builder.add(setFromUnsorted(Uint32Array.from(row)));
          else {
            for (const code of row) builder.push(code);
            builder.closeRow();
          }
        }
        const found = setsOf(builder.finish()).map((set) => [...setToCodes(set)]);
        expect(found).toEqual(rows.map(([row]) => ascending(row)));
      }),
      { numRuns: 60 },
    );
  });

  it('keeps small rows in one array and makes bitmaps of large ones alone', () => {
    const builder = new FlatSetsBuilder(3);
    for (let code = 4000; code > 0; code--) builder.push(code);
    builder.closeRow();
    for (const code of [7, 5, 7]) builder.push(code);
    builder.closeRow();
    builder.closeRow();
    const sets = builder.finish();
    const cursor = newCursor();
    sets.locate(0, cursor);
    expect(cursor.large?.size).toBe(4000);
    sets.locate(1, cursor);
    expect(cursor).toMatchObject({ start: 0, end: 2, large: undefined });
    sets.locate(2, cursor);
    expect(cursor).toMatchObject({ start: 0, end: 0, large: undefined });
  });
});

it('FlatSets finds no set where a row is empty and others are large', () => {
  const large = setFromUnsorted(Uint32Array.from({ length: 3000 }, (_, i) => i));
  if (large instanceof Uint32Array) throw new Error('a set of 3,000 is large');
  const sets = new FlatSets(Uint32Array.of(0, 0, 1, 1), Uint32Array.of(9), new Map([[2, large]]));
  expect(setsOf(sets).map((set) => setToCodes(set).length)).toEqual([0, 1, 3000]);
});
