import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { IdListBuilder } from '../../../engine/batch/id-list-builder.ts';

const keys = { domain: 'integer', values: new BigUint64Array(50) } as const;

const bitmapsSoon = { compactAtLeast: 100, longPairsMin: 60, longAverageMin: 10 };

test.each([
  [9, undefined],
  [0, undefined],
  [4, bitmapsSoon],
  [0, bitmapsSoon],
] as const)('lists hold the distinct ordinals of each row, ascending: %#', (last, limits) => {
  const pair = fc.tuple(fc.nat(last), fc.nat(49));
  fc.assert(
    fc.property(
      fc.array(fc.array(pair, { maxLength: 300, size: 'max' }), { maxLength: 4 }),
      (blocks) => {
        const builder = new IdListBuilder(limits);
        const naive = Array.from({ length: 12 }, () => new Set<number>());
        blocks.forEach((block, b) => {
          for (const [row, ordinal] of block) naive[row]?.add(ordinal);
          if (b % 2 === 0) for (const [row, ordinal] of block) builder.push(row, ordinal);
          else {
            const column = (at: 0 | 1) => Uint32Array.from(block.map((p) => p[at]));
            builder.add(column(0), column(1));
          }
        });
        const lists = builder.finish(12, keys);
        const rows = naive.map((set) => [...set].sort((a, b) => a - b));
        expect([...lists.ordinals]).toEqual(rows.flat());
        rows.forEach((row, r) => {
          const [from, to] = [lists.offsets[r] as number, lists.offsets[r + 1] as number];
          expect([...lists.ordinals.subarray(from, to)]).toEqual(row);
        });
      },
    ),
  );
});

test('memory follows the distinct pairs, not the input', () => {
  const builder = new IdListBuilder();
  const rows = new Uint32Array(65_536).map((_, i) => i % 7);
  const ordinals = new Uint32Array(65_536).map((_, i) => i % 50);
  for (let i = 0; i < 100; i++) builder.add(rows, ordinals);
  expect(builder.bytes).toBeLessThan(4 << 20);
  expect(builder.finish(7, keys).ordinals.length).toBe(350);
});

test('many pairs of few rows take less than half of their bytes', () => {
  const limits = { compactAtLeast: 1000, longPairsMin: 50_000, longAverageMin: 1024 };
  const builder = new IdListBuilder(limits);
  const rows = new Uint32Array(10_000).map((_, i) => i % 5);
  for (let block = 0; block < 100; block++) {
    builder.add(
      rows,
      rows.map((_, i) => 100 * i + block),
    );
  }
  expect(builder.bytes).toBeLessThan((8 * 1_000_000) / 2);
  const { ordinals, offsets } = builder.finish(5, keys);
  expect(offsets).toEqual(Uint32Array.of(0, 200_000, 400_000, 600_000, 800_000, 1_000_000));
  expect(ordinals.subarray(0, 3)).toEqual(Uint32Array.of(0, 1, 2));
});
