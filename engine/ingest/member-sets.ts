// From lists of ids to what a stripe stores: for each group and row, the set of codes. The keys are
// encoded already (one group and one code per distinct id); rows that merge are unions.

import { grownArray } from '../../base/grown-array.ts';
import { emptySet, setFromSorted, setFromUnsorted } from '../../storage-format/bitmap.ts';
import type { CodeSet, CodeSets } from '../../storage-format/set-column.ts';
import type { IdLists } from '../batch/id-lists.ts';
import type { MergedRows } from './arrange-rows.ts';
import type { EncodedKeys } from './encode-keys.ts';

/** Up to here an insertion sort in place beats a call of the typed array's own sort. */
const insertionSortMax = 24;
/** Up to here sorting beats the bitset that setFromUnsorted goes through. */
const sortMax = 2048;

/** Sets of one bitmap column: result[group][row]. Cost: one pass over the members, and sorts. */
export function buildMemberSets(
  lists: IdLists,
  encoded: EncodedKeys,
  rows: MergedRows,
): readonly CodeSets[] {
  const scratch = Array.from({ length: encoded.groupCount }, () => new CodeBuffer());
  const sets = scratch.map((): CodeSet[] => []);
  for (let row = 0; row + 1 < rows.starts.length; row++) {
    const end = rows.starts[row + 1] ?? 0;
    for (let at = rows.starts[row] ?? 0; at < end; at++) {
      scatter(lists, rows.order[at] ?? 0, encoded, scratch);
    }
    for (const [group, buffer] of scratch.entries()) sets[group]?.push(buffer.take());
  }
  return sets;
}

function scatter(
  lists: IdLists,
  row: number,
  encoded: EncodedKeys,
  scratch: readonly CodeBuffer[],
): void {
  const { ordinals } = lists;
  const end = lists.offsets[row + 1] ?? 0;
  for (let at = lists.offsets[row] ?? 0; at < end; at++) {
    const key = ordinals[at] as number;
    (scratch[encoded.groups[key] as number] as CodeBuffer).push(encoded.codes[key] as number);
  }
}

/** Collects the codes of one row's slice, in any order and with repeats. */
class CodeBuffer {
  #codes = new Uint32Array(64);
  #count = 0;

  push(code: number): void {
    if (this.#count === this.#codes.length) {
      this.#codes = grownArray(this.#codes, this.#count + 1);
    }
    this.#codes[this.#count++] = code;
  }

  /** The set of what was pushed; the buffer is empty again. */
  take(): CodeSet {
    const count = this.#count;
    this.#count = 0;
    if (count === 0) return emptySet;
    const codes = this.#codes.subarray(0, count);
    if (count > sortMax) return setFromUnsorted(codes);
    if (count <= insertionSortMax) insertionSort(codes);
    else codes.sort();
    return setFromSorted(codes.slice(0, dropRepeats(codes)));
  }
}

function insertionSort(codes: Uint32Array): void {
  for (let i = 1; i < codes.length; i++) {
    const code = codes[i] as number;
    let at = i - 1;
    while (at >= 0 && (codes[at] as number) > code) {
      codes[at + 1] = codes[at] as number;
      at--;
    }
    codes[at + 1] = code;
  }
}

/** Moves the distinct values of a sorted array to its front; returns how many. */
function dropRepeats(codes: Uint32Array): number {
  let kept = 1;
  for (let i = 1; i < codes.length; i++) {
    if (codes[i] !== codes[kept - 1]) codes[kept++] = codes[i] as number;
  }
  return kept;
}
