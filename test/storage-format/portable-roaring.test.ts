// Bytes of the portable format at their edges, and bytes that only look like it: whatever is not exactly
// one bitmap is refused; what is taken is read alike by us and by roaring.

import { describe, expect, test } from 'vitest';
import { decodePortable, encodePortable, setToCodes } from '../../storage-format/bitmap.ts';
import { checkPortable, portableCodes } from '../../storage-format/portable-roaring.ts';
import { seeded } from '../engine/worker/random-batch.ts';
import { bitset, plainBitmap, runBitmap, shorts, strangeBitmaps } from './strange-bitmaps.ts';

test.each(strangeBitmaps)('%s: refused', (_, bytes) => {
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
