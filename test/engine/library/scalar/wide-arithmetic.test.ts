import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addHalves,
  divideHalves,
  multiplyHalves,
  remainderHalves,
  subtractHalves,
  truncatedQuotient,
} from '../../../../engine/library/scalar/wide-arithmetic.ts';

const edges = [0n, 1n, -1n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 52n, 2n ** 53n + 1n, -(2n ** 63n)];
const wide = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(...edges),
);

function halves(values: readonly bigint[]): Int32Array {
  return new Int32Array(BigInt64Array.from(values).buffer);
}

function bigs(words: Int32Array): bigint[] {
  return [...new BigInt64Array(words.buffer)];
}

const signed = { signed: true };

describe('64-bit arithmetic on halves', () => {
  it('is BigInt arithmetic modulo 2^64', () => {
    fc.assert(
      fc.property(wide, wide, (a, b) => {
        const [x, y] = [halves([a]), halves([b])];
        expect(bigs(addHalves(x, y))).toEqual([BigInt.asIntN(64, a + b)]);
        expect(bigs(subtractHalves(x, y))).toEqual([BigInt.asIntN(64, a - b)]);
        expect(bigs(multiplyHalves(x, y))).toEqual([BigInt.asIntN(64, a * b)]);
        if (b === 0n) return;
        expect(bigs(divideHalves(x, y, signed))).toEqual([BigInt.asIntN(64, a / b)]);
        expect(bigs(remainderHalves(x, y, signed))).toEqual([a % b]);
      }),
      { seed: 3, numRuns: 3000 },
    );
  });

  it('reads both operands unsigned when asked', () => {
    const x = halves([-1n]);
    const y = halves([10n]);
    expect(bigs(remainderHalves(x, y, { signed: false }))).toEqual([5n]);
    expect(bigs(divideHalves(x, y, { signed: false }))).toEqual([1_844_674_407_370_955_161n]);
  });

  it('corrects quotients that rounding carried too far', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -(2 ** 52), max: 2 ** 52 }),
        fc.integer({ min: 1, max: 2 ** 52 }),
        (x, y) => {
          expect(BigInt(truncatedQuotient(x, y))).toBe(BigInt(x) / BigInt(y));
        },
      ),
      { seed: 5, numRuns: 3000 },
    );
  });
});
