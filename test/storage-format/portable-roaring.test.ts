// Bytes of the portable format at their edges, and bytes that only look like it: whatever is not exactly
// one bitmap is refused; what is taken is read alike by us and by roaring.

import { describe, expect, test } from 'vitest';
import { decodePortable, encodePortable, setToCodes } from '../../storage-format/bitmap.ts';
import { checkPortable, portableCodes } from '../../storage-format/portable-roaring.ts';
import { seeded } from '../engine/worker/random-batch.ts';

const arrayCookie = [0x3a, 0x30, 0, 0];
const oneRunContainer = [0x3b, 0x30, 0, 0, 1];

function shorts(...values: number[]): number[] {
  return values.flatMap((value) => [value & 255, value >>> 8]);
}

function word(value: number): number[] {
  return shorts(value & 0xffff, value >>> 16);
}

/** Containers without runs: [key, cardinality, bytes]. */
function plainBitmap(...containers: readonly (readonly [number, number, number[]])[]): Uint8Array {
  let at = 8 + 8 * containers.length;
  const offsets = containers.flatMap(([, , bytes]) => {
    const offset = word(at);
    at += bytes.length;
    return offset;
  });
  const heads = containers.flatMap(([key, cardinality]) => shorts(key, cardinality - 1));
  const bodies = containers.flatMap(([, , bytes]) => bytes);
  return Uint8Array.from([
    ...arrayCookie,
    ...word(containers.length),
    ...heads,
    ...offsets,
    ...bodies,
  ]);
}

function runBitmap(cardinality: number, ...runs: number[]): Uint8Array {
  const body = shorts(runs.length / 2, ...runs);
  return Uint8Array.from([...oneRunContainer, ...shorts(0, cardinality - 1), ...body]);
}

function bitset(members: number): number[] {
  return Array.from({ length: 8192 }, (_, i) => (8 * i < members ? 255 : 0));
}

const many = Array.from({ length: 4097 }, (_, i) => i);

const refused: readonly (readonly [string, Uint8Array])[] = [
  ['an unsorted array', plainBitmap([0, 3, shorts(5, 1, 3)])],
  ['a member twice', plainBitmap([0, 2, shorts(1, 1)])],
  ['keys that descend', plainBitmap([1, 1, shorts(1)], [0, 1, shorts(2)])],
  ['a key twice', plainBitmap([0, 1, shorts(1)], [0, 1, shorts(2)])],
  ['an array where a bitset is due', plainBitmap([0, 4097, shorts(...many)])],
  ['a bitset with other members than promised', plainBitmap([0, 5000, bitset(80)])],
  ['a bitset with one too many', plainBitmap([0, 4999, bitset(5000)])],
  ['overlapping runs', runBitmap(9, 0, 4, 3, 3)],
  ['runs that touch', runBitmap(4, 0, 1, 2, 1)],
  ['runs that descend', runBitmap(4, 10, 1, 0, 1)],
  ['a run past the end', runBitmap(11, 65_530, 10)],
  ['no runs', runBitmap(1)],
  ['runs with another count than promised', runBitmap(510, 0, 4)],
  ['bytes after the end', Uint8Array.from([...plainBitmap([0, 1, shorts(1)]), 255])],
  ['another cookie', Uint8Array.from([0x3c, 0x30, 0, 0, 0, 0, 0, 0])],
  ['too many containers', Uint8Array.from([...arrayCookie, ...word(65_537)])],
];

test.each(refused)('%s: refused', (_, bytes) => {
  expect(() => decodePortable(bytes)).toThrow(/not a roaring bitmap/);
});

test('the makers of these bytes make good ones as well', () => {
  const codes = (bytes: Uint8Array) => [...setToCodes(decodePortable(bytes))];
  expect(codes(plainBitmap([0, 3, shorts(1, 3, 5)], [2, 1, shorts(7)]))).toEqual([
    1, 3, 5, 131_079,
  ]);
  expect(codes(plainBitmap([0, 5000, bitset(5000)]))).toHaveLength(5000);
  expect(codes(runBitmap(5, 0, 1, 3, 2))).toEqual([0, 1, 3, 4, 5]);
});

const samples: readonly (readonly [string, number[]])[] = [
  ['nothing', []],
  ['code 0', [0]],
  ['the last code', [2 ** 32 - 1]],
  ['both', [0, 2 ** 32 - 1]],
  ['33', Array.from({ length: 33 }, (_, i) => 3 * i)],
  ['4095', Array.from({ length: 4095 }, (_, i) => 5 * i)],
  ['4096', Array.from({ length: 4096 }, (_, i) => 5 * i)],
  ['4097', Array.from({ length: 4097 }, (_, i) => 5 * i)],
  ['65535', Array.from({ length: 65_535 }, (_, i) => i)],
  ['65536', Array.from({ length: 65_536 }, (_, i) => i)],
  ['across containers', Array.from({ length: 500 }, (_, i) => 65_300 + i)],
  [
    'five containers, runs and arrays',
    [1, 3, 5, ...Array.from({ length: 200_000 }, (_, i) => 70_000 + i)],
  ],
];

describe.each(samples)('%s', (_, codes) => {
  const bytes = encodePortable(Uint32Array.from(codes));

  test('comes back', () => {
    expect([...portableCodes(bytes, checkPortable(bytes))]).toEqual(codes);
  });

  test('cut anywhere: refused', () => {
    const step = Math.max(1, Math.floor(bytes.length / 400));
    for (let length = 0; length < bytes.length; length += length < 200 ? 1 : step) {
      expect(() => decodePortable(bytes.slice(0, length))).toThrow(/not a roaring bitmap/);
    }
  });

  test('with damaged bytes: refused, or read alike by both', () => {
    const random = seeded(codes.length);
    for (let round = 0; round < 300; round++) {
      const damaged = bytes.slice();
      const at = Math.floor(random() * Math.min(bytes.length, 120));
      damaged[at] = damaged[at]! ^ (1 << Math.floor(random() * 8));
      let ours: Uint32Array;
      try {
        ours = portableCodes(damaged, checkPortable(damaged));
      } catch (error) {
        expect(String(error)).toContain('not a roaring bitmap');
        continue;
      }
      expect(Buffer.compare(bytesOf(setToCodes(decodePortable(damaged))), bytesOf(ours))).toBe(0);
      expect(ours.every((code, i) => i === 0 || ours[i - 1]! < code)).toBe(true);
    }
  });
});

function bytesOf(codes: Uint32Array): Uint8Array {
  return new Uint8Array(codes.buffer, codes.byteOffset, codes.byteLength);
}
