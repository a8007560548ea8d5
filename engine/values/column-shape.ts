// Which memory a type's values live in, and columns of nothing but defaults.

import { assert } from '../../base/assert.ts';
import type { Column, NumberArray, WideArray } from '../../storage-format/column.ts';
import { type DataType, isNullable, valueType } from '../../storage-format/data-type.ts';
import { nilUuid } from '../../storage-format/uuid.ts';

type ColumnShape = 'number' | 'wide' | 'string' | 'array' | 'tuple';

/** Of a type without Bitmap. */
export function columnShape(type: DataType): ColumnShape {
  const bare = valueType(type);
  switch (bare.kind) {
    case 'Int64':
    case 'UInt64':
    case 'DateTime64':
    case 'Interval':
      return 'wide';
    case 'String':
    case 'UUID':
      return 'string';
    case 'Array':
      return 'array';
    case 'Tuple':
      return 'tuple';
    case 'Bitmap':
      throw new Error('assertion failed: a bitmap column is not a Column');
    default:
      return 'number';
  }
}

/** Zeroed values of a type of shape 'number'. */
export function numberArray(type: DataType, length: number): NumberArray {
  switch (valueType(type).kind) {
    case 'Int8':
    case 'Enum8':
      return new Int8Array(length);
    case 'Int16':
      return new Int16Array(length);
    case 'Int32':
      return new Int32Array(length);
    case 'UInt16':
    case 'Date':
      return new Uint16Array(length);
    case 'UInt32':
    case 'DateTime':
      return new Uint32Array(length);
    case 'Float32':
      return new Float32Array(length);
    case 'Float64':
      return new Float64Array(length);
    default:
      return new Uint8Array(length);
  }
}

/** Zeroed values of a type of shape 'wide'. */
export function wideArray(type: DataType, length: number): WideArray {
  return valueType(type).kind === 'UInt64' ? new BigUint64Array(length) : new BigInt64Array(length);
}

/** `length` rows of the type's default: 0, '', [], and NULL where the type is Nullable. */
export function defaultColumn(type: DataType, length: number): Column {
  const nulls = isNullable(type) ? { nulls: new Uint8Array(length).fill(1) } : {};
  const bare = valueType(type);
  switch (columnShape(bare)) {
    case 'number':
      return {
        kind: 'number',
        values: numberArray(bare, length).fill(defaultNumber(bare)),
        ...nulls,
      };
    case 'wide':
      return { kind: 'wide', values: wideArray(bare, length), ...nulls };
    case 'string':
      return {
        kind: 'string',
        values: new Array<string>(length).fill(defaultString(bare)),
        ...nulls,
      };
    case 'array':
      assert(bare.kind === 'Array', 'array shape');
      return {
        kind: 'array',
        offsets: new Uint32Array(length + 1),
        items: defaultColumn(bare.item, 0),
      };
    default:
      assert(bare.kind === 'Tuple', 'tuple shape');
      return {
        kind: 'tuple',
        length,
        fields: bare.fields.map((field) => defaultColumn(field.type, length)),
      };
  }
}

/** Of a type of shape 'string'. */
export function defaultString(type: DataType): string {
  return type.kind === 'UUID' ? nilUuid : '';
}

/** Of a type of shape 'number': 0, of an enum its first member by value. */
export function defaultNumber(type: DataType): number {
  if (type.kind !== 'Enum8') return 0;
  return Math.min(...type.members.map((member) => member.value));
}
