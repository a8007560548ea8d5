// Tuples of SQL values as bytes whose unsigned byte order is SQL's order, NULLs last: the form of
// partition keys, of stripes' first and last ORDER BY keys and of zone maps, in parts and in the
// catalog. SPEC.md, "Key tuples". Decoding gives back the values (a float's -0 comes back as 0).

import { assert } from '../base/assert.ts';
import { MusterError } from '../base/errors.ts';
import { type Column } from './column.ts';
import { type DataType, formatType, valueType } from './data-type.ts';
import { uuidBytes } from './uuid.ts';

/** number: integers to 32 bits, floats, Bool, Date, DateTime, Enum8. bigint: 64-bit types. */
export type KeyValue = null | number | bigint | string | readonly KeyValue[];

const isNull = 0xff;
const isValue = 0x01;
const endOfList = 0x00;

/** Element i is of types[i]. Concatenation of the elements' encodings: a prefix encodes a prefix. */
export function encodeKeyTuple(
  values: readonly KeyValue[],
  types: readonly DataType[],
): Uint8Array {
  assert(values.length <= types.length, `${values.length} values for ${types.length} types`);
  const out: number[] = [];
  values.forEach((value, i) => encodeValue(out, value, types[i]!));
  return Uint8Array.from(out);
}

/** The inverse; reads one value per type. Throws INCORRECT_DATA for bytes that aren't a tuple. */
export function decodeKeyTuple(bytes: Uint8Array, types: readonly DataType[]): KeyValue[] {
  const cursor = { bytes, at: 0 };
  const values = types.map((type) => decodeValue(cursor, type));
  if (cursor.at !== bytes.length) broken(`${bytes.length - cursor.at} bytes after the last value`);
  return values;
}

