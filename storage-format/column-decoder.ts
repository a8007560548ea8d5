// Scalar columns out of Arrow buffers. SPEC.md, "Columns". Numbers are views of the bytes that were
// read, copied only when misaligned; lengths and offsets are checked, so bytes under a checksum that
// nevertheless lie fail here and not in a query.

import { MusterError } from '../base/errors.ts';
import type { Column, NumberArray, WideArray } from './column.ts';
import { type ArrayClass, numberClasses } from './column-layout.ts';
import { type DataType, formatType, valueType } from './data-type.ts';
import { swapUuidHalves, uuidBytes } from './uuid.ts';

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

/** The inverse of joinUuids. */
export function splitUuids(bytes: Uint8Array, count: number): string[] {
  if (bytes.length !== uuidBytes * count) refuse(`${bytes.length} bytes for ${count} UUIDs`);
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  return Array.from({ length: count }, (_, i) =>
    swapUuidHalves(all.substring(uuidBytes * i, uuidBytes * (i + 1))),
  );
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
  if (plain.kind === 'UUID') {
    const values = splitUuids(bytes, length);
    return nulls === undefined ? { kind: 'string', values } : { kind: 'string', values, nulls };
  }
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

function refuse(why: string): never {
  throw new MusterError('INCORRECT_DATA', `not a column: ${why}`);
}
