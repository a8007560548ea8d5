// The hash of ids against its naive twin in BigInt arithmetic, and its fixed vectors.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupOfHash, type HashHalves, hashBytes, hashInteger } from '../../kernels/hash64.ts';

const mask32 = 0xffff_ffffn;
const multiply = (a: bigint, b: bigint) => (a * b) & mask32;

/** SPEC.md's pseudocode, word for word, with unbounded integers. */
function naiveMix(low: bigint, high: bigint): [bigint, bigint] {
  let a = low;
  let b = high;
  a = multiply(a ^ (a >> 16n), 0x85ebca6bn);
  b = multiply(b ^ (b >> 15n), 0xc2b2ae35n) ^ a;
  a = multiply(a ^ (a >> 13n) ^ (b >> 7n), 0x27d4eb2fn) ^ ((b << 11n) & mask32);
  b = multiply(b ^ (b >> 16n) ^ (a >> 5n), 0x165667b1n);
  a = multiply(a ^ b ^ (b >> 14n), 0x9e3779b1n);
  b = ((b ^ (a >> 15n)) + multiply(a, 0x85ebca77n)) & mask32;
  return [a ^ (b >> 16n), b ^ (b >> 13n)];
}

function naiveInteger(key: bigint): bigint {
  const [low, high] = naiveMix(
    (key & mask32) ^ 0x9e3779b9n,
    (key >> 32n) ^ (~0x9e3779b9n & mask32),
  );
  return (high << 32n) | low;
}

function naiveBytes(bytes: Uint8Array): bigint {
  let low = 0x7f4a7c15n;
  let high = ~0x7f4a7c15n & mask32;
  for (let at = 0; at < bytes.length; at += 8) {
    let block = 0n;
    for (let i = 7; i >= 0; i--) block = (block << 8n) | BigInt(bytes[at + i] ?? 0);
    [low, high] = naiveMix(low ^ (block & mask32), high ^ (block >> 32n));
  }
  [low, high] = naiveMix(low ^ BigInt(bytes.length), high);
  return (high << 32n) | low;
}

function fast(run: (out: HashHalves) => void): bigint {
  const out = { low: 0, high: 0 };
  run(out);
  return (BigInt(out.high) << 32n) | BigInt(out.low);
}

const hashOf = (key: bigint) =>
  fast((out) => hashInteger(Number(key & mask32), Number(key >> 32n), out));
const pattern = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

describe('hash64', () => {
  it('equals the naive twin for integers', () => {
    fc.assert(
      fc.property(pattern, (key) => {
        expect(hashOf(key)).toBe(naiveInteger(key));
      }),
    );
  });

  it('equals the naive twin for byte strings', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect(fast((out) => hashBytes(bytes, out))).toBe(naiveBytes(bytes));
      }),
    );
  });

  it('gives the vectors that SPEC.md prints', () => {
    const integers = [0n, 1n, 2n, 2n ** 32n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n];
    expect(integers.map((key) => hashOf(key).toString(16).padStart(16, '0'))).toEqual([
      '9490b790b5a32a75',
      '5a6de95462cf78d2',
      'a572d608887f2908',
      '8e7b95a5181503d0',
      '8bdd528c65b45f85',
      'deddde0cd48ef031',
      '4768c05ac52e6a65',
    ]);
    const strings = ['', 'a', 'N14228', '12345678', '123456789'];
    const hashes = strings.map((s) => fast((out) => hashBytes(Buffer.from(s), out)));
    expect(hashes.map((h) => h.toString(16).padStart(16, '0'))).toEqual([
      '2381d64c39719906',
      '36f42ce3fa8398e3',
      '91a593c6fedbf86c',
      '20812fa13084431c',
      '422c98f8e25bf7cb',
    ]);
  });

  it('places hashes in groups as floor(hash x groups / 2^64)', () => {
    fc.assert(
      fc.property(pattern, fc.integer({ min: 1, max: 2 ** 20 }), (hash, groups) => {
        const group = groupOfHash(Number(hash >> 32n), Number(hash & mask32), groups);
        expect(BigInt(group)).toBe((hash * BigInt(groups)) >> 64n);
      }),
    );
  });

  it('spreads dense keys evenly over groups', () => {
    const counts = new Array<number>(16).fill(0);
    const out = { low: 0, high: 0 };
    for (let key = 0; key < 160_000; key++) {
      hashInteger(key, 0, out);
      counts[groupOfHash(out.high, out.low, 16)]!++;
    }
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });
});
