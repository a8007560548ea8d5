import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createInternTable,
  IntegerInternTable,
  StringInternTable,
} from '../../../engine/dictionary/intern-table.ts';

const edgeIds = [0n, 1n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 32n, 2n ** 32n - 1n];
const ids = fc.array(
  fc.oneof(fc.constantFrom(...edgeIds), fc.bigInt(0n, 40n), fc.bigInt(0n, 2n ** 64n - 1n)),
  { maxLength: 400 },
);

test('integers are numbered in order of first arrival, as a Map would number them', () => {
  fc.assert(
    fc.property(fc.array(ids, { maxLength: 4 }), (blocks) => {
      const table = new IntegerInternTable();
      const naive = new Map<bigint, number>();
      for (const block of blocks) {
        const out = new Uint32Array(block.length);
        table.intern({ domain: 'integer', values: BigUint64Array.from(block) }, out);
        block.forEach((id, i) => {
          if (!naive.has(id)) naive.set(id, naive.size);
          expect(out[i]).toBe(naive.get(id));
        });
      }
      expect([...table.keys().values]).toEqual([...naive.keys()]);
      expect(table.count).toBe(naive.size);
      expect(table.find(123456789, 987654321)).toBe(-1);
    }),
  );
});

test('narrow integers are sign-extended', () => {
  const table = new IntegerInternTable();
  const out = new Uint32Array(3);
  table.internNumbers(Int32Array.of(-1, 5, -1), out);
  table.internIntegers(BigInt64Array.of(-1n, 5n, 7n), out);
  expect([...out]).toEqual([0, 1, 2]);
  expect([...table.keys().values]).toEqual([2n ** 64n - 1n, 5n, 7n]);
});

test('strings are numbered in order of first arrival', () => {
  const table = new StringInternTable();
  const out = new Uint32Array(4);
  table.intern({ domain: 'string', values: ['b', '', 'b', '\xff'] }, out);
  expect([...out]).toEqual([0, 1, 0, 2]);
  expect(table.keys().values).toEqual(['b', '', '\xff']);
  expect(table.find('a')).toBe(-1);
});

test('a table takes only keys of its domain', () => {
  const strings = { domain: 'string', values: ['a'] } as const;
  expect(() => createInternTable('integer').intern(strings, new Uint32Array(1))).toThrow(/integer/);
});

test('a million distinct ids grow the table without losing one', () => {
  const values = new BigUint64Array(1_000_000);
  for (let i = 0; i < values.length; i++) values[i] = BigInt(i) * 0x9e3779b97f4a7c15n;
  const table = new IntegerInternTable();
  const out = new Uint32Array(values.length);
  table.internIntegers(values, out);
  table.internIntegers(values, out);
  expect(table.count).toBe(values.length);
  expect(out.every((ordinal, i) => ordinal === i)).toBe(true);
});
