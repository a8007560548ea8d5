// How Parquet holds Muster's types, as ClickHouse writes them: integers with their widths, DateTime in
// milliseconds, enums by name, UUIDs as such, sets as the bytes of their states. Lists of scalars are
// lists; tuples and lists of lists are not written.

import { MusterError } from '../../../base/errors.ts';
import {
  type DataType,
  formatType,
  isNullable,
  type NamedType,
  valueType,
} from '../../../storage-format/data-type.ts';
import { bool, i8, i32, list, struct, text, type ThriftValue } from './compact-thrift.ts';

export const physicalTypes = {
  BOOLEAN: 0,
  INT32: 1,
  INT64: 2,
  FLOAT: 4,
  DOUBLE: 5,
  BYTE_ARRAY: 6,
  FIXED_LEN_BYTE_ARRAY: 7,
} as const;
export type PhysicalType = keyof typeof physicalTypes;

export interface WrittenColumn {
  readonly name: string;
  readonly physical: PhysicalType;
  /** Of the scalars. */
  readonly type: DataType;
  readonly isList: boolean;
  /** Scalars may be NULL. */
  readonly optional: boolean;
  readonly fixedBytes?: number;
  /** Elements 6 and 10 of the scalars' schema element. */
  readonly converted?: number;
  readonly logical?: ThriftValue;
}

/** NOT_IMPLEMENTED for what is not written. */
export function writtenColumn({ name, type }: NamedType): WrittenColumn {
  const bare = valueType(type);
  const scalar = bare.kind === 'Array' ? bare.item : type;
  const kind = valueType(scalar);
  if (kind.kind === 'Array' || kind.kind === 'Tuple') {
    throw new MusterError(
      'NOT_IMPLEMENTED',
      `Column '${name}' of type ${formatType(type)} can't be written as Parquet: lists of lists and tuples are not supported`,
    );
  }
  const held = heldAs(kind);
  const optional = isNullable(scalar) || kind.kind === 'Nothing';
  return { name, type: kind, isList: bare.kind === 'Array', optional, ...held };
}

type Held = Pick<WrittenColumn, 'physical' | 'fixedBytes' | 'converted' | 'logical'>;

const empty = struct();

function heldAs(type: DataType): Held {
  switch (type.kind) {
    case 'Bool':
      return { physical: 'BOOLEAN' };
    case 'Float32':
      return { physical: 'FLOAT' };
    case 'Float64':
      return { physical: 'DOUBLE' };
    case 'UUID':
      return { physical: 'FIXED_LEN_BYTE_ARRAY', fixedBytes: 16, logical: struct([14, empty]) };
    case 'Bitmap':
    case 'String':
      return { physical: 'BYTE_ARRAY' };
    case 'Enum8':
      return { physical: 'BYTE_ARRAY', converted: 0, logical: struct([1, empty]) };
    case 'Date':
      return { physical: 'INT32', converted: 6, logical: struct([6, empty]) };
    case 'DateTime':
      return timestamp(3);
    case 'DateTime64':
      return timestamp(type.precision);
    case 'Nothing':
      return { physical: 'INT32' };
    case 'Interval':
      return { physical: 'INT64' };
    default:
      return integer(Number(/\d+$/.exec(type.kind)?.[0]), type.kind.startsWith('Int'));
  }
}

/** Numbers of ConvertedType: UINT_8 is 11, INT_8 is 15, and so on by width. */
function integer(bits: number, signed: boolean): Held {
  const converted = (signed ? 15 : 11) + Math.log2(bits / 8);
  const logical = struct([10, struct([1, i8(bits)], [2, bool(signed)])]);
  return { physical: bits === 64 ? 'INT64' : 'INT32', converted, logical };
}

function timestamp(precision: number): Held {
  const unit = unitOf(precision);
  const logical = struct([8, struct([1, bool(true)], [2, struct([unit, empty])])]);
  return { physical: 'INT64', ...(unit === 3 ? {} : { converted: 8 + unit }), logical };
}

/** 1: milliseconds, 2: microseconds, 3: nanoseconds. */
export function unitOf(precision: number): number {
  return Math.max(1, Math.ceil(precision / 3));
}

const repetitions = { required: 0, optional: 1, repeated: 2 } as const;

/** The schema elements of all columns, in depth-first order. `texts`: which hold nothing but UTF-8. */
export function schemaElements(
  columns: readonly WrittenColumn[],
  texts: readonly boolean[],
): ThriftValue {
  const root = struct([4, text('schema')], [5, i32(columns.length)]);
  return list('struct', [root, ...columns.flatMap((column, i) => elements(column, texts[i]))]);
}

function elements(column: WrittenColumn, isText: boolean | undefined): ThriftValue[] {
  const { physical, fixedBytes, isList, name, optional } = column;
  const asText = isText === true && column.type.kind === 'String';
  const converted = asText ? 0 : column.converted;
  const scalar = (leaf: string): ThriftValue =>
    struct(
      [1, i32(physicalTypes[physical])],
      [2, fixedBytes === undefined ? undefined : i32(fixedBytes)],
      [3, i32(optional ? repetitions.optional : repetitions.required)],
      [4, text(leaf)],
      [6, converted === undefined ? undefined : i32(converted)],
      [10, asText ? struct([1, empty]) : column.logical],
    );
  if (!isList) return [scalar(name)];
  return [
    struct(
      [3, i32(repetitions.required)],
      [4, text(name)],
      [5, i32(1)],
      [6, i32(3)],
      [10, struct([3, empty])],
    ),
    struct([3, i32(repetitions.repeated)], [4, text('list')], [5, i32(1)]),
    scalar('element'),
  ];
}

/** Where the scalars of a column are in the schema. */
export function pathOf({ name, isList }: WrittenColumn): readonly string[] {
  return isList ? [name, 'list', 'element'] : [name];
}
