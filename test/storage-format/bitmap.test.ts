// Every operation on sets against JavaScript's Set, in all mixes of flat and roaring operands.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  andCardinality,
  decodePortable,
  encodePortable,
  intersects,
  portableBytesMax,
  rangeCardinality,
  restrict,
  setAnd,
  setAndNot,
  setCardinality,
  setContains,
  setEquals,
  setFromSorted,
  setFromUnsorted,
  setMax,
  setMin,
  setOr,
  setToCodes,
  setXor,
  unionSets,
  viewPortable,
} from '../../storage-format/bitmap.ts';
import type { CodeSet } from '../../storage-format/set-column.ts';
import { codeSets, edgeSets, sameCodes } from './code-samples.ts';

const members = (set: CodeSet) => [...setToCodes(set)];

/** A set in each form that it can have. */
function forms(codes: Uint32Array): CodeSet[] {
  return [codes, decodePortable(encodePortable(codes))];
}

/** Random codes where the two operands share many members. */
const pairs = fc.tuple(codeSets, codeSets, codeSets).map(([a, b, shared]) => {
  const mixed = (x: Uint32Array) => Uint32Array.from(new Set([...x, ...shared])).sort();
  return [mixed(a), mixed(b)] as const;
});

const sparse = (seed: number) =>
  Array.from({ length: 100 }, (_, i) => Uint32Array.of(seed + i * 90_001));

describe('set algebra', () => {
  it('equals the naive twin in every mix of forms', () => {
    fc.assert(
      fc.property(pairs, ([codesA, codesB]) => {
        const inB = new Set(codesB);
        const inA = new Set(codesA);
        const and = [...codesA].filter((code) => inB.has(code));
        const andNot = [...codesA].filter((code) => !inB.has(code));
        const or = [...Uint32Array.from(new Set([...codesA, ...codesB])).sort()];
        const xor = or.filter((code) => inA.has(code) !== inB.has(code));
        for (const a of forms(codesA)) {
          for (const b of forms(codesB)) {
            expect(members(setAnd(a, b))).toEqual(and);
            expect(members(setAndNot(a, b))).toEqual(andNot);
            expect(members(setOr(a, b))).toEqual(or);
            expect(members(setXor(a, b))).toEqual(xor);
            expect(andCardinality(a, b)).toBe(and.length);
            expect(intersects(a, b)).toBe(and.length > 0);
            expect(setEquals(a, b)).toBe(xor.length === 0);
            expect(members(unionSets([a, b, a]))).toEqual(or);
            expect(members(a)).toEqual([...codesA]);
          }
        }
      }),
      { numRuns: 15 },
    );
  });

  it('unions many sets of both forms', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(codeSets, fc.boolean()), { maxLength: 80 }), (inputs) => {
        const sets = inputs.map(([codes, large]) => forms(codes)[large ? 1 : 0]!);
        const all = Uint32Array.from(new Set(inputs.flatMap(([codes]) => [...codes]))).sort();
        expect(sameCodes(setToCodes(unionSets(sets)), all)).toBe(true);
      }),
      { numRuns: 15 },
    );
  });

  it('leaves no trace of one union in the next', () => {
    expect(setCardinality(unionSets(sparse(1)))).toBe(100);
    expect(members(unionSets(sparse(2)))[0]).toBe(2);
  });

  it('finds members, ends and ranges', () => {
    for (const codes of edgeSets) {
      for (const set of forms(codes)) {
        expect(setMin(set)).toBe(codes[0]);
        expect(setMax(set)).toBe(codes.at(-1));
        for (const [start, end] of [
          [0, 2 ** 32],
          [65_535, 65_537],
          [6, 4_000],
          [9, 9],
        ] as const) {
          const inside = [...codes].filter((code) => code >= start && code < end);
          expect(members(restrict(set, { start, end }))).toEqual(inside);
          expect(rangeCardinality(set, { start, end })).toBe(inside.length);
        }
        const probe = codes[codes.length >> 1] ?? 12;
        expect(setContains(set, probe)).toBe(codes.length > 0);
      }
    }
  });

  it('makes sets of codes in any order with duplicates', () => {
    fc.assert(
      fc.property(codeSets, fc.integer(), (codes, seed) => {
        const shuffled = Uint32Array.from([...codes, ...codes.subarray(0, 20)]);
        shuffled.sort((a, b) => (Math.imul(a, seed) | 0) - (Math.imul(b, seed) | 0));
        expect(members(setFromUnsorted(shuffled))).toEqual([...codes]);
        expect(members(setFromSorted(codes))).toEqual([...codes]);
      }),
      { numRuns: 30 },
    );
  });
});

describe('portable bytes', () => {
  it('come back, within the promised size, whatever the alignment', () => {
    for (const codes of edgeSets) {
      const bytes = encodePortable(setFromSorted(codes.slice()));
      expect(bytes.length).toBeLessThanOrEqual(portableBytesMax(codes));
      for (const shift of [0, 1, 2, 7]) {
        const moved = new Uint8Array(bytes.length + shift);
        moved.set(bytes, shift);
        const view = viewPortable(moved.subarray(shift), codes.length);
        expect(sameCodes(setToCodes(view), codes)).toBe(true);
      }
    }
  });

  it('are refused when they hold another number of members than promised', () => {
    expect(() => viewPortable(encodePortable(edgeSets[7]!), 32)).toThrow(/33 members where 32/);
  });
});
