// Rows of stored bitmap columns as sets of one slice's codes: from row numbers of a source to rows of
// its stripes and back. A row is never dropped: where the group has nobody it is the empty set.

import { defined } from '../../base/assert.ts';
import { consecutive, consecutiveStart, firstAtLeast } from '../../base/consecutive.ts';
import {
  consecutiveEnd,
  locateNothing,
  NoSets,
  runAt,
  type SetCursor,
  type SetVector,
  type SpanUser,
  visitSpans,
} from '../../storage-format/set-vector.ts';
import type { Batch, Slice, StripeRef, StripeSource } from '../batch/batch.ts';
import { isWholeGroup } from '../batch/slices.ts';
import type { PartObjects, SetPlace } from './part-objects.ts';
import type { StoredColumn } from './set-evaluator.ts';
import { RestrictedSets } from './restricted-sets.ts';
import { type Rows, wants } from './set-graph.ts';
import type { WantedMembers } from './wanted-codes.ts';

export class StoredSets {
  readonly #batch: Batch;
  readonly #parts: PartObjects;
  readonly #kept = new Map<StoredColumn, Map<Rows, readonly StripeShare[]>>();

  constructor(batch: Batch, parts: PartObjects) {
    this.#batch = batch;
    this.#parts = parts;
  }