/** Order of two encoded tuples: negative, zero, positive. */
export function compareKeyTuples(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

/** The value of one row, in the form that encodeKeyTuple takes. */
export function keyValueAt(column: Column, row: number): KeyValue {
  if (column.kind === 'array') {
    const values: KeyValue[] = [];
    const end = column.offsets[row + 1] ?? 0;
    for (let i = column.offsets[row] ?? 0; i < end; i++) values.push(keyValueAt(column.items, i));
    return values;
  }
  if (column.kind === 'tuple') return column.fields.map((field) => keyValueAt(field, row));
  if (column.nulls?.[row]) return null;
  return column.values[row] ?? null;
}

function encodeValue(out: number[], value: KeyValue, type: DataType): void {
  const plain = valueType(type);
  if (value === null) {
    out.push(isNull);
    return;
  }
  out.push(isValue);
  if (typeof value === 'string' && plain.kind === 'UUID') encodeUuid(out, value);
  else if (typeof value === 'string') encodeString(out, value);
  else if (typeof value === 'object') encodeList(out, value, plain);
  else encodeNumber(out, value, plain);
}

/** Bytes with 00 written as 00 ff, then 00 00: no string's encoding is a prefix of another's. */
function encodeString(out: number[], text: string): void {
  for (let i = 0; i < text.length; i++) {
    const byte = text.charCodeAt(i);
    assert(byte < 256, 'a byte string holds a char above 255');
    out.push(byte);
    if (byte === 0) out.push(0xff);
  }
  out.push(0, 0);
}

/** Its bytes in the order of memory, which is SQL's; all are of one length. */
function encodeUuid(out: number[], value: string): void {
  for (let i = 0; i < uuidBytes; i++) out.push(value.charCodeAt(i));
}

function encodeList(out: number[], values: readonly KeyValue[], type: DataType): void {
  if (type.kind === 'Tuple') {
    values.forEach((value, i) => encodeValue(out, value, tupleField(type, i)));
    return;
  }
  assert(type.kind === 'Array', `a list for ${formatType(type)}`);
  for (const value of values) encodeValue(out, value, type.item);
  out.push(endOfList);
}

function encodeNumber(out: number[], value: number | bigint, type: DataType): void {
  const { bytes, form } = numberForm(type);
  const view = new DataView(new ArrayBuffer(8));
  if (form === 'float') {
    view.setFloat64(0, Number(value) + 0);
    flipFloat(view, 'encode');
  } else if (bytes === 8) {
    view.setBigUint64(0, BigInt.asUintN(64, BigInt(value)) ^ (form === 'signed' ? 1n << 63n : 0n));
  } else {
    const bias = form === 'signed' ? 2 ** (8 * bytes - 1) : 0;
    view.setUint32(0, (Number(value) + bias) * 2 ** (32 - 8 * bytes));
  }
  for (let i = 0; i < bytes; i++) out.push(view.getUint8(i));
}

interface NumberForm {
  readonly bytes: 1 | 2 | 4 | 8;
  readonly form: 'signed' | 'unsigned' | 'float';
}

function numberForm(type: DataType): NumberForm {
  switch (type.kind) {
    case 'Int8':
    case 'Enum8':
      return { bytes: 1, form: 'signed' };
    case 'Int16':
      return { bytes: 2, form: 'signed' };
    case 'Int32':
      return { bytes: 4, form: 'signed' };
    case 'Int64':
    case 'DateTime64':
      return { bytes: 8, form: 'signed' };
    case 'UInt8':
    case 'Bool':
      return { bytes: 1, form: 'unsigned' };
    case 'UInt16':
    case 'Date':
      return { bytes: 2, form: 'unsigned' };
    case 'UInt32':
    case 'DateTime':
      return { bytes: 4, form: 'unsigned' };
    case 'UInt64':
      return { bytes: 8, form: 'unsigned' };
    case 'Float32':
    case 'Float64':
      return { bytes: 8, form: 'float' };
    default:
      throw new MusterError('ILLEGAL_TYPE_OF_ARGUMENT', `${formatType(type)} cannot be in a key`);
  }
}

/**
 * IEEE order as unsigned order: a positive number flips its sign bit, a negative one all bits. NaN
 * is all ones: after every number and, by its marker byte, before NULL.
 */
function flipFloat(view: DataView, direction: 'encode' | 'decode'): void {
  if (direction === 'encode' && Number.isNaN(view.getFloat64(0))) {
    view.setBigUint64(0, 0xffff_ffff_ffff_ffffn);
    return;
  }
  const high = view.getUint32(0);
  const negative = direction === 'encode' ? high >>> 31 === 1 : high >>> 31 === 0;
  view.setUint32(0, negative ? ~high : high ^ 0x8000_0000);
  if (negative) view.setUint32(4, ~view.getUint32(4));
}

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

function decodeValue(cursor: Cursor, type: DataType): KeyValue {
  const marker = next(cursor);
  if (marker === isNull) return null;
  if (marker !== isValue) broken(`marker ${marker}`);
  const plain = valueType(type);
  if (plain.kind === 'String') return decodeString(cursor);
  if (plain.kind === 'UUID') return decodeUuid(cursor);
  if (plain.kind === 'Tuple') return plain.fields.map((field) => decodeValue(cursor, field.type));
  if (plain.kind !== 'Array') return decodeNumber(cursor, plain);
  const values: KeyValue[] = [];
  while (cursor.bytes[cursor.at] !== endOfList) values.push(decodeValue(cursor, plain.item));
  cursor.at++;
  return values;
}

function decodeString(cursor: Cursor): string {
  const bytes: number[] = [];
  for (;;) {
    const byte = next(cursor);
    if (byte === 0) {
      const escape = next(cursor);
      if (escape === 0) return Buffer.from(bytes).toString('latin1');
      if (escape !== 0xff) broken(`escape ${escape}`);
    }
    bytes.push(byte);
  }
}

function decodeUuid(cursor: Cursor): string {
  const bytes = Array.from({ length: uuidBytes }, () => next(cursor));
  return Buffer.from(bytes).toString('latin1');
}

function decodeNumber(cursor: Cursor, type: DataType): number | bigint {
  const { bytes, form } = numberForm(type);
  const view = new DataView(new ArrayBuffer(8));
  for (let i = 0; i < bytes; i++) view.setUint8(i, next(cursor));
  if (form === 'float') {
    flipFloat(view, 'decode');
    return view.getFloat64(0);
  }
  if (bytes === 8) {
    const pattern = view.getBigUint64(0);
    return form === 'signed' ? BigInt.asIntN(64, pattern ^ (1n << 63n)) : pattern;
  }
  const bias = form === 'signed' ? 2 ** (8 * bytes - 1) : 0;
  return view.getUint32(0) / 2 ** (32 - 8 * bytes) - bias;
}

function tupleField(type: DataType & { kind: 'Tuple' }, i: number): DataType {
  const field = type.fields[i];
  assert(field !== undefined, `a tuple of ${type.fields.length} has no element ${i}`);
  return field.type;
}

function next(cursor: Cursor): number {
  const byte = cursor.bytes[cursor.at++];
  return byte === undefined ? broken('it ends early') : byte;
}

function broken(why: string): never {
  throw new MusterError('INCORRECT_DATA', `not an encoded key tuple: ${why}`);
}
