// Unions of runs of codes in all three ways, and in a bitset that grows, against a Set.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodePortable, setToCodes } from '../../storage-format/bitmap.ts';
import {
  type FlatCodes,
  GrowingUnion,
  unionCardinality,
  unionCodes,
  type UnionResult,
} from '../../storage-format/code-bitset.ts';

const codesMax = 2048;

function flatOf(sets: readonly Uint32Array[]): FlatCodes {
  const all = sets.flatMap((set) => [...set]);
  return {
    count: all.length,
    max: all.reduce((max, code) => Math.max(max, code), 0),
    visit: (take) => sets.forEach((set) => take(set, 0, set.length)),
  };
}

function codesOf(union: UnionResult): number[] {
  if ('codes' in union) return [...union.codes];
  return [...setToCodes(decodePortable(union.portable))];
}

function steps(count: number, step: number, from = 0): Uint32Array {
  return Uint32Array.from({ length: count }, (_, i) => from + i * step);
}

const samples: readonly (readonly [string, readonly Uint32Array[]])[] = [
  ['nothing', []],
  ['empty runs', [steps(0, 1), steps(0, 1)]],
  ['code 0', [Uint32Array.of(0)]],
  ['few, far apart', [steps(20, 5_000_000), steps(20, 5_000_001)]],
  ['32 and 33', [steps(32, 1), steps(33, 2)]],
  ['2048', [steps(1024, 2), steps(1024, 2, 1)]],
  ['2049', [steps(1024, 2), steps(1025, 2, 1)]],
  ['4095 in a page', [steps(4095, 3)]],
  ['4096 in a page', [steps(4096, 3)]],
  ['4097 in a page', [steps(4097, 3)]],
  ['65535 and 65536', [steps(65_535, 1), Uint32Array.of(65_536)]],
  ['a whole page and the first of the next', [steps(65_537, 1)]],
  ['every page of two', [steps(30_000, 7), steps(30_000, 7, 65_530)]],
  ['the last that is flat', [steps(5000, 1, 2 ** 27 - 5000)]],
  ['the first that is not', [steps(5000, 1, 2 ** 27 - 4999)]],
  ['the last code', [steps(3000, 1), steps(3000, 1, 2 ** 32 - 3000)]],
];

describe.each(samples)('%s', (_, sets) => {
  const expected = [...new Set(sets.flatMap((set) => [...set]))].sort((a, b) => a - b);

  test('as codes or as a bitmap', () => {
    const union = unionCodes(flatOf(sets), codesMax);
    expect(codesOf(union)).toEqual(expected);
    expect(unionCardinality(flatOf(sets))).toBe(expected.length);
  });

  test('in a bitset that grows', () => {
    const union = new GrowingUnion();
    const fits = (expected.at(-1) ?? 0) < 2 ** 27;
    const put = (codes: Uint32Array) => union.put({ codes, start: 0, end: codes.length });
    expect(sets.every(put)).toBe(fits);
    if (!fits) return;
    expect(union.cardinality()).toBe(expected.length);
    expect(codesOf(union.union(codesMax))).toEqual(expected);
  });
});

test('long runs in any order, whose largest code is anywhere in them', () => {
  const long = fc.array(fc.nat(700_000), { minLength: 500, maxLength: 520 });
  const several = fc.array(fc.tuple(long, fc.integer({ min: 1, max: 70 })), { maxLength: 4 });
  fc.assert(
    fc.property(several, (runs) => {
      const union = new GrowingUnion();
      const all = runs.map(([codes, times]) =>
        Uint32Array.from({ length: codes.length * times }, (_, i) => {
          return codes[i % codes.length]! + (i === codes.length * times - 2 ? 65_536 : 0);
        }),
      );
      for (const codes of all) {
        expect(union.put({ codes, start: 0, end: codes.length })).toBe(true);
      }
      const expected = [...new Set(all.flatMap((codes) => [...codes]))].sort((a, b) => a - b);
      expect(union.cardinality()).toBe(expected.length);
      expect(codesOf(union.union(codesMax))).toEqual(expected);
    }),
    { numRuns: 20 },
  );
});

test('a long run with a code beyond reach is refused', () => {
  const codes = Uint32Array.from({ length: 20_000 }, (_, i) => (i === 19_999 ? 2 ** 32 - 1 : i));
  expect(new GrowingUnion().put({ codes, start: 0, end: codes.length })).toBe(false);
  expect(new GrowingUnion().put({ codes, start: 0, end: codes.length - 1 })).toBe(true);
});

test('only the codes of a run are put in', () => {
  const union = new GrowingUnion();
  const codes = Uint32Array.of(1, 2, 3, 400_000);
  expect(union.put({ codes, start: 1, end: 3 })).toBe(true);
  expect(codesOf(union.union(codesMax))).toEqual([2, 3]);
});
