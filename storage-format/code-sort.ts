// The union of sparse sets of codes by radix sort: where the engine's own sort takes 35 us for 40
// sets of 25 codes, and a bitset over millions of codes misses the cache at every code. Passes of 8
// bits, as many as the largest code needs, in scratch that lives as long as the process.

import type { FlatCodes } from './code-bitset.ts';

const counts = new Uint32Array(256);
let scratch = new Uint32Array(4096);
let otherScratch = new Uint32Array(4096);

/** All of the codes, ascending, without duplicates. */
export function sortedUnion(flat: FlatCodes): Uint32Array {
  const { count, max } = flat;
  if (count > scratch.length) {
    scratch = new Uint32Array(2 * count);
    otherScratch = new Uint32Array(2 * count);
  }
  let from = scratch;
  let to = otherScratch;
  let joined = 0;
  flat.visit((codes, start, end) => {
    for (let i = start; i < end; i++) scratch[joined++] = codes[i]!;
  });
  for (let shift = 0; shift < 32 && max >>> shift !== 0; shift += 8) {
    scatter({ from, to, count, shift });
    [from, to] = [to, from];
  }
  let n = 0;
  for (let i = 0; i < count; i++) {
    const code = from[i]!;
    if (n === 0 || code !== from[n - 1]!) from[n++] = code;
  }
  return from.slice(0, n);
}

interface Pass {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly count: number;
  readonly shift: number;
}

function scatter({ from, to, count, shift }: Pass): void {
  counts.fill(0);
  for (let i = 0; i < count; i++) counts[(from[i]! >>> shift) & 255]!++;
  let at = 0;
  for (let digit = 0; digit < 256; digit++) {
    const digits = counts[digit]!;
    counts[digit] = at;
    at += digits;
  }
  for (let i = 0; i < count; i++) {
    const code = from[i]!;
    to[counts[(code >>> shift) & 255]!++] = code;
  }
}
