// The values of one column of a Native block, by the name of its type.

import { MusterError } from '../../base/errors.ts';
import { stateEnd } from '../../storage-format/clickhouse-state.ts';
import type { Column, NumberArray } from '../../storage-format/column.ts';
import type { DataType, IntegerName } from '../../storage-format/data-type.ts';
import { parseType } from '../../storage-format/data-type-parser.ts';
import { swapUuidHalves } from '../../storage-format/uuid.ts';
import { take } from '../library/columns/take.ts';
import { numberArray, wideArray } from '../values/column-shape.ts';
import { type NativeCursor, needMoreBytes } from './native-cursor.ts';

const fixedForm = /^FixedString\((\d+)\)$/;

export function readNativeValues(cursor: NativeCursor, type: string, rows: number): Column {
  const fixed = fixedForm.exec(type)?.[1];
  if (fixed !== undefined) {
    const width = Number(fixed);
    const values = times(rows, () => cursor.take(width).toString('latin1'));
    return { kind: 'string', values };
  }
  return valuesOf(cursor, parseType(type), rows);
}

function valuesOf(cursor: NativeCursor, type: DataType, rows: number): Column {
  switch (type.kind) {
    case 'String':
      return { kind: 'string', values: times(rows, () => cursor.byteString()) };
    case 'UUID':
      return { kind: 'string', values: times(rows, () => uuidOf(cursor.take(16))) };
    case 'Nullable': {
      const nulls = new Uint8Array(cursor.copy(rows));
      const inner = valuesOf(cursor, type.inner, rows);
      return inner.kind === 'array' || inner.kind === 'tuple' ? inner : { ...inner, nulls };
    }
    case 'LowCardinality':
      return lowCardinality(cursor, type.inner, rows);
    case 'Array':
      return arrays(cursor, type.item, rows);
    case 'Tuple': {
      const fields = type.fields.map((field) => valuesOf(cursor, field.type, rows));
      return { kind: 'tuple', length: rows, fields };
    }
    case 'Bitmap':
      return { kind: 'string', values: states(cursor, type.id, rows) };
    case 'Int64':
    case 'UInt64':
    case 'DateTime64': {
      const like = wideArray(type, 0);
      const bytes = cursor.copy(8 * rows);
      const values =
        like instanceof BigUint64Array ? new BigUint64Array(bytes) : new BigInt64Array(bytes);
      return { kind: 'wide', values };
    }
    case 'Interval':
    case 'Nothing':
      throw new MusterError('NOT_IMPLEMENTED', `Native columns of ${type.kind} are not read`);
    default: {
      const like = numberArray(type, 0);
      const Values = like.constructor as new (bytes: ArrayBuffer) => NumberArray;
      return { kind: 'number', values: new Values(cursor.copy(like.BYTES_PER_ELEMENT * rows)) };
    }
  }
}

function arrays(cursor: NativeCursor, item: DataType, rows: number): Column {
  const offsets = new Uint32Array(rows + 1);
  for (let row = 0; row < rows; row++) {
    const end = cursor.u64();
    if (end < (offsets[row] as number) || end > 2 ** 32 - 1) throw notAscending(end);
    offsets[row + 1] = end;
  }
  return { kind: 'array', offsets, items: valuesOf(cursor, item, offsets[rows] as number) };
}

/** The bytes of each state, found by its length and not looked into. */
function states(cursor: NativeCursor, id: DataType, rows: number): string[] {
  if (id.kind === 'String' || id.kind === 'UUID') {
    throw new MusterError('NOT_IMPLEMENTED', `States of ${id.kind} ids are not read from Native`);
  }
  return times(rows, (row) => {
    const end = stateEndAt(cursor, id.kind as IntegerName, row);
    if (end === undefined) throw needMoreBytes;
    return cursor.take(end - cursor.at).toString('latin1');
  });
}

function stateEndAt(cursor: NativeCursor, id: IntegerName, row: number): number | undefined {
  const kind = cursor.bytes[cursor.at];
  if (kind !== undefined && kind > 1) {
    throw new MusterError('INCORRECT_DATA', `not a groupBitmap state: it is of kind ${kind}`, {
      place: { row: row + 1 },
    });
  }
  return stateEnd(cursor.bytes, cursor.at, id);
}

const indexTypes = [Uint8Array, Uint16Array, Uint32Array] as const;
const additionalKeys = 0x200;

/** u64 version, u64 flags with the index's width, u64 keys, keys, u64 rows, indexes. */
function lowCardinality(cursor: NativeCursor, inner: DataType, rows: number): Column {
  if (cursor.u64() !== 1)
    throw new MusterError('NOT_IMPLEMENTED', 'LowCardinality of this version');
  if (rows === 0) return valuesOf(cursor, inner, 0);
  const flags = cursor.u64();
  const Index = indexTypes[flags & 0xff];
  if (Index === undefined || (flags & additionalKeys) === 0) {
    throw new MusterError('NOT_IMPLEMENTED', `LowCardinality with flags ${flags}`);
  }
  const bare = inner.kind === 'Nullable' ? inner.inner : inner;
  const keys = valuesOf(cursor, bare, cursor.u64());
  const count = cursor.u64();
  if (count !== rows) throw new MusterError('INCORRECT_DATA', `${count} indexes of ${rows} rows`);
  const index = Int32Array.from(new Index(cursor.copy(Index.BYTES_PER_ELEMENT * rows)));
  const values = take(keys, index);
  // Key 0 stands for NULL.
  const isNullable =
    inner.kind === 'Nullable' && values.kind !== 'array' && values.kind !== 'tuple';
  if (!isNullable) return values;
  return { ...values, nulls: Uint8Array.from(index, (key) => (key === 0 ? 1 : 0)) };
}

/** Two halves of the text, each little end first. */
function uuidOf(bytes: Buffer): string {
  const halves = [bytes.subarray(0, 8), bytes.subarray(8)];
  const inOrder = halves.map((half) => Buffer.from(half).reverse().toString('latin1'));
  return swapUuidHalves(inOrder.join(''));
}

function times<T>(count: number, read: (index: number) => T): T[] {
  const values: T[] = [];
  for (let i = 0; i < count; i++) values.push(read(i));
  return values;
}

function notAscending(end: number): MusterError {
  return new MusterError('INCORRECT_DATA', `an array that ends at ${end} in a Native block`);
}
