// Which pairs become one tree, looked at as data; and the same trees over sets of every form, cold and
// hot, against Sets.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Ask, nodeUses, type SetColumn } from '../../../engine/batch/batch.ts';
import { countedTree } from '../../../engine/worker/set-trees.ts';
import { treeCount } from '../../../engine/worker/tree-counts.ts';
import { setFromSorted } from '../../../storage-format/bitmap.ts';

type How = 'and' | 'or' | 'andnot' | 'xor';

const leaf: SetColumn = {
  op: 'stored',
  dictionary: 0,
  source: 0,
  columnId: 1,
  rows: Int32Array.of(0),
};
const pair = (how: How, a: number, b: number): SetColumn => ({ op: 'pair', how, a, b });
const card = (of: number): Ask => ({ ask: 'card', of });

function treeOf(columns: readonly SetColumn[], asks: readonly Ask[]) {
  const last = columns.length - 1;
  return countedTree(columns, nodeUses(columns, asks), last);
}

describe('what is a tree', () => {
  test('a pair of pairs', () => {
    const columns = [leaf, leaf, leaf, pair('and', 0, 1), pair('andnot', 2, 0), pair('or', 4, 3)];
    expect(treeOf(columns, [card(5)])).toEqual({
      leaves: [0, 1, 2],
      tree: {
        leaves: 3,
        steps: [
          { how: 'and', a: 0, b: 1 },
          { how: 'andnot', a: 2, b: 0 },
          { how: 'or', a: 4, b: 3 },
        ],
      },
    });
  });

  test('what others need is a leaf', () => {
    const columns = [leaf, leaf, pair('and', 0, 1), pair('xor', 2, 1), pair('or', 3, 0)];
    const both = treeOf(columns, [card(4), card(2)]);
    expect(both).toMatchObject({ leaves: [2, 1, 0], tree: { steps: { length: 2 } } });
    const shared = treeOf([...columns, pair('and', 4, 3)], [card(5)]);
    expect(shared).toMatchObject({ leaves: [3, 0], tree: { steps: { length: 2 } } });
  });

  test('one pair is none, and neither is a fold', () => {
    expect(treeOf([leaf, leaf, pair('and', 0, 1)], [card(2)])).toBeUndefined();
    expect(treeOf([leaf], [card(0)])).toBeUndefined();
  });

  test('long ones are cut', () => {
    const columns: SetColumn[] = [leaf, leaf];
    for (let n = 0; n < 50; n++) columns.push(pair(n % 2 === 0 ? 'and' : 'or', n + 1, 0));
    expect(treeOf(columns, [card(51)])).toMatchObject({
      leaves: [19, 0],
      tree: { steps: { length: 32 } },
    });
  });
});

test('counts of trees over sets of any size', () => {
  const steps = [1, 2, 3, 50, 7000, 500_000];
  const members = steps.map((step, shift) =>
    Uint32Array.from({ length: Math.ceil(80_000 / step) }, (_, i) => shift + i * step),
  );
  const sets = [...members.map(setFromSorted), new Uint32Array(0)];
  const naive = [...members.map((codes) => new Set(codes)), new Set<number>()];
  const how = fc.constantFrom<How>('and', 'or', 'andnot', 'xor');
  const place = fc.nat(sets.length - 1);
  fc.assert(
    fc.property(place, place, place, how, how, fc.boolean(), (a, b, c, first, second, swap) => {
      const columns = [leaf, leaf, leaf, pair(first, 0, 1)];
      columns.push(swap ? pair(second, 2, 3) : pair(second, 3, 2));
      const { tree, leaves } = treeOf(columns, [card(4)])!;
      const picked = leaves.map((node) => [a, b, c][node]!);
      const inner = combined(first, naive[a]!, naive[b]!);
      const expected = swap
        ? combined(second, naive[c]!, inner)
        : combined(second, inner, naive[c]!);
      const found = treeCount(
        tree,
        picked.map((i) => sets[i]!),
      );
      expect(found).toBe(expected.size);
    }),
    { numRuns: 40 },
  );
});

function combined(how: How, a: ReadonlySet<number>, b: ReadonlySet<number>): ReadonlySet<number> {
  if (how === 'or') return new Set([...a, ...b]);
  if (how === 'xor') return new Set([...a, ...b].filter((code) => a.has(code) !== b.has(code)));
  return new Set([...a].filter((code) => b.has(code) === (how === 'and')));
}
