// Rows of an insert in the order of storage: by partition, then by sorting key, equal keys merged as
// the table's engine says. Only row numbers move here; values are gathered later.

import type { TableEngine } from '../../catalog/schema.ts';
import type { Column } from '../../storage-format/column.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import { encodeKeyTuple, keyValueAt } from '../../storage-format/key-tuple.ts';
import { sortPermutation } from '../library/columns/sort.ts';

/** A key's columns as evaluated over the rows. */
export interface KeyColumns {
  readonly types: readonly DataType[];
  readonly columns: readonly Column[];
}

/** Row i of the result merges the source rows order[starts[i], starts[i + 1]). */
export interface MergedRows {
  readonly order: Uint32Array;
  readonly starts: Uint32Array;
}

export interface ArrangedPartition {
  /** Encoded key tuple of the partition, as a byte string. */
  readonly partition: string;
  readonly rows: MergedRows;
}

interface ArrangeOptions {
  readonly rows: number;
  readonly engine: TableEngine;
  readonly partition: KeyColumns;
  readonly sortingKey: KeyColumns;
  /** ReplacingMergeTree(ver): of equal keys the row with the largest version, then the last. */
  readonly version?: Column;
}

export function arrangeRows(options: ArrangeOptions): readonly ArrangedPartition[] {
  const order = sortedRows(options);
  const partitions = splitByPartition(order, options.partition);
  return partitions.map(([partition, rows]) => ({
    partition,
    rows: mergeEqualKeys(rows, options),
  }));
}

function sortedRows(options: ArrangeOptions): Uint32Array {
  const keys = options.sortingKey.columns.map((column) => ({
    column,
    descending: false,
    nullsFirst: false,
  }));
  return keys.length === 0
    ? counting(options.rows)
    : new Uint32Array(sortPermutation(keys, options.rows).buffer);
}

function splitByPartition(
  order: Uint32Array,
  partition: KeyColumns,
): readonly (readonly [string, Uint32Array])[] {
  if (partition.columns.length === 0) return order.length === 0 ? [] : [['', order]];
  const rowsOf = new Map<string, number[]>();
  let lastValues: readonly unknown[] = [];
  let lastRows: number[] = [];
  for (const row of order) {
    const values = partition.columns.map((column) => keyValueAt(column, row));
    if (lastRows.length === 0 || values.some((value, i) => value !== lastValues[i])) {
      const bytes = encodeKeyTuple(values, partition.types);
      const key = Buffer.from(bytes).toString('latin1');
      lastRows = rowsOf.get(key) ?? [];
      rowsOf.set(key, lastRows);
      lastValues = values;
    }
    lastRows.push(row);
  }
  return [...rowsOf].map(([key, rows]) => [key, Uint32Array.from(rows)] as const);
}

function mergeEqualKeys(order: Uint32Array, options: ArrangeOptions): MergedRows {
  const keys = options.sortingKey.columns;
  if (options.engine === 'MergeTree') return unmerged(order);
  const starts = [0];
  for (let at = 1; at < order.length; at++) {
    if (!sameKey(keys, order[at - 1] ?? 0, order[at] ?? 0)) starts.push(at);
  }
  if (order.length > 0) starts.push(order.length);
  const merged = { order, starts: Uint32Array.from(starts) };
  return options.engine === 'ReplacingMergeTree' ? newestOfEach(merged, options.version) : merged;
}

function unmerged(order: Uint32Array): MergedRows {
  return { order, starts: counting(order.length + 1) };
}

/** 0, 1, 2 and so on. */
function counting(length: number): Uint32Array {
  const numbers = new Uint32Array(length);
  for (let i = 0; i < length; i++) numbers[i] = i;
  return numbers;
}

function newestOfEach(merged: MergedRows, version: Column | undefined): MergedRows {
  const winners = new Uint32Array(merged.starts.length - 1);
  for (let row = 0; row < winners.length; row++) {
    const end = merged.starts[row + 1] ?? 0;
    let winner = merged.order[merged.starts[row] ?? 0] ?? 0;
    for (let at = (merged.starts[row] ?? 0) + 1; at < end; at++) {
      const rival = merged.order[at] ?? 0;
      if (version === undefined || !isOlder(version, rival, winner)) winner = rival;
    }
    winners[row] = winner;
  }
  return unmerged(winners);
}

function isOlder(version: Column, row: number, than: number): boolean {
  const a = keyValueAt(version, row);
  const b = keyValueAt(version, than);
  if (a === null || b === null) return a === null && b !== null;
  return a < b;
}

function sameKey(keys: readonly Column[], a: number, b: number): boolean {
  return keys.every((column) => sameValue(keyValueAt(column, a), keyValueAt(column, b)));
}

function sameValue(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.length === b.length && a.every((item, i) => sameValue(item, b[i]));
}
