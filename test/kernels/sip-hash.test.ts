// The kernel beside its twin over 32-bit halves, which ClickHouse's own answers check.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sipHashPattern } from '../../engine/library/scalar/sip-hash.ts';
import { sipHashPatterns } from '../../kernels/sip-hash.ts';

function naive(halves: Int32Array): Int32Array {
  const out = new Int32Array(halves.length);
  const hash = { low: 0, high: 0 };
  for (let i = 0; i < halves.length; i += 2) {
    sipHashPattern(halves[i]!, halves[i + 1]!, 8, hash);
    out[i] = hash.low;
    out[i + 1] = hash.high;
  }
  return out;
}

test('any values', () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { maxLength: 50 }), (words) => {
      const halves = Int32Array.from([...words, ...words]);
      expect(sipHashPatterns(halves)).toEqual(naive(halves));
    }),
  );
});

test('more than one pass', () => {
  const halves = Int32Array.from({ length: 2 * 70_000 }, (_, i) => Math.imul(i, 0x9e3779b1));
  expect(sipHashPatterns(halves)).toEqual(naive(halves));
});
