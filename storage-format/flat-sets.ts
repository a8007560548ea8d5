// Rows of sets while they are being made: the codes of small ones one after the other in one array, as
// they will be stored, and no object for any of them; only large ones are bitmaps. What is written of
// millions of tiny sets comes this way.

import { grownArray } from '../base/grown-array.ts';
import { setFromUnsorted, type SliceBitmap } from './bitmap.ts';
import { type CodeSet, smallCardinalityMax } from './set-column.ts';
import { locateNothing, type SetCursor, type SetVector } from './set-vector.ts';

/** Row r is codes[offsets[r], offsets[r + 1]), or else a large one. */
export class FlatSets implements SetVector {
  readonly #offsets: Uint32Array;
  readonly #codes: Uint32Array;
  readonly #larges: ReadonlyMap<number, SliceBitmap>;

  constructor(
    offsets: Uint32Array,
    codes: Uint32Array,
    larges: ReadonlyMap<number, SliceBitmap> = new Map(),
  ) {
    this.#offsets = offsets;
    this.#codes = codes;
    this.#larges = larges;
  }

  get length(): number {
    return this.#offsets.length - 1;
  }

  locate(row: number, cursor: SetCursor): void {
    cursor.codes = this.#codes;
    cursor.start = this.#offsets[row]!;
    cursor.end = this.#offsets[row + 1]!;
    cursor.large = undefined;
    if (cursor.start === cursor.end && this.#larges.size > 0) {
      locateNothing(cursor);
      cursor.large = this.#larges.get(row);
    }
  }
}

/** Up to here an insertion sort in place beats a call of the typed array's own sort. */
const insertionSortMax = 24;

/** Takes the codes of row after row, in any order and with repeats. */
export class FlatSetsBuilder {
  readonly #larges = new Map<number, SliceBitmap>();
  #offsets: Uint32Array;
  #codes = new Uint32Array(1024);
  #rows = 0;
  /** Of `#codes`: those of the row that is open come last. */
  #count = 0;

  /** `rows`: so many are expected. */
  constructor(rows: number) {
    this.#offsets = new Uint32Array(rows + 1);
  }

  push(code: number): void {
    if (this.#count === this.#codes.length) {
      this.#codes = grownArray(this.#codes, this.#count + 1);
    }
    this.#codes[this.#count++] = code;
  }

  /** What was pushed since the row before is a row. */
  closeRow(): void {
    const start = this.#offsets[this.#rows]!;
    const count = this.#count - start;
    if (count > 1) this.#count = start + this.#settled(start, count);
    this.#endRow();
  }

  /** A row that is a set already; nothing may be pushed before it. */
  add(set: CodeSet): void {
    if (set instanceof Uint32Array) {
      this.#codes = grownArray(this.#codes, this.#count + set.length);
      this.#codes.set(set, this.#count);
      this.#count += set.length;
    } else this.#larges.set(this.#rows, set);
    this.#endRow();
  }

  #endRow(): void {
    this.#rows++;
    if (this.#rows === this.#offsets.length) {
      this.#offsets = grownArray(this.#offsets, this.#rows + 1);
    }
    this.#offsets[this.#rows] = this.#count;
  }

  /** The rows; the builder is not to be used any more. */
  finish(): FlatSets {
    const offsets = this.#offsets.subarray(0, this.#rows + 1);
    return new FlatSets(offsets, this.#codes.subarray(0, this.#count), this.#larges);
  }

  /** Codes [start, start + count) sorted, each once; how many there are, 0 where they became a bitmap. */
  #settled(start: number, count: number): number {
    const codes = this.#codes;
    if (count <= insertionSortMax) {
      insertionSort(codes, start, start + count);
      return dropRepeats(codes, start, start + count);
    }
    const own = codes.subarray(start, start + count);
    if (count > smallCardinalityMax) {
      const set = setFromUnsorted(own.slice());
      if (!(set instanceof Uint32Array)) {
        this.#larges.set(this.#rows, set);
        return 0;
      }
      codes.set(set, start);
      return set.length;
    }
    own.sort();
    return dropRepeats(codes, start, start + count);
  }
}

function insertionSort(codes: Uint32Array, start: number, end: number): void {
  for (let i = start + 1; i < end; i++) {
    const code = codes[i]!;
    let at = i - 1;
    while (at >= start && codes[at]! > code) {
      codes[at + 1] = codes[at]!;
      at--;
    }
    codes[at + 1] = code;
  }
}

/** Moves the distinct values of a sorted run to its front; returns how many. */
function dropRepeats(codes: Uint32Array, start: number, end: number): number {
  let kept = start + 1;
  for (let i = start + 1; i < end; i++) {
    if (codes[i] !== codes[kept - 1]) codes[kept++] = codes[i]!;
  }
  return kept - start;
}
