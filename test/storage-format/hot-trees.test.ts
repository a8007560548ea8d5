// Trees of operators over hot sets, against Sets: leaves that start and end in different pages, leaves
// that are used twice; and which sets are left to roaring.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodePortable, encodePortable } from '../../storage-format/bitmap.ts';
import { hotTreeCardinality, type SetTree, type TreeStep } from '../../storage-format/hot-trees.ts';

function every(step: number, from: number, end: number) {
  const codes = Uint32Array.from(
    { length: Math.ceil((end - from) / step) },
    (_, i) => from + i * step,
  );
  return { set: new Set(codes), bitmap: decodePortable(encodePortable(codes)) };
}

const dense = [
  every(2, 0, 300_000),
  every(3, 70_000, 131_072),
  every(1, 65_536, 200_000),
  every(20, 5, 420_000),
  every(2, 2 ** 32 - 100_000, 2 ** 32),
];
const sparse = every(200, 0, 1_000_000);

type Codes = ReadonlySet<number>;

const naive: Readonly<Record<TreeStep['how'], (a: Codes, b: Codes) => Codes>> = {
  and: (a, b) => new Set([...a].filter((code) => b.has(code))),
  or: (a, b) => new Set([...a, ...b]),
  andnot: (a, b) => new Set([...a].filter((code) => !b.has(code))),
  xor: (a, b) => new Set([...a, ...b].filter((code) => a.has(code) !== b.has(code))),
};

function cardinality({ leaves, steps }: SetTree, sets: readonly Codes[]): number {
  const all = sets.slice(0, leaves);
  for (const { how, a, b } of steps) all.push(naive[how](all[a]!, all[b]!));
  return all.at(-1)!.size;
}

function warm(tree: SetTree, leaves: readonly { readonly bitmap: (typeof sparse)['bitmap'] }[]) {
  const bitmaps = leaves.map(({ bitmap }) => bitmap);
  return Array.from({ length: 5 }, () => hotTreeCardinality(tree, bitmaps));
}

test('any tree over any leaves', () => {
  const step = fc.record({
    how: fc.constantFrom('and', 'or', 'andnot', 'xor'),
    a: fc.nat(),
    b: fc.nat(),
  });
  const picks = fc.array(fc.nat(dense.length - 1), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(picks, fc.array(step, { minLength: 1, maxLength: 5 }), (picked, raw) => {
      const leaves = picked.map((i) => dense[i]!);
      const steps = raw.map(({ how, a, b }, k): TreeStep => {
        const earlier = leaves.length + k;
        return { how, a: a % earlier, b: b % earlier };
      });
      const tree = { leaves: leaves.length, steps };
      const expected = cardinality(
        tree,
        leaves.map(({ set }) => set),
      );
      expect(warm(tree, leaves).at(-1)).toBe(expected);
    }),
    { numRuns: 25 },
  );
});

test('bits are used once all leaves are hot, and not for sparse ones', () => {
  const tree: SetTree = {
    leaves: 2,
    steps: [
      { how: 'or', a: 0, b: 1 },
      { how: 'xor', a: 2, b: 1 },
    ],
  };
  const fresh = [every(2, 0, 200_000), every(3, 0, 200_000)];
  expect(warm(tree, fresh).map((count) => count !== undefined)).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
  expect(warm(tree, [sparse, every(100, 0, 500_000)])).toEqual(new Array(5).fill(undefined));
});

test('a leaf that has nobody', () => {
  const nobody = every(1, 0, 0);
  const step = { how: 'or', a: 0, b: 1 } as const;
  for (const leaves of [
    [dense[0]!, nobody],
    [nobody, dense[0]!],
  ]) {
    expect(warm({ leaves: 2, steps: [step] }, leaves).at(-1)).toBe(150_000);
  }
});
