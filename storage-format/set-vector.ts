// Vectors of sets, read row by row without an object for each row: a cursor is told where a row's codes
// lie. An object for each of millions of tiny sets would cost more than all that is done with them.
// Rows are never written through a vector.

import { consecutiveStart } from '../base/consecutive.ts';
import type { SliceBitmap } from './bitmap.ts';
import type { CodeSet, CodeSets } from './set-column.ts';

/** A row: `large`, or else codes[start, end), ascending. */
export interface SetCursor {
  codes: Uint32Array;
  start: number;
  end: number;
  large: SliceBitmap | undefined;
}

export interface SetVector {
  readonly length: number;
  /** `row` is below `length`. */
  locate(row: number, cursor: SetCursor): void;
  /**
   * All members of rows [start, end), in as few pieces as they lie in: what a union needs, without a
   * step for each row. Absent: row by row.
   */
  spans?(start: number, end: number, use: SpanUser): void;
}

/** codes[start, end) of several rows, in any order and with repeats; or large ones. */
export interface SpanUser {
  flat(codes: Uint32Array, start: number, end: number): void;
  large(set: SliceBitmap): void;
}

/** As SetVector.spans, of any vector. */
export function visitSpans(
  vector: SetVector,
  rows: { readonly start: number; readonly end: number },
  use: SpanUser,
): void {
  const { start, end } = rows;
  if (vector.spans !== undefined) {
    vector.spans(start, end, use);
    return;
  }
  const cursor = newCursor();
  for (let row = start; row < end; row++) {
    vector.locate(row, cursor);
    if (cursor.large !== undefined) use.large(cursor.large);
    else if (cursor.start < cursor.end) use.flat(cursor.codes, cursor.start, cursor.end);
  }
}

/** Of each array the last long run that was found: all groups of a question go through the same. */
const longRuns = new WeakMap<Int32Array, { readonly start: number; readonly end: number }>();
const longFrom = 4096;

/** End of the run of consecutive numbers that starts at `start`; `rows` never change. */
export function consecutiveEnd(rows: Int32Array, start: number, end: number): number {
  if (consecutiveStart(rows) !== undefined) return end;
  const known = end - start < longFrom ? undefined : longRuns.get(rows);
  if (known !== undefined && known.start <= start && start < known.end) {
    return Math.min(known.end, end);
  }
  const first = rows[start]!;
  let at = start + 1;
  while (at < end && rows[at] === first + at - start) at++;
  const isWhole = at < end || end === rows.length;
  if (isWhole && at - start >= longFrom) longRuns.set(rows, { start, end: at });
  return at;
}

const noCodes = new Uint32Array(0);

export function newCursor(): SetCursor {
  return { codes: noCodes, start: 0, end: 0, large: undefined };
}

/** Points at the empty set. */
export function locateNothing(cursor: SetCursor): void {
  cursor.start = 0;
  cursor.end = 0;
  cursor.large = undefined;
}

export function locateSet(set: CodeSet, cursor: SetCursor): void {
  if (set instanceof Uint32Array) {
    cursor.codes = set;
    cursor.start = 0;
    cursor.end = set.length;
    cursor.large = undefined;
  } else {
    cursor.large = set;
  }
}

/** The row as a set of its own: a view. */
export function setUnder(cursor: SetCursor): CodeSet {
  const { codes, start, end, large } = cursor;
  if (large !== undefined) return large;
  if (start === end) return noCodes;
  return start === 0 && end === codes.length ? codes : codes.subarray(start, end);
}

export function cardinalityUnder({ start, end, large }: SetCursor): number {
  return large === undefined ? end - start : large.size;
}

/** All rows as sets: an object each, the same one for rows that lie at the same place. */
export function setsOf(vector: SetVector): CodeSets {
  if (vector instanceof SetList) return vector.sets;
  const cursor = newCursor();
  const known = new Map<Uint32Array, Map<number, Uint32Array>>();
  return Array.from({ length: vector.length }, (_, row) => {
    vector.locate(row, cursor);
    const { codes, start, end, large } = cursor;
    if (large !== undefined || start === end) return setUnder(cursor);
    const here = known.get(codes) ?? new Map<number, Uint32Array>();
    if (here.size === 0) known.set(codes, here);
    const before = here.get(start);
    if (before !== undefined && before.length === end - start) return before;
    const set = codes.subarray(start, end);
    here.set(start, set);
    return set;
  });
}

/** Sets that are objects anyhow. */
export class SetList implements SetVector {
  readonly sets: CodeSets;

  constructor(sets: CodeSets) {
    this.sets = sets;
  }

  get length(): number {
    return this.sets.length;
  }

  locate(row: number, cursor: SetCursor): void {
    locateSet(this.sets[row]!, cursor);
  }
}

/** So many empty sets. */
export class NoSets implements SetVector {
  readonly length: number;

  constructor(length: number) {
    this.length = length;
  }

  locate(_: number, cursor: SetCursor): void {
    locateNothing(cursor);
  }
}

/** Rows of another vector in any order; -1 is the empty set. */
export class TakenSets implements SetVector {
  readonly #of: SetVector;
  readonly #index: Int32Array;

  constructor(of: SetVector, index: Int32Array) {
    this.#of = of;
    this.#index = index;
  }

  get length(): number {
    return this.#index.length;
  }

  locate(row: number, cursor: SetCursor): void {
    const of = this.#index[row]!;
    if (of < 0) locateNothing(cursor);
    else this.#of.locate(of, cursor);
  }
}

/** Vectors one after the other. */
export class JoinedSets implements SetVector {
  readonly length: number;
  readonly #parts: readonly SetVector[];
  readonly #starts: readonly number[];
  #last = 0;

  constructor(parts: readonly SetVector[]) {
    const starts = [0];
    let length = 0;
    for (const part of parts) {
      length += part.length;
      starts.push(length);
    }
    this.#parts = parts;
    this.#starts = starts;
    this.length = length;
  }

  locate(row: number, cursor: SetCursor): void {
    const starts = this.#starts;
    if (row < starts[this.#last]! || row >= starts[this.#last + 1]!) {
      this.#last = runAt(starts, row);
    }
    this.#parts[this.#last]!.locate(row - starts[this.#last]!, cursor);
  }

  spans(start: number, end: number, use: SpanUser): void {
    for (const [i, part] of this.#parts.entries()) {
      const base = this.#starts[i]!;
      const [from, to] = [Math.max(0, start - base), Math.min(part.length, end - base)];
      if (from < to) visitSpans(part, { start: from, end: to }, use);
    }
  }
}

/** Index of the last of these ascending starts that is at or below `row`. */
export function runAt(starts: readonly number[], row: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (starts[middle]! <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}
