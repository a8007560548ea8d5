// 64-bit keys in ascending unsigned order, by radix sort in WebAssembly memory (assembly/sort.ts). Several times as fast as the engine's own sort from a few hundred
// keys on (bench/kernels-bench); below that the twin is used.

import { scratchKernels } from './kernel-memory.ts';

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
