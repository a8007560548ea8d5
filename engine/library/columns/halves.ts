// Columns of numbers as 64-bit patterns in 32-bit halves (low, high), for hashing and exact integer
// work without BigInt.

import { assert } from '../../../base/assert.ts';
import type { Column, NumberArray, WideArray } from '../../../storage-format/column.ts';

/** A view, no copy: halves of value i at 2i (low) and 2i + 1 (high). */
export function wideHalves(values: WideArray): Int32Array {
  return new Int32Array(values.buffer, values.byteOffset, values.length * 2);
}

/**
 * Patterns of the first `rows` rows: integers sign-extended; floats as the bits of their double, with -0
 * made 0 and every NaN the same, so that equal keys have equal patterns.
 */
export function columnHalves(column: Column, rows: number, isFloat: boolean): Int32Array {
  if (column.kind === 'wide') return wideHalves(column.values);
  assert(column.kind === 'number', 'only numbers have halves');
  return isFloat ? floatHalves(column.values, rows) : integerHalves(column.values, rows);
}

export function integerHalves(values: NumberArray, rows: number): Int32Array {
  const halves = new Int32Array(rows * 2);
  for (let i = 0; i < rows; i++) {
    const value = values[i] ?? 0;
    halves[2 * i] = value;
    halves[2 * i + 1] = value < 0 ? -1 : 0;
  }
  return halves;
}

function floatHalves(values: NumberArray, rows: number): Int32Array {
  const doubles = Float64Array.from(values.subarray(0, rows));
  for (let i = 0; i < rows; i++) {
    const value = doubles[i] ?? 0;
    if (value === 0) doubles[i] = 0;
    else if (Number.isNaN(value)) doubles[i] = Number.NaN;
  }
  return new Int32Array(doubles.buffer);
}
