// A batch of keys in WebAssembly memory with room for what is found about each: its group, its code,
// whether it is known. Strings lie as bytes and offsets. Threads share the batch by ranges of keys.

import type { KernelHeap } from '../../kernels/kernel-heap.ts';
import type { KernelCall } from '../../kernels/kernel-thread.ts';
import type { PackedKeys } from '../../storage-format/packed-keys.ts';
import type { PlacedLevels } from './kernel-segments.ts';

export const roomBytes = 16_384;

/** Addresses; survives postMessage. */
export interface KeyBatch {
  readonly integers: boolean;
  readonly count: number;
  /** u64 each; of strings, their bytes. */
  readonly keys: number;
  /** u32 each, of strings. */
  readonly offsets: number;
  readonly codes: number;
  readonly groups: number;
  readonly known: number;
}

/** One block of the heap, at `keys`; to be given back. */
export function placeKeys(heap: KernelHeap, keys: BigUint64Array | PackedKeys): KeyBatch {
  const integers = keys instanceof BigUint64Array;
  const count = integers ? keys.length : keys.offsets.length - 1;
  const keyBytes = padded(integers ? 8 * count : keys.bytes.length);
  const offsetBytes = padded(integers ? 0 : 4 * (count + 1));
  const at = heap.take(keyBytes + offsetBytes + padded(4 * count) + padded(2 * count) + count);
  const offsets = at + keyBytes;
  const codes = offsets + offsetBytes;
  const groups = codes + padded(4 * count);
  const known = groups + padded(2 * count);
  const { memory } = heap;
  if (integers) memory.u64(at, count).set(keys);
  else {
    memory.u8(at, keys.bytes.length).set(keys.bytes);
    memory.u32(offsets, count + 1).set(keys.offsets);
  }
  return { integers, count, keys: at, offsets, codes, groups, known };
}

export interface ProbeTask {
  readonly batch: KeyBatch;
  readonly levels: PlacedLevels;
  readonly groupCount: number;
  /** Keys [from, to). */
  readonly from: number;
  readonly to: number;
  /** Of roomBytes: this task's own. */
  readonly room: number;
}

/** Finds a range of the batch's keys. */
export function probeCall(task: ProbeTask): KernelCall {
  const { batch, levels, groupCount, from, to, room } = task;
  const codes = batch.codes + 4 * from;
  const groups = batch.groups + 2 * from;
  const known = batch.known + from;
  if (batch.integers) {
    const keys = batch.keys + 8 * from;
    const what = [keys, to - from, room, codes, groups, known];
    if (levels.count === 0) return { name: 'groupIntegers', args: [groupCount, ...what] };
    return { name: 'probeIntegers', args: [levels.at, levels.records, groupCount, ...what] };
  }
  const what = [batch.keys, batch.offsets + 4 * from, to - from, room, codes, groups, known];
  return { name: 'probeStrings', args: [levels.at, levels.records, groupCount, ...what] };
}

export interface NumberTask {
  readonly batch: KeyBatch;
  /** Keys [from, to). */
  readonly from: number;
  readonly to: number;
  /** One record per group: its fresh table. */
  readonly records: number;
  readonly room: number;
  /** A byte per group: 1 where this task numbers. */
  readonly owners: number;
}

/** Numbers the unknown keys of some groups. */
export function numberCall(task: NumberTask): KernelCall {
  const { batch, records, room, owners, from, to } = task;
  const { keys, codes, groups, known, offsets } = batch;
  const found = [codes, groups, known, owners];
  return batch.integers
    ? { name: 'numberIntegers', args: [records, keys, from, to, room, ...found] }
    : { name: 'numberStrings', args: [records, keys, offsets, from, to, room, ...found] };
}

function padded(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}
