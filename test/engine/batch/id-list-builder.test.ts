import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { IdListBuilder } from '../../../engine/batch/id-list-builder.ts';

const keys = { domain: 'integer', values: new BigUint64Array(50) } as const;

test.each([9, 0])('lists hold the distinct ordinals of each row, ascending: rows to %d', (last) => {
  const pair = fc.tuple(fc.nat(last), fc.nat(49));
  fc.assert(
    fc.property(fc.array(fc.array(pair, { maxLength: 300 }), { maxLength: 4 }), (blocks) => {
      const builder = new IdListBuilder();
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
    }),
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
