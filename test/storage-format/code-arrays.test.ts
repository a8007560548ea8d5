// What two sorted arrays share, counted: against Sets, on both sides of 2^31.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arrayAnd, arrayAndCardinality } from '../../storage-format/code-arrays.ts';

const code = fc.oneof(
  fc.nat(60),
  fc.integer({ min: 2 ** 31 - 20, max: 2 ** 31 + 20 }),
  fc.constantFrom(0, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1),
);
const codes = fc.uniqueArray(code, { maxLength: 50 }).map((all) => Uint32Array.from(all).sort());

test('members of both', () => {
  fc.assert(
    fc.property(codes, codes, (a, b) => {
      const known = new Set(b);
      const both = [...a].filter((one) => known.has(one));
      expect(arrayAndCardinality(a, b)).toBe(both.length);
      expect([...arrayAnd(a, b)]).toEqual(both);
      const low = (all: Uint32Array) => all.filter((one) => one < 2 ** 31);
      expect(arrayAndCardinality(low(a), low(b))).toBe(low(Uint32Array.from(both)).length);
    }),
  );
});
