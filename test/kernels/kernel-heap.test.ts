import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { HeapBlock, KernelHeap } from '../../kernels/kernel-heap.ts';
import { KernelMemory } from '../../kernels/kernel-memory.ts';

test('blocks never overlap, and what is given back is used again', () => {
  const step = fc.record({ bytes: fc.integer({ min: 0, max: 5_000 }), give: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const heap = new KernelHeap(new KernelMemory());
      const taken: { at: number; bytes: number; mark: number }[] = [];
      steps.forEach(({ bytes, give }, mark) => {
        const gone = give ? taken.splice(bytes % Math.max(1, taken.length), 1)[0] : undefined;
        if (gone !== undefined) heap.give(gone.at);
        const at = heap.takeZeros(bytes);
        expect(at % 64).toBe(0);
        expect(heap.memory.u8(at, bytes).every((byte) => byte === 0)).toBe(true);
        heap.memory.u8(at, bytes).fill(1 + (mark % 255));
        taken.push({ at, bytes, mark });
      });
      for (const { at, bytes, mark } of taken) {
        expect(heap.memory.u8(at, bytes).every((byte) => byte === 1 + (mark % 255))).toBe(true);
      }
    }),
    { numRuns: 50 },
  );
});

test('a heap that is emptied again and again does not grow', () => {
  const heap = new KernelHeap(new KernelMemory());
  const fill = () => {
    const taken = Array.from({ length: 50 }, (_, i) => heap.take(1_000 * (1 + (i % 7))));
    for (const at of taken.filter((_, i) => i % 2 === 0)) heap.give(at);
    for (const at of taken.filter((_, i) => i % 2 === 1)) heap.give(at);
  };
  fill();
  const after = heap.memory.bytes;
  for (let round = 0; round < 20; round++) fill();
  expect(heap.memory.bytes).toBe(after);
  expect(heap.bytes).toBe(0);
});

test('a block is given back once, and tells whose it is while it is open', () => {
  const heap = new KernelHeap(new KernelMemory());
  const block = new HeapBlock(heap, 1_000);
  expect([block.isOpenIn(heap), block.isOpenIn(new KernelHeap())]).toEqual([true, false]);
  expect(heap.bytes).toBeGreaterThan(1_000);
  block.close();
  const other = heap.take(1_000);
  block.close();
  expect([block.isOpenIn(heap), heap.bytes > 0, other]).toEqual([false, true, block.at]);
});
