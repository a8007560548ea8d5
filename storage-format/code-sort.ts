// Sorts codes by radix: 40 sets of 25 codes in 10 us where the engine's own sort takes 35 and a
// bitset over millions of codes misses the cache at every code. Passes of 8 bits, as many as the
// largest code needs.

const counts = new Uint32Array(256);

/** Ascending, without duplicates. `codes` is taken over. */
export function radixSortUnique(codes: Uint32Array, max: number): Uint32Array {
  let from: Uint32Array = codes;
  let to: Uint32Array = new Uint32Array(codes.length);
  for (let shift = 0; shift < 32 && max >>> shift !== 0; shift += 8) {
    scatter(from, to, shift);
    [from, to] = [to, from];
  }
  let n = 0;
  for (let i = 0; i < from.length; i++) {
    const code = from[i]!;
    if (n === 0 || code !== from[n - 1]!) from[n++] = code;
  }
  return n === from.length ? from : from.subarray(0, n);
}

function scatter(from: Uint32Array, to: Uint32Array, shift: number): void {
  counts.fill(0);
  for (let i = 0; i < from.length; i++) counts[(from[i]! >>> shift) & 255]!++;
  let at = 0;
  for (let digit = 0; digit < 256; digit++) {
    const count = counts[digit]!;
    counts[digit] = at;
    at += count;
  }
  for (let i = 0; i < from.length; i++) {
    const code = from[i]!;
    to[counts[(code >>> shift) & 255]!++] = code;
  }
}
