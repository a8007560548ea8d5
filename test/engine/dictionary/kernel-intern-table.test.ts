// Tables that grow beside a Map: ordinals in order of arrival, whatever comes twice, step by step.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { GrowingInternTable } from '../../../engine/dictionary/growing-intern-table.ts';
import { KernelInternTable } from '../../../engine/dictionary/kernel-intern-table.ts';
import { threadHeap } from '../../../kernels/kernel-heap.ts';

/** `count` ids of `distinct`, some of which come again and again. */
function ids(count: number, distinct: number, seed: number): BigUint64Array {
  const words = new Uint32Array(2 * count);
  for (let i = 0; i < count; i++) {
    const id = Math.imul(i + seed, 0x9e3779b1) >>> 0;
    words[2 * i] = Math.imul(id % distinct, 0x85ebca6b);
    words[2 * i + 1] = id % distinct;
  }
  return new BigUint64Array(words.buffer);
}

function naiveIntern(map: Map<bigint, number>, keys: BigUint64Array): Uint32Array {
  return Uint32Array.from(keys, (key) => {
    const known = map.get(key) ?? map.size;
    map.set(key, known);
    return known;
  });
}

const bytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  new Uint8Array(buffer, byteOffset, byteLength);
const compare = (a: ArrayBufferView, b: ArrayBufferView) => Buffer.compare(bytes(a), bytes(b));

test('a million ids in batches of any size', () => {
  const table = new KernelInternTable();
  const map = new Map<bigint, number>();
  for (const [batch, count] of [1, 65_536, 65_537, 200_000, 0, 300_000, 450_000].entries()) {
    const keys = ids(count, 900_000, 100_000 * batch);
    const out = new Uint32Array(count);
    table.intern(keys, out);
    expect(compare(out, naiveIntern(map, keys))).toBe(0);
    expect(table.count).toBe(map.size);
  }
  expect(compare(table.keys(), BigUint64Array.from(map.keys()))).toBe(0);
  table.close();
});

test('memory that is given back is the next table’s', () => {
  const before = threadHeap().bytes;
  const table = new KernelInternTable();
  const keys = ids(200_000, 200_000, 5);
  table.intern(keys, new Uint32Array(keys.length));
  expect(threadHeap().bytes).toBeGreaterThan(before);
  expect(table.bytes).toBeGreaterThan(8 * table.count);
  table.close();
  expect(threadHeap().bytes).toBe(before);
});

test('small tables that become large ones', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 90_000 }), { maxLength: 5 }), (counts) => {
      const table = new GrowingInternTable();
      const map = new Map<bigint, number>();
      for (const [batch, count] of counts.entries()) {
        const values = ids(count, 200_000, 70_000 * batch);
        const out = new Uint32Array(count);
        table.intern({ domain: 'integer', values }, out);
        expect(compare(out, naiveIntern(map, values))).toBe(0);
      }
      const keys = table.keys();
      expect(keys.values).toEqual(BigUint64Array.from(map.keys()));
      table.close();
    }),
    { numRuns: 4, examples: [[[90_000, 60_000, 90_000]]] },
  );
});
