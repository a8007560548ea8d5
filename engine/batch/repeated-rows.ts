// Columns of stored sets that name the same rows again and again, as those of a join do: all columns of one
// table's sets become rows of one vector, which has each row once. So it is seen that pairs of them are
// few, and that (x, y) is (y, x). Pure; that it pays is told by counting rows.

import { consecutiveStart } from '../../base/consecutive.ts';
import type { SetColumn } from './batch.ts';

type StoredColumn = Extract<SetColumn, { readonly op: 'stored' }>;

export interface DistinctRows {
  /** Ascending. */
  readonly rows: Int32Array;
  /** By row its place among them, where it is one of them. */
  readonly places: Int32Array;
}

/** Fewer rows are not worth a vector more. */
const rowsMin = 64;
/** The places of so many rows are a table. */
const tableRowsMax = 4 * 1024 * 1024;

export class RepeatedRows {
  readonly #found = new Map<string, DistinctRows | undefined>();

  constructor(columns: readonly SetColumn[]) {
    const stored = new Map<string, StoredColumn[]>();
    for (const column of columns) {
      if (column.op !== 'stored') continue;
      const name = nameOf(column);
      stored.set(name, [...(stored.get(name) ?? []), column]);
    }
    for (const [name, same] of stored) this.#found.set(name, distinctRows(same));
  }

  /** Of this column and all others of the same sets; undefined where rows hardly repeat. */
  of(column: StoredColumn): DistinctRows | undefined {
    return this.#found.get(nameOf(column));
  }
}

export function placesOf(rows: Int32Array, { places }: DistinctRows): Int32Array {
  return rows.map((row) => (row < 0 ? -1 : places[row]!));
}

function nameOf({ dictionary, source, columnId }: StoredColumn): string {
  return `${dictionary} ${source} ${columnId}`;
}

function distinctRows(columns: readonly StoredColumn[]): DistinctRows | undefined {
  const most = columns.reduce((max, { rows }) => Math.max(max, rows.length), 0);
  if (most < rowsMin || columns.every(({ rows }) => isAscending(rows))) return undefined;
  const end = 1 + columns.reduce((max, { rows }) => Math.max(max, largest(rows)), -1);
  if (end > tableRowsMax) return undefined;
  const places = new Int32Array(end);
  for (const { rows } of columns) {
    for (let i = 0; i < rows.length; i++) if (rows[i]! >= 0) places[rows[i]!] = 1;
  }
  let count = 0;
  for (let row = 0; row < end; row++) if (places[row] === 1) places[row] = count++;
  if (2 * count > most) return undefined;
  const rows = new Int32Array(count);
  for (const column of columns) {
    for (let i = 0; i < column.rows.length; i++) {
      const row = column.rows[i]!;
      if (row >= 0) rows[places[row]!] = row;
    }
  }
  return { rows, places };
}

function isAscending(rows: Int32Array): boolean {
  if (consecutiveStart(rows) !== undefined) return true;
  for (let i = 1; i < rows.length; i++) if (rows[i - 1]! >= rows[i]!) return false;
  return true;
}

function largest(rows: Int32Array): number {
  let most = -1;
  for (let i = 0; i < rows.length; i++) most = Math.max(most, rows[i]!);
  return most;
}
