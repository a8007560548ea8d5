// Rows of stored bitmap columns as sets of one slice's codes: from row numbers of a source to rows of
// its stripes and back. A row is never dropped: where the group has nobody it is the empty set.

import { defined } from '../../base/assert.ts';
import {
  locateNothing,
  NoSets,
  runAt,
  type SetCursor,
  type SetVector,
} from '../../storage-format/set-vector.ts';
import type { Batch, Slice, StripeRef, StripeSource } from '../batch/batch.ts';
import { isWholeGroup } from '../batch/slices.ts';
import type { PartObjects, SetPlace } from './part-objects.ts';
import type { StoredColumn } from './set-evaluator.ts';
import { RestrictedSets } from './restricted-sets.ts';
import { type Rows, wants } from './set-graph.ts';

export class StoredSets {
  readonly #batch: Batch;
  readonly #parts: PartObjects;

  constructor(batch: Batch, parts: PartObjects) {
    this.#batch = batch;
    this.#parts = parts;
  }

  /** Rows that are not wanted may be anything. */
  async sets(column: StoredColumn, rows: Rows, slice: Slice): Promise<SetVector> {
    const source = this.#source(column);
    if (slice.group >= source.groups) return new NoSets(column.rows.length);
    const place = this.#place(column, slice.group);
    const shares = shareRows(source, distinctRows(column.rows, rows));
    const found = await Promise.all(
      shares.map((share) => this.#parts.sets(share.stripe, place, share.rows)),
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
    const shares = shareRows(source, distinctRows(column.rows, 'all'));
    const counts = await Promise.all(
      shares.map((share) => this.#parts.cardinalities(share.stripe, place)),
    );
    for (let r = 0; r < out.length; r++) {
      const row = column.rows[r] as number;
      if (row < 0) continue;
      const at = shareOfRow(shares, row);
      const rowBase = defined(shares[at], 'a share').rowBase;
      out[r] = defined(counts[at]?.[row - rowBase], 'a cardinality');
    }
    return out;
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
  const picked = rows.filter((row, r) => row >= 0 && wants(wanted, r));
  let ascending = true;
  for (let i = 1; i < picked.length && ascending; i++) {
    ascending = (picked[i - 1] as number) < (picked[i] as number);
  }
  if (ascending) return picked;
  picked.sort();
  return picked.filter((row, i) => i === 0 || row !== picked[i - 1]);
}

/** Source rows shared out to their stripes; stripes without any are left out. */
function shareRows(source: StripeSource, rows: Int32Array): readonly StripeShare[] {
  const shares: StripeShare[] = [];
  let rowBase = 0;
  let at = 0;
  for (const stripe of source.stripes) {
    const start = at;
    while (at < rows.length && (rows[at] as number) < rowBase + stripe.rows) at++;
    if (at > start) {
      const base = rowBase;
      shares.push({ stripe, rowBase, rows: rows.slice(start, at).map((row) => row - base) });
    }
    rowBase += stripe.rows;
  }
  if (at < rows.length) throw new Error(`assertion failed: a source has no row ${rows[at]}`);
  return shares;
}

/** Index of the last share that starts at or below a source row. */
function shareOfRow(shares: readonly StripeShare[], row: number): number {
  let low = 0;
  let high = shares.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (defined(shares[middle], 'a share').rowBase <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}
