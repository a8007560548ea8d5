// Numbers to numbers: integers wrap, floats are cut towards zero; what does not fit a 64-bit integer
// becomes its least value, as x86 and so ClickHouse have it.

import { assert } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import { type Column, columnLength } from '../../storage-format/column.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import { columnFromDoubles, columnFromPatterns, doubles, patterns } from './number-lanes.ts';
import { storedShape } from './numeric-types.ts';

const twoTo31 = 2_147_483_648;
const twoTo63 = 9_223_372_036_854_775_808;
const twoTo64 = 18_446_744_073_709_551_616;

/** Types are those of numericShape, or stored as integers (storedShape). */
export function castNumbers(column: Column, from: DataType, to: DataType): Column {
  const rows = columnLength(column);
  const argument = { type: from, column, constant: false };
  const source = storedShape(from);
  const target = storedShape(to);
  assert(source !== undefined && target !== undefined, 'numbers are cast to numbers');
  if (to.kind === 'Bool') return { kind: 'number', values: nonZero(doubles(argument, rows)) };
  if (target.float) return columnFromDoubles(to, doubles(argument, rows));
  if (source.float) return columnFromDoubles(to, cutFloats(doubles(argument, rows), to));
  return columnFromPatterns(to, ownedPatterns(patterns(argument, rows), to));
}

function nonZero(values: Float64Array): Uint8Array {
  const result = new Uint8Array(values.length);
  for (let i = 0; i < values.length; i++) result[i] = values[i] === 0 ? 0 : 1;
  return result;
}

/** Patterns may be a view of the argument's memory; a wide result needs its own. */
function ownedPatterns(halves: Int32Array, to: DataType): Int32Array {
  return storedShape(to)?.bytes === 8 ? halves.slice() : halves;
}

function cutFloats(values: Float64Array, to: DataType): Float64Array {
  const shape = storedShape(to);
  const limit = shape?.bytes === 8 || to.kind === 'UInt32' ? twoTo63 : twoTo31;
  const least = -limit;
  const most = to.kind === 'UInt64' ? twoTo64 : limit;
  const beyond = to.kind === 'UInt64' ? twoTo63 : least;
  const result = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    if (!Number.isFinite(value)) throw notFinite();
    const cut = Math.trunc(value);
    result[i] = cut < least || cut >= most ? beyond : cut;
  }
  return result;
}

function notFinite(): MusterError {
  return new MusterError('CANNOT_CONVERT_TYPE', 'Unexpected inf or nan to integer conversion');
}
