// Radix sort against the engine's own.

import { expect, test } from 'vitest';
import { sortKeys } from '../../kernels/key-sort.ts';
import { someKeys } from './naive-kernels.ts';

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
    const sorted = keys.slice().sort();
    sortKeys(keys);
    expect(keys).toEqual(sorted);
  }
});
