// Every kernel against its naive twin, at the edges.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashBytes, hashInteger } from '../../kernels/hash64.ts';
import { KernelMemory } from '../../kernels/kernel-memory.ts';
import {
  naiveBits,
  naiveCodes,
  naiveCrc32c,
  naivePairs,
  naiveTree,
  someKeys,
} from './naive-kernels.ts';

const kernels = new KernelMemory();
const { calls } = kernels;

function copyIn(bytes: Uint8Array): number {
  const at = kernels.reserve(bytes.length + 16);
  kernels.u8(at, bytes.length).set(bytes);
  return at;
}

function copyCodes(codes: readonly number[]): number {
  const at = kernels.reserve(4 * codes.length + 16);
  kernels.u32(at, codes.length).set(codes);
  return at;
}

const containerBits = 65536;
const samples: readonly (readonly [string, readonly number[]])[] = [
  ['nothing', []],
  ['the first', [0]],
  ['the last', [containerBits - 1]],
  ['32', Array.from({ length: 32 }, (_, i) => i)],
  ['33', Array.from({ length: 33 }, (_, i) => 31 * i)],
  ['4095', Array.from({ length: 4095 }, (_, i) => 16 * i)],
  ['4097', Array.from({ length: 4097 }, (_, i) => 15 * i + 3)],
  ['all', Array.from({ length: containerBits }, (_, i) => i)],
  ['all but one', Array.from({ length: containerBits - 1 }, (_, i) => i + (i >= 777 ? 1 : 0))],
];

describe.each(samples)('bitsets: %s', (_, members) => {
  const bytes = containerBits / 8;
  const bits = naiveBits(members, 0, bytes);

  test.each([0, 65536, 2 ** 31, 2 ** 32 - 65536])('listed from base %i', (base) => {
    const at = copyIn(bits);
    const codes = members.map((code) => base + code);
    const out = kernels.reserve(4 * codes.length + 16);
    expect(calls.bitsToCodes(at, bytes, base, out)).toBe(codes.length);
    expect([...kernels.u32(out, codes.length)]).toEqual(naiveCodes(bits, base));
  });

  test('counts, and shorts', () => {
    const at = copyIn(bits);
    expect(calls.countBits(at, bytes)).toBe(members.length);
    const out = kernels.reserve(2 * members.length + 16);
    expect(calls.bitsToShorts(at, bytes, out)).toBe(members.length);
    expect([...kernels.u16(out, members.length)]).toEqual(members);
    for (const [, others] of samples) {
      const other = copyIn(naiveBits(others, 0, bytes));
      const known = new Set(members);
      const both = others.filter((code) => known.has(code)).length;
      expect(calls.countAnd(at, other, bytes)).toBe(both);
    }
  });
});

