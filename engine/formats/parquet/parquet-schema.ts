// What the columns of a Parquet file are in SQL: the type that ClickHouse infers, as far as Muster has
// it, and how the physical values become values of that type. Flat columns and lists of flat values
// are read by themselves, structs and lists in lists by nested-schema.ts; maps have no type, and fail only
// where a query wants them.

import { MusterError } from '../../../base/errors.ts';
import { defined } from '../../../base/assert.ts';
import { type DataType, formatType } from '../../../storage-format/data-type.ts';
import { nestedColumn, type NestedLeaf, type NestedShape, typeText } from './nested-schema.ts';
import type { ParquetNode } from './parquet-file.ts';

/** From physical values to the type's: numbers, bigints or byte strings. */
export type LeafReading =
  | { readonly shape: 'number'; readonly from?: (value: number) => number }
  /** 64-bit patterns as they are, or one by one. */
  | { readonly shape: 'wide'; readonly from?: (value: unknown) => bigint }
  | { readonly shape: 'float'; readonly from: (value: unknown) => number }
  | { readonly shape: 'bool' }
  | { readonly shape: 'bytes' }
  | { readonly shape: 'uuid' };

export interface ParquetColumn {
  readonly name: string;
  /** Nullable where the file may hold NULLs; Array for lists. */
  readonly type: DataType;
  readonly leaf: LeafReading;
  /** Of the values themselves, inside Nullable and Array. */
  readonly valueType: DataType;
  /** Containers around the items of a row, as the levels nest; undefined: no list. */
  readonly listDepth: number | undefined;
  /** Of structs and lists in lists: their leaves, which the rest of this says nothing of. */
  readonly nested?: NestedParquet;
}

interface NestedParquet {
  readonly shape: NestedShape;
  readonly leaves: readonly (NestedLeaf & Pick<ParquetColumn, 'leaf' | 'valueType'>)[];
}

/** NOT_IMPLEMENTED for what Muster has no type for. */
export function columnOfNode(node: ParquetNode): ParquetColumn {
  const list = listItem(node);
  const item = list?.item ?? node;
  if (item.physical === undefined || item.children.length > 0) return nestedOf(node);
  const { type: valueType, leaf } = leafOf(item, node);
  const { name } = node;
  if (list !== undefined) {
    const itemType = nullableIf(item.repetition === 'OPTIONAL', valueType);
    const type: DataType = { kind: 'Array', item: itemType };
    return { name, type, leaf, valueType, listDepth: list.depth };
  }
  const type = nullableIf(node.repetition === 'OPTIONAL', valueType);
  return { name, type, leaf, valueType, listDepth: undefined };
}

function nestedOf(node: ParquetNode): ParquetColumn {
  const typeOf = (leaf: ParquetNode): DataType =>
    nullableIf(leaf.repetition === 'OPTIONAL', leafOf(leaf, node).type);
  const found = nestedColumn(node, typeOf);
  if (found === undefined) throw unsupported(node);
  const leaves = found.leaves.map((one) => {
    const { type: valueType, leaf } = leafOf(one.node, node);
    return { ...one, valueType, leaf };
  });
  const { type, shape } = found;
  const { leaf } = defined(leaves[0], 'a column has leaves');
  const nested = { shape, leaves };
  return { name: node.name, type, leaf, valueType: type, listDepth: undefined, nested };
}

function nullableIf(condition: boolean, inner: DataType): DataType {
  return condition ? { kind: 'Nullable', inner } : inner;
}

/** Three levels as the format asks for, or the two that old writers wrote. */
function listItem(node: ParquetNode): { item: ParquetNode; depth: number } | undefined {
  if (node.repetition === 'REPEATED' && node.physical !== undefined)
    return { item: node, depth: 0 };
  const isList = node.converted === 'LIST' || node.logical?.type === 'LIST';
  const [repeated] = node.children;
  if (!isList || repeated?.repetition !== 'REPEATED') return undefined;
  const depth = node.repetition === 'OPTIONAL' ? 1 : 0;
  if (repeated.physical !== undefined) return { item: repeated, depth };
  const [item] = repeated.children;
  if (item === undefined || repeated.children.length !== 1) return undefined;
  return { item, depth };
}

interface Leaf {
  readonly type: DataType;
  readonly leaf: LeafReading;
}

function leafOf(leaf: ParquetNode, column: ParquetNode): Leaf {
  if (leaf.converted === 'DECIMAL' || leaf.logical?.type === 'DECIMAL') return decimal(leaf);
  switch (leaf.physical) {
    case 'BOOLEAN':
      return { type: { kind: 'Bool' }, leaf: { shape: 'bool' } };
    case 'INT32':
      return small(leaf);
    case 'INT64':
      return wide(leaf);
    case 'INT96':
      return { type: { kind: 'DateTime64', precision: 9 }, leaf: { shape: 'wide' } };
    case 'FLOAT':
      return { type: { kind: 'Float32' }, leaf: { shape: 'number' } };
    case 'DOUBLE':
      return { type: { kind: 'Float64' }, leaf: { shape: 'number' } };
    case 'BYTE_ARRAY':
      return { type: { kind: 'String' }, leaf: { shape: 'bytes' } };
    case 'FIXED_LEN_BYTE_ARRAY':
      return fixed(leaf);
    default:
      throw unsupported(column);
  }
}

