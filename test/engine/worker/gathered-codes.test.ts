// Codes gathered by group beside a naive twin, with room for bitsets and without.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GatheredCodes } from '../../../engine/worker/gathered-codes.ts';
import { setToBits, setToCodes } from '../../../storage-format/bitmap.ts';
import { setsOf } from '../../../storage-format/set-vector.ts';

const end = 70_000;
const pair = fc.tuple(fc.nat({ max: 6 }), fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: end - 1 })));

it('a set for each group, whatever fits in bitsets', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(pair, { maxLength: 200 }), { maxLength: 4 }),
      fc.constantFrom(0, 3 * Math.ceil(end / 8), 2 ** 20),
      (blocks, bytesMax) => {
        const gathered = new GatheredCodes(end, bytesMax);
        const naive = Array.from({ length: 8 }, () => new Set<number>());
        for (const block of blocks) {
          for (const [group, code] of block) naive[group]!.add(code);
          gathered.add(
            Uint32Array.from(block, ([group]) => group),
            Uint32Array.from(block, ([, code]) => code),
          );
        }
        const found = setsOf(gathered.finish(8)).map((set) => [...setToCodes(set)]);
        expect(found).toEqual(naive.map((set) => [...set].sort((a, b) => a - b)));
      },
    ),
  );
});

it('many codes make large sets', () => {
  const codes = Uint32Array.from({ length: 50_000 }, (_, i) => (i * 11) % end);
  const gathered = new GatheredCodes(end);
  gathered.add(new Uint32Array(codes.length), codes);
  const [set] = setsOf(gathered.finish(1));
  expect(
    Buffer.from(setToCodes(set!).buffer).equals(Buffer.from(codes.slice().sort().buffer)),
  ).toBe(true);
  const bits = setToBits(set!, end);
  expect(codes.every((code) => ((bits[code >>> 5]! >>> (code & 31)) & 1) === 1)).toBe(true);
  expect(bits.length).toBe(Math.ceil(end / 32));
});

it('refuses codes that were never given out', () => {
  const gathered = new GatheredCodes(10);
  expect(() => gathered.add(Uint32Array.of(0), Uint32Array.of(10))).toThrow('code 10');
});
