// How SQL types lie in Arrow: the field of a column, and the typed array of its values. SPEC.md,
// "Columns". The buffers themselves are made in column-encoder.ts and read in column-decoder.ts.

import { MusterError } from '../base/errors.ts';
import type { ArrowField, ArrowType } from './arrow-envelope.ts';
import type { NumberArray, WideArray } from './column.ts';
import { type DataType, formatType, isNullable, valueType } from './data-type.ts';
import { uuidBytes } from './uuid.ts';

export type ArrayClass = {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): NumberArray | WideArray;
};

/** The array of a type's values, for types whose values are numbers of one width. */
export const numberClasses: Readonly<Record<string, ArrayClass>> = {
  Int8: Int8Array,
  Int16: Int16Array,
  Int32: Int32Array,
  Int64: BigInt64Array,
  UInt8: Uint8Array,
  UInt16: Uint16Array,
  UInt32: Uint32Array,
  UInt64: BigUint64Array,
  Float32: Float32Array,
  Float64: Float64Array,
  Date: Uint16Array,
  DateTime: Uint32Array,
  DateTime64: BigInt64Array,
  Enum8: Int8Array,
};

/** The Arrow field of a scalar column. `utf8`: every string in it is valid UTF-8. */
export function scalarField(name: string, type: DataType, utf8: boolean): ArrowField {
  const plain = valueType(type);
  const children: ArrowField[] = [];
  if (plain.kind === 'Array') children.push(scalarField('item', plain.item, utf8));
  if (plain.kind === 'Tuple') {
    plain.fields.forEach((field, i) =>
      children.push(scalarField(field.name ?? String(i + 1), field.type, utf8)),
    );
  }
  const metadata = new Map([['muster.type', formatType(type)]]);
  return { name, nullable: isNullable(type), type: arrowType(plain, utf8), children, metadata };
}

function arrowType(plain: DataType, utf8: boolean): ArrowType {
  switch (plain.kind) {
    case 'String':
      return { kind: utf8 ? 'utf8' : 'binary' };
    case 'UUID':
      return { kind: 'fixedBinary', bytes: uuidBytes };
    case 'Bool':
      return { kind: 'bool' };
    case 'Array':
      return { kind: 'list' };
    case 'Tuple':
      return { kind: 'struct' };
    case 'Float32':
      return { kind: 'float', bits: 32 };
    case 'Float64':
      return { kind: 'float', bits: 64 };
    case 'DateTime64':
      return timestampType(plain.precision, plain.timeZone);
    default:
      return intType(plain);
  }
}

function timestampType(precision: number, timeZone: string | undefined): ArrowType {
  const unit = [0, 3, 6, 9].indexOf(precision);
  if (unit < 0) return { kind: 'int', bits: 64, signed: true };
  return { kind: 'timestamp', unit, timeZone };
}

function intType(plain: DataType): ArrowType {
  const made = numberClasses[plain.kind];
  if (made === undefined) refuse(`${formatType(plain)} is not a column of a part`);
  const signed = plain.kind.startsWith('Int') || plain.kind === 'Enum8';
  return { kind: 'int', bits: 8 * made.BYTES_PER_ELEMENT, signed };
}

function refuse(why: string): never {
  throw new MusterError('ILLEGAL_COLUMN', why);
}
