// The slices of one group of a bitmap column, as far as they were read from a part: runs of flat codes
// as they lie there (CSR), views of large payloads, and pieces of those that nobody needed whole. Rows
// and pieces that were not read yet can be added; what is there never changes.

import { consecutiveStart } from '../base/consecutive.ts';
import type { CodeRange, SliceBitmap } from './bitmap.ts';
import type { Members } from './member-slices.ts';
import type { PayloadPieces } from './payload-pieces.ts';
import { smallCardinalityMax } from './set-column.ts';
import {
  locateNothing,
  runAt,
  type SetCursor,
  type SetVector,
  type SpanUser,
} from './set-vector.ts';

/** Codes of rows that follow each other, the first of which is `firstRow`. */
class FlatRun {
  readonly firstRow: number;
  readonly rows: number;
  readonly codes: Uint32Array;
  #counts: Uint32Array | undefined;
  #offsets: Uint32Array | undefined;

  constructor(
    firstRow: number,
    of: Members | { readonly counts: Uint32Array; codes: Uint32Array },
  ) {
    this.firstRow = firstRow;
    this.codes = of.codes;
    if ('counts' in of) {
      this.#counts = of.counts;
      this.rows = of.counts.length;
    } else {
      this.#offsets = of.offsets;
      this.rows = of.offsets.length - 1;
    }
  }

  /** Held, about. */
  get bytes(): number {
    return 4 * (this.rows + 1) + this.codes.byteLength;
  }

  /**
   * Row firstRow + i is codes[offsets[i], offsets[i + 1]). Made of the counts when a row is asked for:
   * who unites whole runs never does.
   */
  get offsets(): Uint32Array {
    this.#offsets ??= offsetsOf(this.#counts ?? new Uint32Array(0));
    this.#counts = undefined;
    return this.#offsets;
  }
}

/** Large rows have no codes in a run. */
function offsetsOf(counts: Uint32Array): Uint32Array {
  const offsets = new Uint32Array(counts.length + 1);
  let end = 0;
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i]!;
    if (count <= smallCardinalityMax) end += count;
    offsets[i + 1] = end;
  }
  return offsets;
}

const largeOverheadBytes = 120;

export class StoredSlices implements SetVector {
  readonly length: number;
  /** 1: can be located. */
  readonly #known: Uint8Array;
  #isFresh = true;
  /** In order of rows; each has its place in `#starts`. */
  readonly #runs: FlatRun[] = [];
  readonly #starts: number[] = [];
  readonly #larges = new Map<number, SliceBitmap>();
  readonly #pieces = new Map<number, PayloadPieces>();
  #last = 0;
  #bytes: number;

  constructor(rows: number) {
    this.length = rows;
    this.#known = new Uint8Array(rows);
    this.#bytes = rows;
  }

