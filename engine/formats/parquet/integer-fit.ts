// Whether integers of one type are values of another: a cast would wrap them, and an id must never
// silently become another one.

import { MusterError } from '../../../base/errors.ts';
import type { Column } from '../../../storage-format/column.ts';
import { type DataType, formatType, valueType } from '../../../storage-format/data-type.ts';
import { integerRanges } from '../integer-ranges.ts';

/** Throws VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE (321); types other than integers always fit. */
export function checkIntegersFit(column: Column, from: DataType, to: DataType): void {
  const [source, target] = [valueType(from), valueType(to)];
  if (source.kind === 'Array' && target.kind === 'Array' && column.kind === 'array') {
    checkIntegersFit(column.items, source.item, target.item);
    return;
  }
  const bounds = boundsOf(target);
  const own = boundsOf(source);
  if (bounds === undefined || own === undefined) return;
  if (own.min >= bounds.min && own.max <= bounds.max) return;
  if (column.kind === 'number') checkNumbers(column.values, bounds, target);
  else if (column.kind === 'wide') checkWide(column.values, bounds, target);
}

interface Bounds {
  readonly min: bigint;
  readonly max: bigint;
}

function boundsOf({ kind }: DataType): Bounds | undefined {
  if (kind === 'UInt64') return { min: 0n, max: 0xffff_ffff_ffff_ffffn };
  if (kind === 'Int64') return { min: -(2n ** 63n), max: 2n ** 63n - 1n };
  const range = integerRanges.get(kind);
  return range === undefined ? undefined : { min: BigInt(range.min), max: BigInt(range.max) };
}

function checkNumbers(values: ArrayLike<number>, bounds: Bounds, type: DataType): void {
  const [min, max] = [Number(bounds.min), Number(bounds.max)];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value < min || value > max) throw outOfRange(value, type);
  }
}

/** By halves: values that are small and not negative, nearly all of them, are never made BigInts. */
function checkWide(values: BigInt64Array | BigUint64Array, bounds: Bounds, type: DataType): void {
  const halves = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  const highMax = Number(bounds.max >> 32n);
  const lowMax = Number(bounds.max & 0xffff_ffffn);
  for (let i = 0; i < values.length; i++) {
    const high = halves[2 * i + 1] as number;
    if (high < 0x8000_0000 && high < highMax) continue;
    if (high === 0 && highMax === 0 && (halves[2 * i] as number) <= lowMax) continue;
    const value = values[i] as bigint;
    if (value < bounds.min || value > bounds.max) throw outOfRange(value, type);
  }
}

function outOfRange(value: number | bigint, type: DataType): MusterError {
  return new MusterError(
    'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE',
    `Value ${value} is out of range of type ${formatType(type)}`,
  );
}
