// Group numbers of rows that are all of group 0, as they are where there are no keys: views of one array
// of zeros, told by their buffer, so that aggregates needn't go through millions of them. Nobody may
// write to them, and nothing but speed depends on who knows them.

let zeros: Uint32Array = new Uint32Array(0);
/** Of views that are still about, from before the array grew. */
const buffers = new WeakSet<ArrayBufferLike>();

/** So many zeros. */
export function oneGroup(rows: number): Uint32Array {
  if (rows > zeros.length) {
    zeros = new Uint32Array(Math.max(rows, 65_536));
    buffers.add(zeros.buffer);
  }
  return zeros.subarray(0, rows);
}

/** True only for rows that are all of group 0. */
export function isOneGroup(groups: Uint32Array): boolean {
  return buffers.has(groups.buffer);
}
