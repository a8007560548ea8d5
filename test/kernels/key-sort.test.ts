// Radix sort against the engine's own.

import { expect, test } from 'vitest';
import { sortKeys, sortPairs } from '../../kernels/key-sort.ts';
import { naivePairs, someKeys } from './naive-kernels.ts';

const shapes: readonly (readonly [string, (key: bigint, i: number) => bigint])[] = [
  ['random', (key) => key],
  ['of 32 bits', (key) => key & 0xffff_ffffn],
  ['of few values', (key) => key & 7n],
  ['of high bits only', (key) => (key & 3n) << 62n],
  ['all the same', () => 5n],
  ['ascending', (_, i) => BigInt(i)],
  ['descending', (_, i) => 2n ** 64n - 1n - BigInt(i)],
];

test.each(shapes)('keys %s', (_, shape) => {
  for (const count of [0, 1, 2, 2047, 2048, 2049, 10_000]) {
    const keys = BigUint64Array.from(someKeys(count, count), shape);
    const values = Uint32Array.from(keys, (__, i) => i);
    const sorted = keys.slice().sort();
    const pairs = naivePairs(keys, values);
    const alone = keys.slice();
    sortKeys(alone);
    expect(alone).toEqual(sorted);
    sortPairs(keys, values);
    expect(keys).toEqual(sorted);
    expect([...values]).toEqual(pairs.map(([, value]) => value));
  }
});
