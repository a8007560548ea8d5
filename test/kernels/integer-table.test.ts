// The table of integers against a Map.

import { describe, expect, test } from 'vitest';
import { IntegerTable } from '../../kernels/integer-table.ts';
import { naiveOrdinals, someKeys } from './naive-kernels.ts';

describe('integers, numbered as they come', () => {
  test.each([0, 1, 2, 31, 32, 33, 1535, 4095, 4096, 4097, 40_000])('%i keys', (count) => {
    const fresh = someKeys(count, count);
    // Every third one comes again, near ones and far ones.
    const keys = BigUint64Array.from(fresh, (key, i) => (i % 3 === 2 ? fresh[i >>> 1]! : key));
    const table = new IntegerTable();
    const known = new Map<bigint, number>();
    const out = new Uint32Array(count);
    table.intern(keys, out);
    expect([...out]).toEqual(naiveOrdinals(keys, known));
    expect(table.count).toBe(known.size);
    const asked = BigUint64Array.of(...keys, ...someKeys(100, 999_999), 0n);
    const found = new Uint32Array(asked.length);
    const here = Array.from(asked, (key) => (known.get(key) ?? -1) + 1);
    expect(table.find(asked, found)).toBe(here.filter((ordinal) => ordinal > 0).length);
    expect([...found]).toEqual(here);
    table.intern(asked, found);
    expect([...found]).toEqual(naiveOrdinals(asked, known));
  });

  test('zero, ones, and keys that differ in one half', () => {
    const keys = BigUint64Array.of(0n, 2n ** 64n - 1n, 1n, 1n << 32n, 0n, 1n, 2n ** 63n);
    const out = new Uint32Array(keys.length);
    new IntegerTable().intern(keys, out);
    expect([...out]).toEqual([0, 1, 2, 3, 0, 2, 4]);
  });
});
