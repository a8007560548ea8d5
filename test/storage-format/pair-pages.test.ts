// All pairs of some sets at once, against Sets: full, empty, short and long pages, first and last codes.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodePortable, encodePortable, setFromSorted } from '../../storage-format/bitmap.ts';
import { PairPages } from '../../storage-format/pair-pages.ts';
import type { CodeSet } from '../../storage-format/set-column.ts';
import { naivePairs } from '../kernels/naive-kernels.ts';

function counted(sets: readonly CodeSet[], pairs: readonly (readonly [number, number])[]) {
  const pages = PairPages.of(sets, Uint32Array.from(pairs.flat()));
  for (const page of pages?.pages ?? []) {
    for (const portion of pages!.portions()) {
      pages!.open(page);
      pages!.count(portion);
    }
  }
  return pages && [...pages.counts];
}

function every(step: number, from: number, end: number): Uint32Array {
  return Uint32Array.from({ length: Math.ceil((end - from) / step) }, (_, i) => from + i * step);
}

/** As they are stored: large ones as views of their bytes, runs where these are shorter. */
function stored(codes: Uint32Array): CodeSet {
  const set = setFromSorted(codes);
  return set instanceof Uint32Array ? set : decodePortable(encodePortable(set));
}

const lists = (base: number): Uint32Array[] => [
  every(2, base, base + 200_000),
  every(1, base + 65_530, base + 131_080),
  every(16, base + 70_000, base + 196_608),
  every(129, base, base + 196_608),
  every(9000, base + 7, base + 190_000),
  Uint32Array.of(base + 131_071),
  new Uint32Array(0),
  every(33, base + 131_072, base + 190_001),
];

test.each([0, 5 * 65536, 2 ** 31 - 65536, 2 ** 32 - 200_000])(
  'every pair of sets of all kinds, from code %i on',
  (base) => {
    const codes = lists(base);
    const pairs = codes.flatMap((_, a) => codes.map((__, b) => [a, b] as const));
    const expected = naivePairs(
      codes.map((list) => new Set(list)),
      pairs,
    );
    expect(counted(codes.map(stored), pairs)).toEqual(expected);
  },
);

test('any sets of one narrow range, in any pairs', () => {
  const range = fc.nat(3 * 65536);
  fc.assert(
    fc.property(
      range,
      fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.nat(300), fc.nat(3000)), {
        minLength: 2,
        maxLength: 6,
      }),
      fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 40, maxLength: 60 }),
      (base, shapes, raw) => {
        const codes = shapes.map(([step, from, width]) =>
          every(step, base + from, base + from + width + 100 * step),
        );
        const pairs = raw.map(([a, b]) => [a % codes.length, b % codes.length] as const);
        const expected = naivePairs(
          codes.map((list) => new Set(list)),
          pairs,
        );
        const found = counted(codes.map(stored), pairs);
        expect(found ?? expected).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
});

test('more pairs than one call takes', () => {
  const codes = Array.from({ length: 90 }, (_, i) => every(i + 1, i, 3000));
  const pairs = codes.flatMap((_, a) => codes.map((__, b) => [a, b] as const));
  expect(counted(codes, pairs)).toEqual(
    naivePairs(
      codes.map((list) => new Set(list)),
      pairs,
    ),
  );
});

test('not for a few pairs, nor for sets that are spread thinly, nor for too many wide ones', () => {
  const wide = every(5, 0, 400_000);
  const both = [stored(wide), stored(wide)];
  expect(counted(both, [[0, 1]])).toBeUndefined();
  expect(
    counted(
      both,
      Array.from({ length: 4 }, () => [0, 1] as const),
    ),
  ).toHaveLength(4);
  const thin = every(900_000, 0, 2 ** 32);
  expect(
    counted(
      [thin, thin],
      Array.from({ length: 9 }, () => [0, 1] as const),
    ),
  ).toBeUndefined();
  const many = Array.from({ length: 2100 }, () => stored(wide));
  const pairs = Array.from({ length: 4300 }, () => [0, 1] as const);
  expect(counted(many, pairs)).toBeUndefined();
});
