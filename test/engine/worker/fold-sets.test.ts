// Folds of few and of many rows, as sets and as counts, against Sets.

import { describe, expect, test } from 'vitest';
import { foldCardinality, foldRows } from '../../../engine/worker/fold-sets.ts';
import { setFromUnsorted, setToCodes } from '../../../storage-format/bitmap.ts';
import { JoinedSets, NoSets, SetList, TakenSets } from '../../../storage-format/set-vector.ts';
import { seeded } from './random-batch.ts';

const random = seeded(3);
const tiny = Array.from({ length: 1500 }, (_, r) =>
  Uint32Array.from({ length: r % 7 }, () => Math.floor(random() * 100_000)),
);
const some = [0, 1, 2].map((from) => Uint32Array.from({ length: 9000 }, (_, i) => 5 * i + from));
const codes = [...tiny, ...some];
const vector = new SetList(codes.map((set) => setFromUnsorted(set.slice())));

const lists: readonly (readonly [string, readonly number[]])[] = [
  ['nothing', []],
  ['one row', [1500]],
  ['an empty row', [-1]],
  ['two and an empty one', [6, -1, 13]],
  ['large ones', [1500, 1501, 1502]],
  ['large ones and small ones', [1500, 3, 1501, 4]],
  ['the same twice', [1500, 6, 1500, 6]],
  ['1023 rows', Array.from({ length: 1023 }, (_, i) => i)],
  ['1024 rows', Array.from({ length: 1024 }, (_, i) => i)],
  ['all', codes.map((_, i) => i)],
  ['all, backwards', codes.map((_, i) => codes.length - 1 - i)],
  ['all twice and nothing', [...codes.map((_, i) => i), -1, ...codes.map((_, i) => i)]],
];

function naive(how: 'or' | 'and' | 'xor', rows: readonly number[]): number[] {
  const counts = new Map<number, number>();
  for (const row of rows) {
    for (const code of new Set(codes[row] ?? [])) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  const keep = (count: number) =>
    how === 'or' || (how === 'and' ? count === rows.length : count % 2 === 1);
  return [...counts].flatMap(([code, n]) => (keep(n) ? [code] : [])).sort((a, b) => a - b);
}

describe.each(lists)('%s', (_, rows) => {
  test.each(['or', 'and', 'xor'] as const)('%s', (how) => {
    const index = Int32Array.of(7, ...rows, 9);
    const list = { of: vector, index, start: 1, end: 1 + rows.length };
    const expected = naive(how, rows);
    expect([...setToCodes(foldRows(how, list))]).toEqual(expected);
    expect(foldCardinality(how, list)).toBe(expected.length);
  });
});

test('rows of vectors that are made of others', () => {
  const joined = new JoinedSets([
    new NoSets(2),
    vector,
    new TakenSets(vector, Int32Array.of(-1, 5)),
  ]);
  const index = Int32Array.from({ length: joined.length }, (_, i) => i);
  const list = { of: joined, index, start: 0, end: index.length };
  expect([...setToCodes(foldRows('or', list))]).toEqual(naive('or', [...codes.keys()]));
});

test('codes beyond a flat bitset', () => {
  const far = new SetList(
    Array.from({ length: 2000 }, (_, r) => Uint32Array.of(r, 2 ** 32 - 1 - r)),
  );
  const index = Int32Array.from({ length: 2000 }, (_, i) => i);
  expect(foldCardinality('or', { of: far, index, start: 0, end: 2000 })).toBe(4000);
});
