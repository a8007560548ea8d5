// Ids in chunks come out by group and in order, as a naive list of pairs has them.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ChunkedIds } from '../../../engine/root/chunked-ids.ts';

/** More than one chunk holds, at some sizes. */
const block = fc.record({
  rows: fc.constantFrom(0, 1, 7, 65_536, 131_071, 131_072, 131_073),
  groups: fc.constantFrom(1, 2, 50),
});

function pairsOf(blocks: readonly { readonly rows: number; readonly groups: number }[]) {
  let next = 0;
  return blocks.map(({ rows, groups }) => ({
    ids: BigUint64Array.from({ length: rows }, () => BigInt(next++) * 0x9e37_79b9_7f4a_7c15n),
    groups: Uint32Array.from({ length: rows }, (_, i) => (i * 7) % groups),
  }));
}

it('gives the ids of each group, in the order they came in', () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 4 }), (blocks) => {
      const kept = new ChunkedIds();
      const lists = Array.from({ length: 50 }, (): bigint[] => []);
      for (const { ids, groups } of pairsOf(blocks)) {
        kept.add(ids, groups);
        ids.forEach((id, i) => lists[groups[i]!]!.push(BigInt.asUintN(64, id)));
      }
      const { offsets, ids } = kept.takeLists(50);
      const ends = lists.map((list) => list.length);
      expect(offsets.at(-1)).toBe(ids.values.length);
      for (const [group, list] of lists.entries()) {
        expect(offsets[group + 1]! - offsets[group]!).toBe(ends[group]);
        const own = BigUint64Array.from(list);
        const found = (ids.values as BigUint64Array).slice(offsets[group], offsets[group + 1]);
        expect(Buffer.compare(Buffer.from(found.buffer), Buffer.from(own.buffer))).toBe(0);
      }
      expect(kept.count).toBe(0);
    }),
    { numRuns: 12 },
  );
});

it.each([
  [1000, 10],
  [200_000, 200_000],
  [200_000, 100_000],
  [600_000, 20],
])('tells of %i ids that %i are distinct, about', (rows, distinct) => {
  const kept = new ChunkedIds();
  const ids = BigUint64Array.from({ length: rows }, (_, i) => BigInt(i % distinct) << 20n);
  kept.add(ids, new Uint32Array(rows));
  const share = distinct / rows;
  expect(kept.distinctShare()).toBeLessThanOrEqual(1.1 * share + 0.01);
  expect(kept.distinctShare()).toBeGreaterThanOrEqual(0.9 * share - 0.01);
});
