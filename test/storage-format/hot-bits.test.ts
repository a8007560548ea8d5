// Intersections of sets that are asked for again and again, against Sets.

import { expect, test } from 'vitest';
import { andCardinality, decodePortable, encodePortable } from '../../storage-format/bitmap.ts';
import { hotBits } from '../../storage-format/hot-bits.ts';

function every(step: number, from: number, end: number): Uint32Array {
  return Uint32Array.from({ length: Math.ceil((end - from) / step) }, (_, i) => from + i * step);
}

const members: readonly (readonly [string, Uint32Array])[] = [
  ['1 %', every(100, 0, 1_000_000)],
  ['3 %', every(33, 70_000, 900_000)],
  ['6 %', every(16, 500_000, 1_200_000)],
  ['4097 a page', every(15, 0, 400_000)],
  ['half', every(2, 0, 1_000_000)],
  ['a run', every(1, 131_000, 270_000)],
  ['elsewhere', every(30, 3_000_000, 3_500_000)],
  ['nobody, as an operator leaves it', every(1, 0, 0)],
  ['the last codes', every(40, 2 ** 32 - 500_000, 2 ** 32)],
];

test('the same counts, the first time and later', () => {
  const bitmaps = members.map(([, codes]) => decodePortable(encodePortable(codes)));
  const sets = members.map(([, codes]) => new Set(codes));
  const expected = members.map(([, codes]) =>
    sets.map((set) => codes.reduce((count, code) => count + (set.has(code) ? 1 : 0), 0)),
  );
  for (let round = 0; round < 3; round++) {
    const found = bitmaps.map((a) => bitmaps.map((b) => andCardinality(a, b)));
    expect(found).toEqual(expected);
  }
});

test('bits are used once a set is hot, and only where roaring is slow', () => {
  const [slow, other, half, run] = [1, 0, 4, 5].map((i) =>
    decodePortable(encodePortable(members[i]![1])),
  );
  const counts = Array.from({ length: 5 }, () => hotBits().andCardinality(slow!, other!));
  expect(counts.map((count) => count !== undefined)).toEqual([false, false, false, true, true]);
  for (let i = 0; i < 9; i++) expect(hotBits().andCardinality(half!, run!)).toBeUndefined();
});
