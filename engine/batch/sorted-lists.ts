// Lists of ids as they came, with repeats, become IdLists: each distinct id once among the keys, each row
// ascending and distinct. Rows are sorted in place, by insertion while they are short.

import type { KeyList } from '../../storage-format/key-list.ts';
import { createInternTable } from '../dictionary/intern-table.ts';
import type { IdLists } from './id-lists.ts';

/** Row i has ids[offsets[i], offsets[i + 1]), in any order and with repeats. */
export interface GivenLists {
  readonly offsets: Uint32Array;
  readonly ids: KeyList;
  /** Few of the ids come twice. */
  readonly isMostlyNew?: boolean;
}

export function internedLists({ offsets, ids }: GivenLists): IdLists {
  const table = createInternTable(ids.domain);
  const ordinals = new Uint32Array(ids.values.length);
  table.intern(ids, ordinals);
  return { keys: table.keys(), ...sortedLists(offsets, ordinals) };
}

/** Each row's ordinals ascending, each once. Takes `ordinals` over. */
export function sortedLists(
  offsets: Uint32Array,
  ordinals: Uint32Array,
): { readonly offsets: Uint32Array; readonly ordinals: Uint32Array } {
  const kept = new Uint32Array(offsets.length);
  let end = 0;
  for (let row = 0; row + 1 < offsets.length; row++) {
    const start = end;
    const stop = offsets[row + 1]!;
    for (let i = offsets[row]!; i < stop; i++) ordinals[end++] = ordinals[i]!;
    end = sortedOnce(ordinals, start, end);
    kept[row + 1] = end;
  }
  return { offsets: kept, ordinals: end === ordinals.length ? ordinals : ordinals.slice(0, end) };
}

/** Up to here an insertion sort in place beats a call of the typed array's own sort. */
const insertionSortMax = 24;

/** Where the distinct values of the range end, once it is sorted. */
function sortedOnce(values: Uint32Array, start: number, end: number): number {
  if (end - start <= insertionSortMax) insertionSort(values, start, end);
  else if (!ascends(values, start, end)) values.subarray(start, end).sort();
  let kept = start;
  for (let i = start; i < end; i++) {
    if (i === start || values[i] !== values[kept - 1]) values[kept++] = values[i]!;
  }
  return kept;
}

/** Ids that were new when they came. */
function ascends(values: Uint32Array, start: number, end: number): boolean {
  for (let i = start + 1; i < end; i++) if (values[i]! < values[i - 1]!) return false;
  return true;
}

function insertionSort(values: Uint32Array, start: number, end: number): void {
  for (let i = start + 1; i < end; i++) {
    const value = values[i]!;
    let at = i - 1;
    while (at >= start && values[at]! > value) {
      values[at + 1] = values[at]!;
      at--;
    }
    values[at + 1] = value;
  }
}
