// Folds of rows of a vector into one set each, or into its count alone. The empty list is the empty set,
// for every operator. Rows of a union are gone through where they lie; none becomes an object. Few are
// gone through twice, once to see how many codes there are and up to where; many go into a bitset that
// grows.

import {
  andCardinality,
  emptySet,
  isEmpty,
  setAnd,
  setCardinality,
  setXor,
  type SliceBitmap,
  unionOf,
  unionOfCardinality,
  unionOfGrown,
} from '../../storage-format/bitmap.ts';
import { type FlatCodes, GrowingUnion } from '../../storage-format/code-bitset.ts';
import type { CodeSet } from '../../storage-format/set-column.ts';
import {
  cardinalityUnder,
  consecutiveEnd,
  newCursor,
  type SetCursor,
  type SetVector,
  setUnder,
  type SpanUser,
  visitSpans,
} from '../../storage-format/set-vector.ts';
import type { FoldHow } from '../batch/batch.ts';

/** Entries [start, end) of `index`, each a row of `of`; -1 is the empty set. */
export interface RowList {
  readonly of: SetVector;
  readonly index: Int32Array;
  readonly start: number;
  readonly end: number;
}

export function foldRows(how: FoldHow, list: RowList): CodeSet {
  if (list.end - list.start === 1) return rowsOf(list)[0] as CodeSet;
  if (how === 'or') {
    const grown = isLong(list) ? put(list) : undefined;
    if (grown !== undefined) return unionOfGrown(grown.small, grown.large);
    const { flat, large } = gather(list);
    return unionOf(flat, large);
  }
  return how === 'and' ? intersection(list) : rowsOf(list).reduce(setXor, emptySet);
}

/** Members of the fold. */
export function foldCardinality(how: FoldHow, list: RowList): number {
  if (list.end - list.start === 1) {
    const row = list.index[list.start] as number;
    if (row < 0) return 0;
    const cursor = newCursor();
    list.of.locate(row, cursor);
    return cardinalityUnder(cursor);
  }
  if (how === 'or') {
    const grown = isLong(list) ? put(list) : undefined;
    if (grown?.large.length === 0) return grown.small.cardinality();
    if (grown !== undefined) return setCardinality(unionOfGrown(grown.small, grown.large));
    const { flat, large } = gather(list);
    return unionOfCardinality(flat, large);
  }
  if (how === 'and') return intersectionCardinality(list);
  return setCardinality(foldRows(how, list));
}

/** So many rows that to go through them twice would take longer than to clear a bitset. */
const longFrom = 1024;

function isLong({ start, end }: RowList): boolean {
  return end - start >= longFrom;
}

interface Grown {
  readonly small: GrowingUnion;
  readonly large: readonly SliceBitmap[];
}

/** Undefined where codes are too far apart for one bitset. */
function put({ of, index, start, end }: RowList): Grown | undefined {
  const small = new GrowingUnion();
  const large: SliceBitmap[] = [];
  const found = { fits: true };
  const use: SpanUser = {
    flat: (codes, from, to) => {
      found.fits &&= small.put({ codes, start: from, end: to });
    },
    large: (set) => large.push(set),
  };
  for (let i = start; i < end && found.fits; ) {
    const row = index[i] as number;
    const runEnd = row < 0 ? i + 1 : consecutiveEnd(index, i, end);
    if (row >= 0) visitSpans(of, { start: row, end: row + runEnd - i }, use);
    i = runEnd;
  }
  return found.fits ? { small, large } : undefined;
}

function gather(list: RowList): { readonly flat: FlatCodes; readonly large: SliceBitmap[] } {
  const large: SliceBitmap[] = [];
  let count = 0;
  let max = 0;
  eachRow(list, (cursor) => {
    if (cursor.large !== undefined) large.push(cursor.large);
    else if (cursor.end > cursor.start) {
      count += cursor.end - cursor.start;
      const last = cursor.codes[cursor.end - 1] as number;
      if (last > max) max = last;
    }
  });
  const visit: FlatCodes['visit'] = (take) =>
    eachRow(list, ({ codes, start, end, large: isLarge }) => {
      if (isLarge === undefined && end > start) take(codes, start, end);
    });
  return { flat: { count, max, visit }, large };
}

function eachRow({ of, index, start, end }: RowList, use: (cursor: SetCursor) => void): void {
  const cursor = newCursor();
  for (let i = start; i < end; i++) {
    const row = index[i] as number;
    if (row < 0) continue;
    of.locate(row, cursor);
    use(cursor);
  }
}

/** A set each: for operators that go through few of them, or end soon. */
function rowsOf({ of, index, start, end }: RowList): CodeSet[] {
  const cursor = newCursor();
  const sets: CodeSet[] = [];
  for (let i = start; i < end; i++) {
    const row = index[i] as number;
    if (row >= 0) of.locate(row, cursor);
    sets.push(row < 0 ? emptySet : setUnder(cursor));
  }
  return sets;
}

/** Smallest first: the result never grows, and stops at the first empty one. */
function smallestFirst(list: RowList): CodeSet[] {
  const { of, index, start, end } = list;
  const rows = index.subarray(start, end);
  if (rows.includes(-1)) return [];
  const cursor = newCursor();
  const sized = Array.from(rows, (row) => {
    of.locate(row, cursor);
    return { row, size: cardinalityUnder(cursor) };
  });
  sized.sort((a, b) => a.size - b.size);
  if (sized[0]?.size === 0) return [];
  return rowsOf({
    of,
    index: Int32Array.from(sized, ({ row }) => row),
    start: 0,
    end: rows.length,
  });
}

function intersection(list: RowList): CodeSet {
  const ordered = smallestFirst(list);
  let result = ordered[0] ?? emptySet;
  for (let i = 1; i < ordered.length && !isEmpty(result); i++) {
    result = setAnd(result, ordered[i] as CodeSet);
  }
  return result;
}

/** The last step is counted, not made. */
function intersectionCardinality(list: RowList): number {
  const ordered = smallestFirst(list);
  let result = ordered[0] ?? emptySet;
  for (let i = 1; i < ordered.length - 1 && !isEmpty(result); i++) {
    result = setAnd(result, ordered[i] as CodeSet);
  }
  const last = ordered.at(-1);
  return last === undefined || isEmpty(result) ? 0 : andCardinality(result, last);
}