const integerNames = {
  INT_8: 'Int8',
  INT_16: 'Int16',
  INT_32: 'Int32',
  UINT_8: 'UInt8',
  UINT_16: 'UInt16',
  UINT_32: 'UInt32',
} as const;

function small({ converted, logical }: ParquetNode): Leaf {
  if (converted === 'DATE' || logical?.type === 'DATE') {
    return { type: { kind: 'Date' }, leaf: { shape: 'number', from: checkedDay } };
  }
  const annotated =
    logical?.type === 'INTEGER'
      ? (`${logical.isSigned ? '' : 'U'}INT_${logical.bitWidth}` as const)
      : converted;
  const name = annotated as keyof typeof integerNames;
  const kind = Object.hasOwn(integerNames, name) ? integerNames[name] : 'Int32';
  // Stored in a typed array, UInt32 above 2^31 come out of their negative numbers by themselves.
  return { type: { kind }, leaf: { shape: 'number' } };
}

function wide({ converted, logical }: ParquetNode): Leaf {
  if (logical?.type === 'TIMESTAMP') {
    const precision = { MILLIS: 3, MICROS: 6, NANOS: 9 }[logical.unit];
    return timestamp(precision, logical.isAdjustedToUTC);
  }
  if (converted === 'TIMESTAMP_MILLIS') return timestamp(3, true);
  if (converted === 'TIMESTAMP_MICROS') return timestamp(6, true);
  const isUnsigned = converted === 'UINT_64' || (logical?.type === 'INTEGER' && !logical.isSigned);
  return { type: { kind: isUnsigned ? 'UInt64' : 'Int64' }, leaf: { shape: 'wide' } };
}

/** Instants are in UTC; local times are taken as UTC's, too, as ClickHouse takes them. */
function timestamp(precision: number, isInstant: boolean): Leaf {
  const zone = isInstant ? { timeZone: 'UTC' } : {};
  return { type: { kind: 'DateTime64', precision, ...zone }, leaf: { shape: 'wide' } };
}

function fixed({ logical, fixedBytes }: ParquetNode): Leaf {
  if (logical?.type === 'UUID' && fixedBytes === 16) {
    return { type: { kind: 'UUID' }, leaf: { shape: 'uuid' } };
  }
  if (logical?.type === 'FLOAT16') {
    return { type: { kind: 'Float32' }, leaf: { shape: 'float', from: halfFloat } };
  }
  return { type: { kind: 'String' }, leaf: { shape: 'bytes' } };
}

const digitsOfInt64 = 18;

/** Whole decimals are integers, exactly: so Spark and others write unsigned ids. */
function decimal({ scale, precision }: ParquetNode): Leaf {
  if (scale > 0) {
    const from = (value: unknown): number => Number(unscaled(value)) / 10 ** scale;
    return { type: { kind: 'Float64' }, leaf: { shape: 'float', from } };
  }
  if (precision <= digitsOfInt64) {
    return { type: { kind: 'Int64' }, leaf: { shape: 'wide', from: unscaled } };
  }
  return { type: { kind: 'UInt64' }, leaf: { shape: 'wide', from: checkedUnsigned } };
}

function unscaled(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return BigInt(value);
  let sum = 0n;
  const bytes = value as Uint8Array;
  for (const byte of bytes) sum = (sum << 8n) | BigInt(byte);
  return BigInt.asIntN(8 * bytes.length, sum);
}

function checkedUnsigned(value: unknown): bigint {
  const number = unscaled(value);
  if (BigInt.asUintN(64, number) === number) return number;
  throw new MusterError(
    'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE',
    `The decimal ${number} of the Parquet file is out of range of type UInt64`,
  );
}

const dayMax = 0xffff;

function checkedDay(day: number): number {
  if (day >= 0 && day <= dayMax) return day;
  throw new MusterError(
    'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE',
    `Day ${day} since 1970-01-01 of the Parquet file is out of range of type Date`,
  );
}

function halfFloat(value: unknown): number {
  const [low = 0, high = 0] = value as Uint8Array;
  const sign = high >> 7 ? -1 : 1;
  const exponent = (high >> 2) & 0x1f;
  const fraction = ((high & 3) << 8) | low;
  if (exponent === 0) return sign * 2 ** -24 * fraction;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}

function unsupported(node: ParquetNode): MusterError {
  const type = typeText(node, (leaf) => {
    const kind = leaf.children.length === 0 && leaf.physical !== undefined;
    return kind ? formatType(leafOf(leaf, node).type) : 'unknown';
  });
  return new MusterError(
    'NOT_IMPLEMENTED',
    `Column '${node.name}' of the Parquet file is a ${type}: such columns are not supported; name the columns that you want`,
  );
}
