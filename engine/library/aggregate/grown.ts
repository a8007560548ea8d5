// Arrays of one cell per group that grow as groups appear.

/** At least `length` cells; new ones are 0. */
export function grownFloats(cells: Float64Array, length: number): Float64Array {
  if (length <= cells.length) return cells;
  const larger = new Float64Array(Math.max(length, cells.length * 2, 16));
  larger.set(cells);
  return larger;
}

export function grownInts(cells: Int32Array, length: number): Int32Array {
  if (length <= cells.length) return cells;
  const larger = new Int32Array(Math.max(length, cells.length * 2, 16));
  larger.set(cells);
  return larger;
}

export function grownBytes(cells: Uint8Array, length: number): Uint8Array {
  if (length <= cells.length) return cells;
  const larger = new Uint8Array(Math.max(length, cells.length * 2, 16));
  larger.set(cells);
  return larger;
}

/** One more than the greatest group number. */
export function groupsNeeded(groups: Uint32Array): number {
  let most = -1;
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i] ?? 0;
    if (group > most) most = group;
  }
  return most + 1;
}
