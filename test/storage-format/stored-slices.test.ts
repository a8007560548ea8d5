// Rows of a column as they are read piece by piece: what is known, what is missing, where a row lies.

import { expect, test } from 'vitest';
import { decodePortable, encodePortable, setToCodes } from '../../storage-format/bitmap.ts';
import { newCursor, setUnder } from '../../storage-format/set-vector.ts';
import { StoredSlices } from '../../storage-format/stored-slices.ts';

const manyCodes = Uint32Array.from({ length: 5000 }, (_, i) => 3 * i);
const many = decodePortable(encodePortable(manyCodes));

function rowOf(slices: StoredSlices, row: number): number[] {
  const cursor = newCursor();
  // A cursor comes from any other row.
  cursor.large = many;
  slices.locate(row, cursor);
  return [...setToCodes(setUnder(cursor))];
}

test('runs arrive in any order; rows between them are empty', () => {
  const slices = new StoredSlices(10);
  const all = Int32Array.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
  expect([...slices.missing(all)]).toEqual([...all]);
  slices.addCounts(0, Uint32Array.of(1, 0, 2, 1, 5000, 0, 0, 0, 1, 0));
  expect([...slices.missing(all)]).toEqual([0, 2, 3, 4, 8]);
  slices.addRun(8, Uint32Array.of(1, 0), Uint32Array.of(99));
  slices.addRun(2, Uint32Array.of(2, 1, 5000), Uint32Array.of(4, 5, 6));
  expect([...slices.missing(all)]).toEqual([0, 4]);
  slices.addLarge(4, many, 100);
  slices.addRun(0, Uint32Array.of(1, 0), Uint32Array.of(7));
  slices.addRun(0, Uint32Array.of(1, 0), Uint32Array.of(7));
  expect([...slices.missing(Int32Array.of(-1, 0, 4))]).toEqual([]);
  const expected = [[7], [], [4, 5], [6], [...manyCodes], [], [], [], [99], []];
  for (const order of [all, all.toReversed()]) {
    expect([...order].map((row) => rowOf(slices, row))).toEqual([...order].map((r) => expected[r]));
  }
});

test('a run whose counts promise other codes is refused', () => {
  const slices = new StoredSlices(2);
  expect(() => slices.addRun(0, Uint32Array.of(1, 2), Uint32Array.of(1))).toThrow('3 codes');
});

test('members of any rows that follow each other, in few pieces', () => {
  const slices = new StoredSlices(12);
  const counts = Uint32Array.of(1, 0, 2, 1, 5000, 3, 0, 0, 1, 0, 2, 0);
  slices.addRun(0, counts.subarray(0, 4), Uint32Array.of(7, 4, 5, 1));
  slices.addRun(4, counts.subarray(4, 8), Uint32Array.of(2, 3, 9));
  slices.addRun(8, counts.subarray(8), Uint32Array.of(8, 1, 6));
  slices.addLarge(4, many, 100);
  for (let start = 0; start <= 12; start++) {
    for (let end = start; end <= 12; end++) {
      const rows = Array.from({ length: end - start }, (_, i) => rowOf(slices, start + i));
      const found: number[] = [];
      let pieces = 0;
      slices.spans(start, end, {
        flat: (codes, from, to) => {
          pieces++;
          for (const code of codes.subarray(from, to)) found.push(code);
        },
        large: (set) => found.push(...setToCodes(set)),
      });
      const ascending = (a: number, b: number) => a - b;
      expect(found.sort(ascending)).toEqual(rows.flat().sort(ascending));
      expect(pieces).toBeLessThanOrEqual(3);
    }
  }
});