test('codes set as bits: in no order, with repeats, beside what was set', () => {
  const bytes = 2 * containerBits;
  const code = fc.oneof(fc.nat(8 * bytes - 1), fc.constantFrom(0, 31, 32, 8 * bytes - 1));
  const several = fc.array(code, { maxLength: 70 });
  fc.assert(
    fc.property(several, several, (before, codes) => {
      const bits = naiveBits(before, 0, bytes);
      const at = copyIn(bits);
      calls.orCodes(copyCodes(codes), codes.length, at);
      const expected = naiveBits([...before, ...codes], 0, bytes);
      expect(Buffer.compare(kernels.u8(at, bytes), expected)).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test('the largest of some codes, wherever it is', () => {
  const code = fc.oneof(fc.nat(), fc.constantFrom(0, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1));
  fc.assert(
    fc.property(fc.array(code, { minLength: 1, maxLength: 21 }), (codes) => {
      expect(calls.maxCode(copyCodes(codes), codes.length) >>> 0).toBe(Math.max(...codes));
    }),
  );
});

test('trees of operators over bitsets', () => {
  const bytes = 4096;
  const leaves = [7, 151, 31].map((factor) =>
    Uint8Array.from({ length: bytes }, (_, i) => (i * factor) ^ (i >>> 3)),
  );
  const places = leaves.map(copyIn);
  const room = kernels.reserve(8 * 2048);
  const step = fc.tuple(fc.nat(3), fc.nat(), fc.nat());
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (raw) => {
      const steps = raw.map(([how, a, b], k) => [how, a % (3 + k), b % (3 + k)] as const);
      const operand = (of: number) => (of < 3 ? places[of]! : 2 * (of - 3) + 1);
      const program = copyCodes(steps.flatMap(([how, a, b]) => [how, operand(a), operand(b)]));
      const expected = naiveCodes(naiveTree(leaves, steps), 0).length;
      expect(calls.countTree(program, steps.length, bytes, room)).toBe(expected);
    }),
    { numRuns: 60 },
  );
});

test('pairs of sets that are bits, listed or not, or not there', () => {
  const bytes = 4096 + 16;
  const lists = [1, 3, 40, 1000, 5].map((step, k) =>
    Array.from(
      { length: Math.floor((8 * bytes) / step / 2) },
      (_, i) => 128 + ((i * step + k) % (8 * bytes - 128)),
    ),
  );
  const sets = [...lists.map((codes) => new Set(codes)), new Set<number>()];
  const pairs = sets.flatMap((_, a) => sets.map((__, b) => [a, b] as const));
  const bits = sets.map((codes) => copyIn(naiveBits(codes, 0, bytes)));
  for (const listed of [[], [2, 3], [0, 1, 2, 3, 4]]) {
    const directory = sets.flatMap((codes, i) => {
      if (codes.size === 0) return [0, 0, 0, 0];
      if (!listed.includes(i)) return [bits[i]!, 0, 0, 0];
      const at = kernels.reserve(2 * codes.size);
      kernels.u16(at, codes.size).set([...codes]);
      return [bits[i]!, at, codes.size, 0];
    });
    const out = copyCodes(pairs.map(() => 7));
    calls.countPairs(copyCodes(pairs.flat()), pairs.length, copyCodes(directory), 16, bytes, out);
    const expected = naivePairs(sets, pairs).map((count) => 7 + count);
    expect([...kernels.u32(out, pairs.length)]).toEqual(expected);
  }
});

test('counts of bitsets of every length, wherever they lie', () => {
  const bits = Uint8Array.from({ length: 4096 }, (_, i) => (i * 151) ^ (i >>> 3));
  const at = copyIn(bits);
  for (let bytes = 0; bytes <= 2048; bytes += 16) {
    const naive = naiveCodes(bits.subarray(3, 3 + bytes), 0).length;
    expect(calls.countBits(at + 3, bytes)).toBe(naive);
    expect(calls.countAnd(at + 3, at + 3, bytes)).toBe(naive);
  }
});

test('checksums of every length', () => {
  const tables = kernels.reserve(16 * 1024);
  const words = kernels.u32(tables, 16 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
    words[byte] = crc;
  }
  for (let i = 256; i < words.length; i++) {
    words[i] = words[words[i - 256]! & 255]! ^ (words[i - 256]! >>> 8);
  }
  const bytes = Uint8Array.from({ length: 200 }, (_, i) => i * 37);
  const at = copyIn(bytes);
  for (let length = 0; length <= 150; length++) {
    for (const start of [0, 1, 7]) {
      const naive = naiveCrc32c(bytes.subarray(start, start + length));
      expect(~calls.crc32c(-1, at + start, length, tables) >>> 0).toBe(naive);
    }
  }
});

test('hashes of integers and strings', () => {
  const out = { low: 0, high: 0 };
  const keys = BigUint64Array.of(0n, 1n, 2n ** 64n - 1n, 2n ** 32n, ...someKeys(1000, 1));
  const at = kernels.reserve(8 * keys.length);
  kernels.u64(at, keys.length).set(keys);
  calls.hashIntegers(at, keys.length, at);
  for (const [i, hash] of kernels.u64(at, keys.length).entries()) {
    hashInteger(Number(keys[i]! & 0xffff_ffffn), Number(keys[i]! >> 32n), out);
    expect(hash).toBe((BigInt(out.high) << 32n) | BigInt(out.low));
  }
  const text = Uint8Array.from({ length: 500 }, (_, i) => i * 91);
  const offsets = Array.from({ length: 31 }, (_, i) => (i * (i + 1)) / 2);
  const hashes = kernels.reserve(8 * 30);
  calls.hashStrings(copyIn(text), copyCodes(offsets), 30, hashes);
  for (const [i, hash] of kernels.u64(hashes, 30).entries()) {
    hashBytes(text.subarray(offsets[i], offsets[i + 1]), out);
    expect(hash).toBe((BigInt(out.high) << 32n) | BigInt(out.low));
  }
});

test('strings of any lengths side by side are hashed as one by one', () => {
  const length = fc.oneof(fc.integer({ min: 0, max: 33 }), fc.integer({ min: 50, max: 90 }));
  fc.assert(
    fc.property(fc.array(length, { maxLength: 14 }), fc.nat(), (lengths, seed) => {
      const offsets = [3];
      for (const bytes of lengths) offsets.push(offsets.at(-1)! + bytes);
      const text = Uint8Array.from({ length: offsets.at(-1)! }, (_, i) => (i + seed) * 167 + 13);
      // What lies behind the last key must not matter.
      const at = copyIn(Uint8Array.of(...text, ...new Array<number>(100).fill(0xa5)));
      const hashes = kernels.reserve(8 * lengths.length);
      calls.hashStrings(at, copyCodes(offsets), lengths.length, hashes);
      const out = { low: 0, high: 0 };
      lengths.forEach((_, i) => {
        hashBytes(text.subarray(offsets[i], offsets[i + 1]), out);
        const hash = (BigInt(out.high) << 32n) | BigInt(out.low);
        expect(kernels.u64(hashes, lengths.length)[i]).toBe(hash);
      });
    }),
  );
});

test('integers are hashed four at a time and one by one', () => {
  for (let count = 0; count < 10; count++) {
    const keys = someKeys(count, 3);
    const at = copyIn(new Uint8Array(keys.buffer));
    calls.hashIntegers(at, count, at);
    const out = { low: 0, high: 0 };
    for (const [i, key] of keys.entries()) {
      hashInteger(Number(key & 0xffffffffn), Number(key >> 32n), out);
      expect(kernels.u64(at, count)[i]).toBe((BigInt(out.high) << 32n) | BigInt(out.low));
    }
  }
});

test('what is reserved is zero, apart and survives growth; scratch is reused', () => {
  const own = new KernelMemory();
  const first = own.reserve(5);
  const view = own.u8(first, 5);
  view.fill(9);
  const second = own.reserve(3_000_000);
  expect(second % 16).toBe(0);
  expect(own.u8(second, 3_000_000).every((byte) => byte === 0)).toBe(true);
  expect([...own.u8(first, 5)]).toEqual([9, 9, 9, 9, 9]);
  expect(own.scratch(100)).toBe(own.scratch(60_000));
  const grown = own.scratch(500_000);
  expect(own.scratch(400_000)).toBe(grown);
  const third = own.reserve(16);
  expect(third).toBeGreaterThanOrEqual(grown + 500_000);
  const other = new KernelMemory(own.memory);
  expect([...other.u8(first, 5)]).toEqual([9, 9, 9, 9, 9]);
  expect(() => other.reserve(1)).toThrow('only its owner');
  expect(() => own.reserve(2 ** 32)).toThrow('4 GiB');
});