  /** Held, about. */
  get bytes(): number {
    let bytes = this.#bytes;
    for (const pieces of this.#pieces.values()) bytes += pieces.bytes;
    return bytes;
  }

  /**
   * Those of `rows` that were not read; -1 is never missing. `within`: nor is a row of which all
   * pieces with codes of these ranges are there.
   */
  missing(rows: Int32Array, within?: readonly CodeRange[]): Int32Array {
    if (this.#isFresh && consecutiveStart(rows) !== undefined) return rows;
    if (!this.#known.includes(0)) return new Int32Array(0);
    const missing = new Int32Array(rows.length);
    let n = 0;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      if (row < 0 || this.#known[row] === 1) continue;
      const pieces = within === undefined ? undefined : this.#pieces.get(row);
      if (pieces === undefined || pieces.missing(within!).length > 0) missing[n++] = row;
    }
    return missing.subarray(0, n);
  }

  /** What is there of a large set that was not read whole. */
  pieces(row: number): PayloadPieces | undefined {
    return this.#pieces.get(row);
  }

  addPieces(row: number, pieces: PayloadPieces): void {
    this.#isFresh = false;
    if (this.#known[row] === 0 && !this.#pieces.has(row)) this.#pieces.set(row, pieces);
  }

  /** These rows as far as their codes are in these ranges, of which no piece may be missing. */
  within(rows: Int32Array, within: readonly CodeRange[]): SetVector {
    if (this.#pieces.size === 0) return this;
    const some = new Map<number, SliceBitmap | undefined>();
    for (const row of rows) {
      const pieces = this.#pieces.get(row);
      if (pieces !== undefined) some.set(row, pieces.set(within));
    }
    return some.size === 0 ? this : new PartlyStored(this, some);
  }

  /** Rows of a run whose cardinality is known: the empty ones need no reading. */
  addCounts(firstRow: number, cardinality: Uint32Array): void {
    this.#isFresh = false;
    for (let i = 0; i < cardinality.length; i++) {
      if (cardinality[i] === 0) this.#known[firstRow + i] = 1;
    }
  }

  /** `counts`: cardinality of each row of the run; large ones have no codes here. */
  addRun(firstRow: number, counts: Uint32Array, codes: Uint32Array): void {
    if (this.#known[firstRow] === 1 && this.#starts[this.#placeOf(firstRow)] === firstRow) return;
    this.#isFresh = false;
    let small = 0;
    let larges = 0;
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i]!;
      if (count <= smallCardinalityMax) small += count;
      else larges++;
    }
    this.#know(firstRow, counts, larges > 0);
    if (small !== codes.length) throw new Error(`${small} codes are promised`);
    this.#insert(new FlatRun(firstRow, { counts, codes }));
  }

  #know(firstRow: number, counts: Uint32Array, hasLarge: boolean): void {
    if (!hasLarge) this.#known.fill(1, firstRow, firstRow + counts.length);
    else {
      for (let i = 0; i < counts.length; i++) {
        if (counts[i]! <= smallCardinalityMax) this.#known[firstRow + i] = 1;
      }
    }
  }

  addLarge(row: number, set: SliceBitmap, bytes: number): void {
    this.#isFresh = false;
    if (!this.#larges.has(row)) this.#bytes += bytes + largeOverheadBytes;
    this.#larges.set(row, set);
    this.#known[row] = 1;
    this.#pieces.delete(row);
  }

  /** All rows, from an unsplit column. */
  addMembers(members: Members): void {
    if (this.#runs.length > 0) return;
    this.#isFresh = false;
    this.#known.fill(1);
    this.#insert(new FlatRun(0, members));
  }

  locate(row: number, cursor: SetCursor): void {
    const run = this.#runOf(row);
    const place = run === undefined ? -1 : row - run.firstRow;
    if (run === undefined || place < 0 || place >= run.rows) locateNothing(cursor);
    else {
      cursor.codes = run.codes;
      const { offsets } = run;
      cursor.start = offsets[place]!;
      cursor.end = offsets[place + 1]!;
      cursor.large = undefined;
    }
    if (cursor.start === cursor.end && this.#larges.size > 0) cursor.large = this.#larges.get(row);
  }

  spans(start: number, end: number, use: SpanUser): void {
    const first = this.#starts.length === 0 ? 0 : runAt(this.#starts, start);
    for (let i = first; i < this.#runs.length; i++) {
      const run = this.#runs[i]!;
      const { firstRow, rows, codes } = run;
      if (firstRow >= end) break;
      const from = Math.min(Math.max(start - firstRow, 0), rows);
      const to = Math.min(end - firstRow, rows);
      const isWhole = from === 0 && to === rows;
      const at = isWhole ? 0 : run.offsets[from]!;
      const stop = isWhole ? codes.length : run.offsets[to]!;
      if (at < stop) use.flat(codes, at, stop);
    }
    for (const [row, set] of this.#larges) if (start <= row && row < end) use.large(set);
  }

  #runOf(row: number): FlatRun | undefined {
    const last = this.#runs[this.#last];
    if (last !== undefined && row >= last.firstRow) {
      if (row - last.firstRow < last.rows) return last;
    }
    if (this.#starts.length > 0) this.#last = runAt(this.#starts, row);
    return this.#runs[this.#last];
  }

  #insert(run: FlatRun): void {
    const { firstRow } = run;
    const at = this.#placeOf(firstRow);
    this.#starts.splice(at, 0, firstRow);
    this.#runs.splice(at, 0, run);
    this.#last = at;
    this.#bytes += run.bytes;
  }

  /** Of a run that starts at `row`. Runs mostly come in order. */
  #placeOf(row: number): number {
    const starts = this.#starts;
    if (starts.length === 0 || starts.at(-1)! < row) return starts.length;
    const at = runAt(starts, row);
    return starts[at]! < row ? at + 1 : at;
  }
}

/** Stored slices of which some large rows are there in part: what else they hold may be missing. */
class PartlyStored implements SetVector {
  readonly #of: StoredSlices;
  readonly #some: ReadonlyMap<number, SliceBitmap | undefined>;

  constructor(of: StoredSlices, some: ReadonlyMap<number, SliceBitmap | undefined>) {
    this.#of = of;
    this.#some = some;
  }

  get length(): number {
    return this.#of.length;
  }

  locate(row: number, cursor: SetCursor): void {
    if (!this.#some.has(row)) {
      this.#of.locate(row, cursor);
      return;
    }
    locateNothing(cursor);
    cursor.large = this.#some.get(row);
  }

  spans(start: number, end: number, use: SpanUser): void {
    this.#of.spans(start, end, use);
    for (const [row, set] of this.#some) {
      if (set !== undefined && start <= row && row < end) use.large(set);
    }
  }
}
