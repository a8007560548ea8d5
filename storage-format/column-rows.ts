// Runs of rows of columns: a piece of one, and several of one type end to end. Pieces are views
// where the memory allows it.

import { defined } from '../base/assert.ts';
import { type Column, columnLength, type NumberArray, type WideArray } from './column.ts';

/** Rows [start, end). */
export function sliceRows(column: Column, start: number, end: number): Column {
  switch (column.kind) {
    case 'array': {
      const from = column.offsets[start] ?? 0;
      const to = column.offsets[end] ?? 0;
      const offsets = column.offsets.slice(start, end + 1);
      for (let i = 0; i < offsets.length; i++) offsets[i] = (offsets[i] ?? 0) - from;
      return { kind: 'array', offsets, items: sliceRows(column.items, from, to) };
    }
    case 'tuple': {
      const fields = column.fields.map((field) => sliceRows(field, start, end));
      return { kind: 'tuple', length: end - start, fields };
    }
    case 'number':
      return { ...column, values: column.values.subarray(start, end), ...slicedNulls(column) };
    case 'wide':
      return { ...column, values: column.values.subarray(start, end), ...slicedNulls(column) };
    default:
      return { ...column, values: column.values.slice(start, end), ...slicedNulls(column) };
  }
  function slicedNulls(from: { readonly nulls?: Uint8Array }): { nulls?: Uint8Array } {
    return from.nulls === undefined ? {} : { nulls: from.nulls.subarray(start, end) };
  }
}

/** The rows of columns of one type, one after another. */
export function concatColumns(columns: readonly Column[]): Column {
  const first = defined(columns[0], 'the first of the columns to concatenate');
  if (columns.length === 1) return first;
  switch (first.kind) {
    case 'number':
      return { kind: 'number', values: concatNumbers(columns), ...concatNulls(columns) };
    case 'wide':
      return { kind: 'wide', values: concatWide(columns), ...concatNulls(columns) };
    case 'string':
      return { kind: 'string', values: concatStrings(columns), ...concatNulls(columns) };
    case 'array':
      return concatArrays(columns);
    default: {
      const fields = first.fields.map((_, i) =>
        concatColumns(
          columns.map((column) =>
            defined(column.kind === 'tuple' ? column.fields[i] : undefined, 'field'),
          ),
        ),
      );
      return { kind: 'tuple', length: totalLength(columns), fields };
    }
  }
}

function totalLength(columns: readonly Column[]): number {
  return columns.reduce((sum, column) => sum + columnLength(column), 0);
}

function concatNumbers(columns: readonly Column[]): NumberArray {
  const parts = columns.map((c) => defined(c.kind === 'number' ? c.values : undefined, 'numbers'));
  const result = sameNumbers(defined(parts[0], 'part'), totalLength(columns));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}

function concatWide(columns: readonly Column[]): WideArray {
  const parts = columns.map((c) =>
    defined(c.kind === 'wide' ? c.values : undefined, 'wide values'),
  );
  const result = sameWide(defined(parts[0], 'part'), totalLength(columns));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}

function concatStrings(columns: readonly Column[]): string[] {
  const values: string[] = new Array<string>(totalLength(columns));
  let at = 0;
  for (const column of columns) {
    const from = defined(column.kind === 'string' ? column.values : undefined, 'strings');
    for (let i = 0; i < from.length; i++) values[at++] = from[i] as string;
  }
  return values;
}

function concatNulls(columns: readonly Column[]): { nulls?: Uint8Array } {
  const parts = columns.map((c) =>
    c.kind === 'array' || c.kind === 'tuple' ? undefined : c.nulls,
  );
  if (parts.every((part) => part === undefined)) return {};
  const nulls = new Uint8Array(totalLength(columns));
  let at = 0;
  columns.forEach((column, i) => {
    const part = parts[i];
    if (part !== undefined) nulls.set(part, at);
    at += columnLength(column);
  });
  return { nulls };
}

function concatArrays(columns: readonly Column[]): Column {
  const offsets = new Uint32Array(totalLength(columns) + 1);
  const items: Column[] = [];
  let row = 0;
  let base = 0;
  for (const column of columns) {
    const array = defined(column.kind === 'array' ? column : undefined, 'arrays');
    for (let i = 1; i < array.offsets.length; i++) offsets[++row] = base + (array.offsets[i] ?? 0);
    base += array.offsets[array.offsets.length - 1] ?? 0;
    items.push(sliceRows(array.items, 0, array.offsets[array.offsets.length - 1] ?? 0));
  }
  return { kind: 'array', offsets, items: concatColumns(items) };
}

/** A zeroed array of the same kind. */
export function sameNumbers(values: NumberArray, length: number): NumberArray {
  const make = values.constructor as new (length: number) => NumberArray;
  return new make(length);
}

export function sameWide(values: WideArray, length: number): WideArray {
  return values instanceof BigUint64Array ? new BigUint64Array(length) : new BigInt64Array(length);
}
