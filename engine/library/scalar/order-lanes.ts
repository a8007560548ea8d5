// How two columns of comparable types compare, row by row: one byte a row, 0 = less, 1 = equal,
// 2 = greater, 3 = not comparable (NaN). Numbers compare by value, exactly, whatever their types.

import { assert, defined } from '../../../base/assert.ts';
import type { Column } from '../../../storage-format/column.ts';
import { fullColumn } from '../apply-function.ts';
import { compareRows } from '../columns/compare.ts';
import { doubles, fitsDoubles, patterns } from '../number-lanes.ts';
import { isFloat } from '../numeric-types.ts';
import type { Argument } from '../scalar-function.ts';

export const less = 0;
export const equal = 1;
export const greater = 2;
export const unordered = 3;

/** Both arguments are numbers, both strings, or both of one other type. */
export function orderRows(a: Argument, b: Argument, rows: number): Uint8Array {
  if (a.column.kind === 'string') return orderStrings(a, b, rows);
  if (a.column.kind === 'array' || a.column.kind === 'tuple') return orderComposites(a, b, rows);
  if (fitsDoubles(a.type) && fitsDoubles(b.type)) {
    return orderDoubles(doubles(a, rows), doubles(b, rows));
  }
  if (isFloat(a.type) || isFloat(b.type)) return orderMixed(a, b, rows);
  return orderPatterns(patterns(a, rows), patterns(b, rows), {
    a: isUnsignedWide(a),
    b: isUnsignedWide(b),
  });
}

/** Only whether rows are equal: cheaper than their order for strings. */
export function equalStrings(a: Argument, b: Argument, rows: number): Uint8Array {
  const x = stringsOf(a.column);
  const y = stringsOf(b.column);
  const result = new Uint8Array(rows);
  if (b.constant) {
    const text = y[0];
    for (let i = 0; i < rows; i++) if (x[i] === text) result[i] = 1;
  } else if (a.constant) {
    const text = x[0];
    for (let i = 0; i < rows; i++) if (y[i] === text) result[i] = 1;
  } else {
    for (let i = 0; i < rows; i++) if (x[i] === y[i]) result[i] = 1;
  }
  return result;
}

function orderDoubles(x: Float64Array, y: Float64Array): Uint8Array {
  const result = new Uint8Array(x.length);
  for (let i = 0; i < result.length; i++) {
    const a = x[i] ?? 0;
    const b = y[i] ?? 0;
    result[i] = a < b ? less : a === b ? equal : a > b ? greater : unordered;
  }
  return result;
}

function orderPatterns(
  x: Int32Array,
  y: Int32Array,
  unsigned: { readonly a: boolean; readonly b: boolean },
): Uint8Array {
  const result = new Uint8Array(x.length / 2);
  for (let i = 0; i < result.length; i++) {
    const aHigh = unsigned.a ? (x[2 * i + 1] ?? 0) >>> 0 : (x[2 * i + 1] ?? 0);
    const bHigh = unsigned.b ? (y[2 * i + 1] ?? 0) >>> 0 : (y[2 * i + 1] ?? 0);
    const a = aHigh === bHigh ? (x[2 * i] ?? 0) >>> 0 : aHigh;
    const b = aHigh === bHigh ? (y[2 * i] ?? 0) >>> 0 : bHigh;
    result[i] = a < b ? less : a === b ? equal : greater;
  }
  return result;
}

/** A 64-bit integer against a float: JavaScript compares BigInt and Number exactly. */
function orderMixed(a: Argument, b: Argument, rows: number): Uint8Array {
  const x = fullColumn(a, rows);
  const y = fullColumn(b, rows);
  assert(x.kind === 'number' || x.kind === 'wide', 'a number');
  assert(y.kind === 'number' || y.kind === 'wide', 'a number');
  const result = new Uint8Array(rows);
  for (let i = 0; i < rows; i++) {
    const p = x.values[i] ?? 0;
    const q = y.values[i] ?? 0;
    result[i] =
      p < q ? less : p > q ? greater : Number.isNaN(p) || Number.isNaN(q) ? unordered : equal;
  }
  return result;
}

function orderStrings(a: Argument, b: Argument, rows: number): Uint8Array {
  const x = stringsOf(a.column);
  const y = stringsOf(b.column);
  const aStep = a.constant ? 0 : 1;
  const bStep = b.constant ? 0 : 1;
  const result = new Uint8Array(rows);
  for (let i = 0; i < rows; i++) {
    const p = x[i * aStep] ?? '';
    const q = y[i * bStep] ?? '';
    result[i] = p === q ? equal : p < q ? less : greater;
  }
  return result;
}

function orderComposites(a: Argument, b: Argument, rows: number): Uint8Array {
  const result = new Uint8Array(rows);
  for (let i = 0; i < rows; i++) {
    const at = { a: a.constant ? 0 : i, b: b.constant ? 0 : i };
    result[i] = Math.sign(compareRows(a.column, b.column, at)) + 1;
  }
  return result;
}

function isUnsignedWide(argument: Argument): boolean {
  return argument.column.kind === 'wide' && argument.column.values instanceof BigUint64Array;
}

function stringsOf(column: Column): readonly string[] {
  return defined(column.kind === 'string' ? column.values : undefined, 'strings');
}
