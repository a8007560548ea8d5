// Scalar columns out of Arrow buffers. SPEC.md, "Columns". Numbers are views of the bytes that were
// read, copied only when misaligned; lengths and offsets are checked, so bytes under a checksum that
// nevertheless lie fail here and not in a query.

import { MusterError } from '../base/errors.ts';
import { type Column, columnLength, type NumberArray, type WideArray } from './column.ts';
import { rawBytes } from './column-encoder.ts';
import { type ArrayClass, numberClasses } from './column-layout.ts';
import { type DataType, formatType, valueType } from './data-type.ts';

/** Takes the buffers of one column of `length` rows; their count and lengths are checked. */
export function decodeScalar(
  buffers: readonly Uint8Array[],
  type: DataType,
  length: number,
): Column {
  const cursor = { buffers, at: 0 };
  const column = decodeOne(cursor, type, length);
  if (cursor.at !== buffers.length) refuse(`${buffers.length} buffers for ${formatType(type)}`);
  return column;
}

/** One column of the rows of several, in order. */
export function concatColumns(columns: readonly Column[], type: DataType): Column {
  const plain = valueType(type);
  const [first] = columns;
  if (first === undefined || columns.length === 1) return first ?? { kind: 'string', values: [] };
  const length = columns.reduce((sum, column) => sum + columnLength(column), 0);
  if (plain.kind === 'Array') return concatArrays(columns, plain.item);
  if (plain.kind === 'Tuple') {
    const tuples = columns.filter((column) => column.kind === 'tuple');
    const fields = plain.fields.map((field, f) =>
      concatColumns(
        tuples.map((column) => column.fields[f]!),
        field.type,
      ),
    );
    return { kind: 'tuple', length, fields };
  }
  const nulls = concatNulls(columns, length);
  if (first.kind === 'string') {
    const values: string[] = [];
    for (const column of columns) {
      if (column.kind === 'string') for (const value of column.values) values.push(value);
    }
    return nulls === undefined ? { kind: 'string', values } : { kind: 'string', values, nulls };
  }
  const numbers = columns.filter((column) => column.kind === 'number' || column.kind === 'wide');
  const bytes = new Uint8Array(numbers.reduce((sum, column) => sum + column.values.byteLength, 0));
  let at = 0;
  for (const column of numbers) {
    bytes.set(rawBytes(column.values), at);
    at += column.values.byteLength;
  }
  const values = typedOf(bytes, numberClasses[plain.kind] ?? Uint8Array, length);
  return numberColumn(values, nulls);
}

export function splitStrings(offsets: Int32Array, bytes: Uint8Array, count: number): string[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const values = new Array<string>(count);
  for (let i = 0; i < count; i++) {
    const [start, end] = [offsets[i]!, offsets[i + 1]!];
    if (!(start <= end && end <= all.length)) refuse('string offsets out of order');
    values[i] = all.substring(start, end);
  }
  return values;
}

interface BufferCursor {
  readonly buffers: readonly Uint8Array[];
  at: number;
}

function decodeOne(cursor: BufferCursor, type: DataType, length: number): Column {
  const plain = valueType(type);
  const nulls = unpackNulls(next(cursor), length);
  if (plain.kind === 'Tuple') {
    const fields = plain.fields.map((field) => decodeOne(cursor, field.type, length));
    return { kind: 'tuple', length, fields };
  }
  if (plain.kind === 'Array') {
    const offsets = typed(next(cursor), Uint32Array, length + 1);
    const items = decodeOne(cursor, plain.item, offsets[length] ?? 0);
    return { kind: 'array', offsets, items };
  }
  if (plain.kind === 'String') {
    const offsets = typed(next(cursor), Int32Array, length + 1);
    const values = splitStrings(offsets, next(cursor), length);
    return nulls === undefined ? { kind: 'string', values } : { kind: 'string', values, nulls };
  }
  const bytes = next(cursor);
  if (plain.kind === 'Bool') return numberColumn(unpackBits(bytes, length), nulls);
  const made = numberClasses[plain.kind];
  if (made === undefined) return refuse(`${formatType(type)} is not a column of a part`);
  return numberColumn(typedOf(bytes, made, length), nulls);
}

function numberColumn(values: NumberArray | WideArray, nulls: Uint8Array | undefined): Column {
  const rest = nulls === undefined ? {} : { nulls };
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    return { kind: 'wide', values, ...rest };
  }
  return { kind: 'number', values, ...rest };
}

function next(cursor: BufferCursor): Uint8Array {
  return cursor.buffers[cursor.at++] ?? refuse('a buffer is missing');
}

function unpackNulls(validity: Uint8Array, length: number): Uint8Array | undefined {
  if (validity.length === 0) return undefined;
  const nulls = unpackBits(validity, length);
  for (let i = 0; i < length; i++) nulls[i]! ^= 1;
  return nulls;
}

function unpackBits(bits: Uint8Array, length: number): Uint8Array {
  if (bits.length < (length + 7) >>> 3) refuse('too few bits');
  const out = new Uint8Array(length);
  for (let i = 0; i < length; i++) out[i] = (bits[i >>> 3]! >>> (i & 7)) & 1;
  return out;
}

/** The bytes as numbers: a view where they are aligned, a copy where not. */
export function typed<T extends NumberArray | WideArray>(
  bytes: Uint8Array,
  made: { readonly BYTES_PER_ELEMENT: number; new (b: ArrayBufferLike, o: number, n: number): T },
  length: number,
): T {
  const size = made.BYTES_PER_ELEMENT * length;
  if (bytes.length !== size) refuse(`${bytes.length} bytes where ${size} are due`);
  if (bytes.byteOffset % made.BYTES_PER_ELEMENT === 0) {
    return new made(bytes.buffer, bytes.byteOffset, length);
  }
  // Not slice(): a Buffer's slice shares its memory.
  return new made(new Uint8Array(bytes).buffer, 0, length);
}

function typedOf(bytes: Uint8Array, made: ArrayClass, length: number): NumberArray | WideArray {
  return typed(bytes, made, length);
}

function concatArrays(columns: readonly Column[], itemType: DataType): Column {
  const arrays = columns.filter((column) => column.kind === 'array');
  const length = arrays.reduce((sum, column) => sum + column.offsets.length - 1, 0);
  const offsets = new Uint32Array(length + 1);
  let row = 0;
  let base = 0;
  for (const column of arrays) {
    for (let i = 1; i < column.offsets.length; i++) offsets[++row] = base + column.offsets[i]!;
    base = offsets[row]!;
  }
  return {
    kind: 'array',
    offsets,
    items: concatColumns(
      arrays.map((column) => column.items),
      itemType,
    ),
  };
}

function concatNulls(columns: readonly Column[], length: number): Uint8Array | undefined {
  if (!columns.some((column) => 'nulls' in column && column.nulls !== undefined)) return undefined;
  const nulls = new Uint8Array(length);
  let at = 0;
  for (const column of columns) {
    if ('nulls' in column && column.nulls !== undefined) nulls.set(column.nulls, at);
    at += columnLength(column);
  }
  return nulls;
}

function refuse(why: string): never {
  throw new MusterError('INCORRECT_DATA', `not a column: ${why}`);
}
