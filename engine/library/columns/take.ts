// Rows of a column by number: the one way in which filters, joins, sorts and groups move rows.

import { consecutive } from '../../../base/consecutive.ts';
import {
  type Column,
  columnLength,
  type NumberArray,
  type WideArray,
} from '../../../storage-format/column.ts';
import { sameNumbers, sameWide } from '../../../storage-format/column-rows.ts';

/** Row i of the result is row index[i]; -1 gives NULL if `missingIsNull`, else the zero value. */
export function take(column: Column, index: Int32Array, missingIsNull = false): Column {
  switch (column.kind) {
    case 'number':
      return { ...column, values: takeNumbers(column.values, index), ...nullsOf(column) };
    case 'wide':
      return { ...column, values: takeWide(column.values, index), ...nullsOf(column) };
    case 'string':
      return { ...column, values: takeStrings(column.values, index), ...nullsOf(column) };
    case 'array':
      return takeArrays(column, index);
    default: {
      const fields = column.fields.map((field) => take(field, index, missingIsNull));
      return { kind: 'tuple', length: index.length, fields };
    }
  }
  function nullsOf(from: { readonly nulls?: Uint8Array }): { nulls?: Uint8Array } {
    const nulls = takeNulls(from.nulls, index, missingIsNull);
    return nulls === undefined ? {} : { nulls };
  }
}

/** Numbers of the rows whose byte is not 0, ascending. Without a branch that depends on a row. */
export function maskIndex(mask: Uint8Array): Int32Array {
  let count = 0;
  for (let i = 0; i < mask.length; i++) count += (mask[i]! + 255) >>> 8;
  if (count === mask.length) return consecutive(0, count);
  const index = new Int32Array(count);
  let at = 0;
  for (let i = 0; at < count; i++) {
    index[at] = i;
    at += (mask[i]! + 255) >>> 8;
  }
  return index;
}

/** The inverse of picking rows: where each of `rows` rows stands in `index`, -1 for nowhere. */
export function placesIn(index: Int32Array, rows: number): Int32Array {
  const places = new Int32Array(rows).fill(-1);
  for (let i = 0; i < index.length; i++) places[index[i] as number] = i;
  return places;
}

/** `rows` rows of the one row of a constant column. */
export function repeat(column: Column, rows: number): Column {
  return columnLength(column) === 1 && rows === 1 ? column : take(column, new Int32Array(rows));
}

function takeNumbers(values: NumberArray, index: Int32Array): NumberArray {
  const result = sameNumbers(values, index.length);
  for (let i = 0; i < index.length; i++) result[i] = values[index[i] ?? 0] ?? 0;
  return result;
}

/** Copied as two 32-bit halves: no BigInt per row. */
function takeWide(values: WideArray, index: Int32Array): WideArray {
  const result = sameWide(values, index.length);
  const from = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
  const to = new Int32Array(result.buffer);
  for (let i = 0; i < index.length; i++) {
    const row = index[i] ?? 0;
    if (row < 0) continue;
    to[2 * i] = from[2 * row] ?? 0;
    to[2 * i + 1] = from[2 * row + 1] ?? 0;
  }
  return result;
}

function takeStrings(values: readonly string[], index: Int32Array): string[] {
  const result = new Array<string>(index.length);
  for (let i = 0; i < index.length; i++) {
    const row = index[i] ?? -1;
    result[i] = row < 0 ? '' : (values[row] ?? '');
  }
  return result;
}

function takeNulls(
  nulls: Uint8Array | undefined,
  index: Int32Array,
  missingIsNull: boolean,
): Uint8Array | undefined {
  if (nulls === undefined && !missingIsNull) return undefined;
  const result = new Uint8Array(index.length);
  const missing = missingIsNull ? 1 : 0;
  for (let i = 0; i < index.length; i++) {
    const row = index[i] ?? -1;
    result[i] = row < 0 ? missing : (nulls?.[row] ?? 0);
  }
  return result;
}

function takeArrays(column: Column & { readonly kind: 'array' }, index: Int32Array): Column {
  const offsets = new Uint32Array(index.length + 1);
  let total = 0;
  for (let i = 0; i < index.length; i++) {
    const row = index[i] ?? -1;
    if (row >= 0) total += (column.offsets[row + 1] ?? 0) - (column.offsets[row] ?? 0);
    offsets[i + 1] = total;
  }
  const items = new Int32Array(total);
  let at = 0;
  for (let i = 0; i < index.length; i++) {
    const row = index[i] ?? -1;
    if (row < 0) continue;
    const end = column.offsets[row + 1] ?? 0;
    for (let j = column.offsets[row] ?? 0; j < end; j++) items[at++] = j;
  }
  return { kind: 'array', offsets, items: take(column.items, items) };
}