  /** Rows that are not wanted may be anything, and members that are outside of `within` be missing. */
  async sets(column: StoredColumn, wanted: WantedMembers, slice: Slice): Promise<SetVector> {
    const source = this.#source(column);
    const within = wanted.within ?? (isWholeGroup(slice) ? undefined : [slice.codes]);
    const nobody = slice.group >= source.groups || within?.length === 0;
    if (nobody) return new NoSets(column.rows.length);
    const place = this.#place(column, slice.group);
    const shares = this.#shares(column, wanted.rows);
    const ranges = within === undefined ? {} : { within };
    const found = await Promise.all(
      shares.map(({ stripe, rows }) => this.#parts.sets(stripe, place, { rows, ...ranges })),
    );
    const runs = shares.map(({ rowBase }, i) => ({ rowBase, sets: found[i] as SetVector }));
    const stored = new StoredRows(column.rows, runs);
    return isWholeGroup(slice) ? stored : new RestrictedSets(stored, slice.codes);
  }

  /** Cardinality of each row in a whole group, without any payload. */
  async counts(column: StoredColumn, group: number): Promise<Float64Array> {
    const out = new Float64Array(column.rows.length);
    const source = this.#source(column);
    if (group >= source.groups) return out;
    const place = this.#place(column, group);
    const shares = this.#shares(column, 'all');
    const counts = await Promise.all(
      shares.map((share) => this.#parts.counts(share.stripe, place)),
    );
    const bases = shares.map(({ rowBase }) => rowBase);
    const first = consecutiveStart(column.rows);
    if (first === undefined) pickCounts(column.rows, { bases, counts }, out);
    else counts.forEach((found, i) => copyCounts(found, (bases[i] as number) - first, out));
    return out;
  }

  /** The same for every group. */
  #shares(column: StoredColumn, rows: Rows): readonly StripeShare[] {
    const kept = this.#kept.get(column) ?? new Map<Rows, readonly StripeShare[]>();
    this.#kept.set(column, kept);
    const known = kept.get(rows);
    if (known !== undefined) return known;
    const shares = shareRows(this.#source(column), distinctRows(column.rows, rows));
    kept.set(rows, shares);
    return shares;
  }

  #place(column: StoredColumn, group: number): SetPlace {
    const ref = defined(this.#batch.dictionaries[column.dictionary], 'a dictionary');
    return { columnId: column.columnId, group, nextCode: ref.nextCodes[group] ?? 0 };
  }

  #source(column: StoredColumn): StripeSource {
    return defined(this.#batch.sources[column.source], `source ${column.source}`);
  }
}

/** Rows of a source, each of the stripe that it lies in. */
class StoredRows implements SetVector {
  readonly #rows: Int32Array;
  readonly #starts: readonly number[];
  readonly #sets: readonly SetVector[];
  #last = 0;

  constructor(
    rows: Int32Array,
    runs: readonly { readonly rowBase: number; readonly sets: SetVector }[],
  ) {
    this.#rows = rows;
    this.#starts = runs.map(({ rowBase }) => rowBase);
    this.#sets = runs.map(({ sets }) => sets);
  }

  get length(): number {
    return this.#rows.length;
  }

  locate(r: number, cursor: SetCursor): void {
    const row = this.#rows[r] as number;
    const starts = this.#starts;
    if (row < (starts[this.#last] ?? 0) || row >= (starts[this.#last + 1] ?? Infinity)) {
      this.#last = Math.max(0, runAt(starts, row));
    }
    const sets = this.#sets[this.#last];
    const place = row - (starts[this.#last] ?? 0);
    if (row < 0 || sets === undefined || place >= sets.length) locateNothing(cursor);
    else sets.locate(place, cursor);
  }

  /** A run of consecutive rows lies in one piece of each stripe. */
  spans(start: number, end: number, use: SpanUser): void {
    const rows = this.#rows;
    for (let r = start; r < end; ) {
      const row = rows[r] as number;
      const runEnd = row < 0 ? r + 1 : consecutiveEnd(rows, r, end);
      const last = row + runEnd - r;
      for (let i = row < 0 ? this.#sets.length : runAt(this.#starts, row); ; i++) {
        const sets = this.#sets[i];
        const base = this.#starts[i] ?? Infinity;
        if (sets === undefined || base >= last) break;
        const [from, to] = [Math.max(0, row - base), Math.min(sets.length, last - base)];
        if (from < to) visitSpans(sets, { start: from, end: to }, use);
      }
      r = runEnd;
    }
  }
}

/** Counts of stripes, whose rows start at these rows of a source. */
interface SourceCounts {
  readonly bases: readonly number[];
  readonly counts: readonly Uint32Array[];
}

/** Of these rows of a source; -1 has none. */
function pickCounts(rows: Int32Array, { bases, counts }: SourceCounts, out: Float64Array): void {
  let start = 0;
  let end = 0;
  let found: Uint32Array = new Uint32Array(0);
  for (let r = 0; r < out.length; r++) {
    const row = rows[r] as number;
    if (row < 0) continue;
    if (row < start || row >= end) {
      const at = runAt(bases, row);
      start = defined(bases[at], 'a share');
      found = defined(counts[at], 'cardinalities of a stripe');
      end = start + found.length;
    }
    out[r] = found[row - start] as number;
  }
}

/** Counts that start at `at`, which may be before the first, as far as there is room. */
function copyCounts(counts: Uint32Array, at: number, out: Float64Array): void {
  const end = Math.min(counts.length, out.length - at);
  out.set(counts.subarray(Math.max(0, -at), end), Math.max(0, at));
}

interface StripeShare {
  readonly stripe: StripeRef;
  /** Source row of the stripe's row 0. */
  readonly rowBase: number;
  /** Rows of the stripe, ascending, distinct. */
  readonly rows: Int32Array;
}

/** Rows that are wanted, without -1: ascending, distinct. Scans give them so already. */
function distinctRows(rows: Int32Array, wanted: Rows): Int32Array {
  const picked = wanted === 'all' ? withoutEmpty(rows) : pickedRows(rows, wanted);
  if (isAscending(picked)) return picked;
  const sorted = picked.slice().sort();
  let n = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (i === 0 || sorted[i] !== sorted[n - 1]) sorted[n++] = sorted[i] as number;
  }
  return sorted.subarray(0, n);
}

function withoutEmpty(rows: Int32Array): Int32Array {
  if (consecutiveStart(rows) !== undefined) return rows;
  return rows.includes(-1) ? rows.filter((row) => row >= 0) : rows;
}

/** Loops, not callbacks: there may be millions. */
function pickedRows(rows: Int32Array, wanted: Rows): Int32Array {
  const picked = new Int32Array(rows.length);
  let n = 0;
  for (let r = 0; r < rows.length; r++) {
    const row = rows[r] as number;
    if (row >= 0 && wants(wanted, r)) picked[n++] = row;
  }
  return picked.subarray(0, n);
}

function isAscending(rows: Int32Array): boolean {
  if (consecutiveStart(rows) !== undefined) return true;
  for (let i = 1; i < rows.length; i++) {
    if ((rows[i - 1] as number) >= (rows[i] as number)) return false;
  }
  return true;
}

/** Source rows shared out to their stripes; stripes without any are left out. */
function shareRows(source: StripeSource, rows: Int32Array): readonly StripeShare[] {
  const shares: StripeShare[] = [];
  let rowBase = 0;
  let at = 0;
  for (const stripe of source.stripes) {
    const start = at;
    at = firstAtLeast(rows, rowBase + stripe.rows, at);
    if (at > start) {
      const own = rows.subarray(start, at);
      const base = rowBase;
      shares.push({ stripe, rowBase, rows: shiftedDown(own, base) });
    }
    rowBase += stripe.rows;
  }
  if (at < rows.length) throw new Error(`assertion failed: a source has no row ${rows[at]}`);
  return shares;
}

function shiftedDown(rows: Int32Array, by: number): Int32Array {
  if (by === 0) return rows;
  const start = consecutiveStart(rows);
  if (start !== undefined) return consecutive(start - by, start - by + rows.length);
  return rows.map((row) => row - by);
}
