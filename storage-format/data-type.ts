// SQL data types as values: what a column of a table or of a query may be, and how each is held in
// memory (see column.ts) and on disk (SPEC.md, "Columns"). Parsing of type names is in
// data-type-parser.ts. Types are compared by their canonical names.

import { decodeUtf8 } from '../base/utf8.ts';

export type IntegerName =
  | 'Int8'
  | 'Int16'
  | 'Int32'
  | 'Int64'
  | 'UInt8'
  | 'UInt16'
  | 'UInt32'
  | 'UInt64';

export type DataType =
  | { readonly kind: IntegerName }
  | { readonly kind: 'Float32' | 'Float64' | 'Bool' | 'String' | 'UUID' | 'Date' }
  /** Of expressions only: a count of `unit`s, held as Int64. */
  | { readonly kind: 'Interval'; readonly unit: IntervalUnit }
  /** The type of a bare NULL; only ever inside Nullable. */
  | { readonly kind: 'Nothing' }
  | { readonly kind: 'DateTime'; readonly timeZone?: string }
  /** Ticks of 10^-precision seconds since the epoch; precision 0..9. */
  | { readonly kind: 'DateTime64'; readonly precision: number; readonly timeZone?: string }
  | { readonly kind: 'Enum8'; readonly members: readonly EnumMember[] }
  | { readonly kind: 'Array'; readonly item: DataType }
  | { readonly kind: 'Tuple'; readonly fields: readonly TupleField[] }
  | { readonly kind: 'Nullable'; readonly inner: DataType }
  /** A hint only: the same values and the same memory as `inner`. */
  | { readonly kind: 'LowCardinality'; readonly inner: DataType }
  /** A set of ids: AggregateFunction(groupBitmap, id). */
  | { readonly kind: 'Bitmap'; readonly id: DataType };

export type IntervalUnit =
  | 'Second'
  | 'Minute'
  | 'Hour'
  | 'Day'
  | 'Week'
  | 'Month'
  | 'Quarter'
  | 'Year';

export interface EnumMember {
  /** A byte string. */
  readonly name: string;
  readonly value: number;
}

export interface TupleField {
  readonly name?: string;
  readonly type: DataType;
}

/** What a column is called and holds: of a table, a result, an input. */
export interface NamedType {
  readonly name: string;
  readonly type: DataType;
}

/** The canonical name, as ClickHouse prints it: `LowCardinality(String)`, `Enum8('a' = 1)`. */
export function formatType(type: DataType): string {
  switch (type.kind) {
    case 'DateTime':
      return type.timeZone === undefined ? 'DateTime' : `DateTime(${quote(type.timeZone)})`;
    case 'DateTime64':
      return type.timeZone === undefined
        ? `DateTime64(${type.precision})`
        : `DateTime64(${type.precision}, ${quote(type.timeZone)})`;
    case 'Enum8':
      return `Enum8(${type.members.map((m) => `${quoteBytes(m.name)} = ${m.value}`).join(', ')})`;
    case 'Array':
      return `Array(${formatType(type.item)})`;
    case 'Tuple':
      return `Tuple(${type.fields.map(formatField).join(', ')})`;
    case 'Nullable':
    case 'LowCardinality':
      return `${type.kind}(${formatType(type.inner)})`;
    case 'Interval':
      return `Interval${type.unit}`;
    case 'Bitmap':
      return `AggregateFunction(groupBitmap, ${formatType(type.id)})`;
    default:
      return type.kind;
  }
}

export function sameType(a: DataType, b: DataType): boolean {
  return a === b || formatType(a) === formatType(b);
}

/** Strips LowCardinality and Nullable, in either nesting: what the values themselves are. */
export function valueType(type: DataType): DataType {
  return type.kind === 'Nullable' || type.kind === 'LowCardinality' ? valueType(type.inner) : type;
}

export function isNullable(type: DataType): boolean {
  return type.kind === 'Nullable' || (type.kind === 'LowCardinality' && isNullable(type.inner));
}

function formatField(field: TupleField): string {
  return field.name === undefined
    ? formatType(field.type)
    : `${field.name} ${formatType(field.type)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function quoteBytes(bytes: string): string {
  return quote(decodeUtf8(bytes));
}
