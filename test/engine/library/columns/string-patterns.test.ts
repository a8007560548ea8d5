// Patterns order strings as a comparator does, whatever bytes they hold and however long they are.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringPatterns } from '../../../../engine/library/columns/string-patterns.ts';

function comparePatterns(patterns: readonly Uint32Array[], a: number, b: number): number {
  for (const words of patterns.toReversed()) {
    if (words[a] !== words[b]) return (words[a] ?? 0) < (words[b] ?? 0) ? -1 : 1;
  }
  return 0;
}

const text = (maxLength: number) =>
  fc
    .array(fc.constantFrom(0, 1, 0x61, 0x7f, 0x80, 0xff), { maxLength })
    .map((bytes) => Buffer.from(bytes).toString('latin1'));

it.each([3, 8, 16, 40])('orders texts of up to %d bytes as they are', (maxLength) => {
  fc.assert(
    fc.property(fc.array(text(maxLength), { minLength: 1, maxLength: 30 }), (values) => {
      const patterns = stringPatterns(values, values.length);
      for (const [a, left] of values.entries()) {
        for (const [b, right] of values.entries()) {
          const wanted = left < right ? -1 : left > right ? 1 : 0;
          expect(comparePatterns(patterns, a, b)).toBe(wanted);
        }
      }
    }),
    { numRuns: 60 },
  );
});
