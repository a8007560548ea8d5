// How numeric functions see their arguments: every number as doubles (exact to 53 bits, so for all
// but 64-bit integers), or every integer as 64-bit patterns in 32-bit halves. Typed arrays of one
// kind keep the loops above monomorphic; the conversions cost about 1-2 ns a row.

import { assert } from '../../base/assert.ts';
import type { Column } from '../../storage-format/column.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import { columnShape, numberArray } from '../values/column-shape.ts';
import { integerHalves, wideHalves } from './columns/halves.ts';
import type { Argument } from './scalar-function.ts';

const twoTo32 = 4_294_967_296;

/** `rows` doubles; a constant is repeated, 64-bit integers are rounded to the nearest double. */
export function doubles(argument: Argument, rows: number): Float64Array {
  const { column } = argument;
  if (argument.constant) return new Float64Array(rows).fill(firstDouble(column));
  if (column.kind === 'number') {
    return column.values instanceof Float64Array ? column.values : new Float64Array(column.values);
  }
  assert(column.kind === 'wide', 'numbers are in number or wide columns');
  return wideDoubles(wideHalves(column.values), column.values instanceof BigInt64Array);
}

function firstDouble(column: Column): number {
  assert(column.kind === 'number' || column.kind === 'wide', 'a constant number');
  return Number(column.values[0] ?? 0);
}

function wideDoubles(halves: Int32Array, signed: boolean): Float64Array {
  const result = new Float64Array(halves.length / 2);
  if (signed) {
    for (let i = 0; i < result.length; i++) {
      result[i] = (halves[2 * i + 1] ?? 0) * twoTo32 + ((halves[2 * i] ?? 0) >>> 0);
    }
  } else {
    for (let i = 0; i < result.length; i++) {
      result[i] = ((halves[2 * i + 1] ?? 0) >>> 0) * twoTo32 + ((halves[2 * i] ?? 0) >>> 0);
    }
  }
  return result;
}

/** 64-bit patterns of `rows` integers: low half at 2i, high half at 2i + 1. Not to be written to. */
export function patterns(argument: Argument, rows: number): Int32Array {
  const { column } = argument;
  if (argument.constant) return repeatPattern(column, rows);
  if (column.kind === 'wide') return wideHalves(column.values);
  assert(column.kind === 'number', 'integers are in number or wide columns');
  return integerHalves(column.values, rows);
}

function repeatPattern(column: Column, rows: number): Int32Array {
  assert(column.kind === 'number' || column.kind === 'wide', 'a constant integer');
  const one = BigInt(column.values[0] ?? 0);
  const words = new BigInt64Array(rows).fill(BigInt.asIntN(64, one));
  return new Int32Array(words.buffer);
}

/** A column of the type from integers in doubles (exact), wrapping at the type's width. */
export function columnFromDoubles(type: DataType, values: Float64Array): Column {
  if (columnShape(type) === 'wide') {
    const halves = new Int32Array(values.length * 2);
    for (let i = 0; i < values.length; i++) {
      const value = values[i] ?? 0;
      halves[2 * i] = value;
      halves[2 * i + 1] = Math.floor(value / twoTo32);
    }
    return columnFromPatterns(type, halves);
  }
  if (type.kind === 'Float64') return { kind: 'number', values };
  const result = numberArray(type, values.length);
  result.set(values);
  return { kind: 'number', values: result };
}

/** A column of an integer type from 64-bit patterns, wrapping at the type's width. */
export function columnFromPatterns(type: DataType, halves: Int32Array): Column {
  const rows = halves.length / 2;
  if (columnShape(type) === 'wide') {
    const buffer = halves.buffer as ArrayBuffer;
    const values = type.kind === 'UInt64' ? new BigUint64Array(buffer) : new BigInt64Array(buffer);
    return { kind: 'wide', values };
  }
  const result = numberArray(type, rows);
  for (let i = 0; i < rows; i++) result[i] = halves[2 * i] ?? 0;
  return { kind: 'number', values: result };
}

/** Whether the type's values are exact as doubles. */
export function fitsDoubles(type: DataType): boolean {
  return columnShape(type) !== 'wide';
}
