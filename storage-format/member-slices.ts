// The members of an unsplit bitmap column, List<UInt64> of group x 2^32 + code, as the slices of
// each group: flat codes with offsets. SPEC.md, "Unsplit stripes".

import { assert } from '../base/assert.ts';
import { typed } from './column-decoder.ts';

/** The slices of one group: row i is codes[offsets[i], offsets[i + 1]). */
export interface Members {
  readonly codes: Uint32Array;
  readonly offsets: Uint32Array;
  readonly cardinality: Uint32Array;
}

/** Each run: offsets (rows + 1, padded to 8) and members of a row group. Checks order and groups. */
export function splitMembers(
  runs: readonly { readonly bytes: Uint8Array; readonly rows: number }[],
  rows: number,
  groups: number,
): readonly Members[] {
  const split = runs.map((run) => {
    const offsetsBytes = 4 * (run.rows + 1);
    const offsets = typed(run.bytes.subarray(0, offsetsBytes), Int32Array, run.rows + 1);
    const start = offsetsBytes + (offsetsBytes % 8);
    const count = offsets[run.rows]!;
    const members = run.bytes.subarray(start, start + 8 * count);
    return { offsets, halves: typed(members, Uint32Array, 2 * count), rows: run.rows };
  });
  const cardinality = Array.from({ length: groups }, () => new Uint32Array(rows));
  let base = 0;
  for (const { offsets, halves, rows: count } of split) {
    for (let row = 0; row < count; row++) {
      for (let i = offsets[row]!; i < offsets[row + 1]!; i++) {
        const counts = cardinality[halves[2 * i + 1]!];
        assert(counts !== undefined, `a member of group ${halves[2 * i + 1]} of ${groups}`);
        counts[base + row]!++;
      }
    }
    base += count;
  }
  const slices = cardinality.map(slicesOf);
  const ends = new Uint32Array(groups);
  for (const { halves } of split) {
    for (let i = 0; i < halves.length; i += 2) {
      const group = halves[i + 1]!;
      slices[group]!.codes[ends[group]!++] = halves[i]!;
    }
  }
  return slices;
}

function slicesOf(cardinality: Uint32Array): Members {
  const offsets = prefixSums(cardinality);
  return { codes: new Uint32Array(offsets.at(-1)!), offsets, cardinality };
}

/** offsets[i] = sum of the counts before i; one longer than the counts. */
function prefixSums(counts: Uint32Array): Uint32Array {
  const offsets = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; i++) offsets[i + 1] = offsets[i]! + counts[i]!;
  return offsets;
}
