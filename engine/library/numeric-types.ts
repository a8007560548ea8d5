// Arithmetic over types: sizes, signs, and the result types of ClickHouse's operators.

import type { DataType, IntegerName } from '../../storage-format/data-type.ts';

export interface NumericShape {
  readonly bytes: 1 | 2 | 4 | 8;
  readonly signed: boolean;
  readonly float: boolean;
}

const shapes: Readonly<Record<string, NumericShape>> = {
  Int8: { bytes: 1, signed: true, float: false },
  Int16: { bytes: 2, signed: true, float: false },
  Int32: { bytes: 4, signed: true, float: false },
  Int64: { bytes: 8, signed: true, float: false },
  UInt8: { bytes: 1, signed: false, float: false },
  UInt16: { bytes: 2, signed: false, float: false },
  UInt32: { bytes: 4, signed: false, float: false },
  UInt64: { bytes: 8, signed: false, float: false },
  Bool: { bytes: 1, signed: false, float: false },
  Float32: { bytes: 4, signed: true, float: true },
  Float64: { bytes: 8, signed: true, float: true },
};

/** Of integers, floats and Bool; undefined for all else. */
export function numericShape(type: DataType): NumericShape | undefined {
  return shapes[type.kind];
}

/** Also of what is stored as an integer: dates, enums, intervals. */
export function storedShape(type: DataType): NumericShape | undefined {
  switch (type.kind) {
    case 'Date':
      return shapes['UInt16'];
    case 'DateTime':
      return shapes['UInt32'];
    case 'DateTime64':
    case 'Interval':
      return shapes['Int64'];
    case 'Enum8':
      return shapes['Int8'];
    default:
      return shapes[type.kind];
  }
}

export function integerType(bytes: number, signed: boolean): DataType {
  return { kind: `${signed ? '' : 'U'}Int${bytes * 8}` as IntegerName };
}

export function isInteger(type: DataType): boolean {
  const shape = shapes[type.kind];
  return shape !== undefined && !shape.float && type.kind !== 'Bool';
}

export function isFloat(type: DataType): boolean {
  return type.kind === 'Float32' || type.kind === 'Float64';
}

export function isDateLike(type: DataType): boolean {
  return type.kind === 'Date' || type.kind === 'DateTime' || type.kind === 'DateTime64';
}

export const float64: DataType = { kind: 'Float64' };
export const uint8: DataType = { kind: 'UInt8' };
export const uint64: DataType = { kind: 'UInt64' };
export const int64: DataType = { kind: 'Int64' };
export const string: DataType = { kind: 'String' };

function nextBytes(bytes: number): number {
  return Math.min(bytes * 2, 8);
}

/** Of plus and multiply; minus is always signed. */
export function sumType(a: NumericShape, b: NumericShape, alwaysSigned = false): DataType {
  if (a.float || b.float) return float64;
  const signed = alwaysSigned || a.signed || b.signed;
  return integerType(nextBytes(Math.max(a.bytes, b.bytes)), signed);
}

export function intDivType(a: NumericShape, b: NumericShape): DataType {
  return integerType(a.bytes, a.signed || b.signed);
}

/** A negative remainder needs a signed type one size above the divisor's. */
export function moduloType(a: NumericShape, b: NumericShape): DataType {
  if (a.float || b.float) return float64;
  return a.signed ? integerType(nextBytes(b.bytes), true) : integerType(b.bytes, false);
}

export function negateType(a: NumericShape): DataType {
  if (a.float) return { kind: a.bytes === 4 ? 'Float32' : 'Float64' };
  return integerType(a.signed ? a.bytes : nextBytes(a.bytes), true);
}

export function bitwiseType(a: NumericShape, b: NumericShape): DataType {
  return integerType(Math.max(a.bytes, b.bytes), a.signed || b.signed);
}
