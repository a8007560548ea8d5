// 64-bit keys in ascending unsigned order, by radix sort in WebAssembly memory (assembly/sort.ts); with
// a 32-bit value each, if asked for. Several times as fast as the engine's own sort from a few hundred
// keys on (bench/kernels-bench); below that the twin is used.

import { type KernelMemory, scratchKernels } from './kernel-memory.ts';

const countsBytes = 6 * 2048 * 4;
/** Clearing and adding up the counts costs as much as sorting so many keys. */
const keysMin = 2048;

/** Sorts in place. */
export function sortKeys(keys: BigUint64Array): void {
  if (keys.length < keysMin) {
    keys.sort();
    return;
  }
  const kernels = scratchKernels();
  const bytes = 8 * keys.length;
  const at = kernels.scratch(2 * bytes + countsBytes);
  kernels.u64(at, keys.length).set(keys);
  const sorted = kernels.calls.sortKeys(at, keys.length, at + bytes, at + 2 * bytes);
  keys.set(kernels.u64(sorted >>> 0, keys.length));
}

/** Sorts both in place by the keys; equal keys keep their order. */
export function sortPairs(keys: BigUint64Array, values: Uint32Array): void {
  const kernels: KernelMemory = scratchKernels();
  const { length } = keys;
  const room = Math.ceil((4 * length) / 8) * 8;
  const at = kernels.scratch(16 * length + 2 * room + countsBytes);
  const spare = at + 8 * length;
  const valuesAt = at + 16 * length;
  kernels.u64(at, length).set(keys);
  kernels.u32(valuesAt, length).set(values);
  const counts = valuesAt + 2 * room;
  const { calls } = kernels;
  const sorted = calls.sortPairs(at, valuesAt, length, spare, valuesAt + room, counts) >>> 0;
  keys.set(kernels.u64(sorted, length));
  values.set(kernels.u32(sorted === at ? valuesAt : valuesAt + room, length));
}
