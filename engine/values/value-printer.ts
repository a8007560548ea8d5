// Values as text by type, as ClickHouse's toString and TabSeparated write them. Strings stay byte
// strings. JSON and CSV quoting are the formats' own; they build on these.

import { assert, defined } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import type { Column } from '../../storage-format/column.ts';
import { type DataType, valueType } from '../../storage-format/data-type.ts';
import { formatUuid, nilUuid } from '../../storage-format/uuid.ts';
import { printDate, printDateTime, printDateTime64 } from './date-text.ts';
import { printFloat32, printFloat64 } from './number-text.ts';
import { escapeText, quoteText } from './text-escapes.ts';
import { timeZone } from './time-zone.ts';

/**
 * - plain: toString and CAST to String; NULL prints as `NULL`.
 * - escaped: a TabSeparated field; NULL is `\N`.
 * - quoted: inside arrays and tuples: strings, dates and enums in quotes; NULL is `NULL`.
 */
export type TextStyle = 'plain' | 'escaped' | 'quoted';

export interface TextContext {
  /** Of DateTime types that name none. */
  readonly timeZone: string;
}

/** The text (a byte string) of one row of a column. */
export type ValuePrinter = (column: Column, row: number) => string;

/** Make one per column, not per row. */
export function valuePrinter(
  type: DataType,
  context: TextContext,
  style: TextStyle = 'plain',
): ValuePrinter {
  const print = barePrinter(valueType(type), context, style);
  if (valueType(type) === type) return print;
  const nullText = style === 'escaped' ? '\\N' : 'NULL';
  return (column, row) => (isNull(column, row) ? nullText : print(column, row));
}

function isNull(column: Column, row: number): boolean {
  return column.kind !== 'array' && column.kind !== 'tuple' && column.nulls?.[row] === 1;
}

function barePrinter(type: DataType, context: TextContext, style: TextStyle): ValuePrinter {
  switch (type.kind) {
    case 'String':
      return stringPrinter(style);
    case 'UUID':
      return uuidPrinter(style);
    case 'Enum8': {
      const names = new Map(type.members.map((member) => [member.value, member.name]));
      const wrap = textWrapper(style);
      return (column, row) => wrap(memberName(names, numberAt(column, row)));
    }
    case 'Date':
    case 'DateTime':
    case 'DateTime64':
      return datePrinter(type, context, style);
    case 'Array': {
      const print = valuePrinter(type.item, context, 'quoted');
      return (column, row) => printArray(column, row, print);
    }
    case 'Tuple': {
      const fields = type.fields.map((field) => valuePrinter(field.type, context, 'quoted'));
      return (column, row) => printTuple(column, row, fields);
    }
    default:
      return scalarPrinter(type);
  }
}

function memberName(names: ReadonlyMap<number, string>, value: number): string {
  const name = names.get(value);
  if (name !== undefined) return name;
  throw new MusterError('UNKNOWN_ELEMENT_OF_ENUM', `Unexpected value ${value} in enum`);
}

function scalarPrinter(type: DataType): ValuePrinter {
  switch (type.kind) {
    case 'Int64':
    case 'UInt64':
    case 'Interval':
      return (column, row) => String(wideAt(column, row));
    case 'Float64':
      return (column, row) => printFloat64(numberAt(column, row));
    case 'Float32':
      return (column, row) => printFloat32(numberAt(column, row));
    case 'Bool':
      return (column, row) => (numberAt(column, row) === 0 ? 'false' : 'true');
    default:
      return (column, row) => String(numberAt(column, row));
  }
}

function datePrinter(type: DataType, context: TextContext, style: TextStyle): ValuePrinter {
  const quote = style === 'quoted' ? "'" : '';
  if (type.kind === 'DateTime') {
    const zone = timeZone(type.timeZone ?? context.timeZone);
    return (column, row) => quote + printDateTime(numberAt(column, row), zone) + quote;
  }
  if (type.kind === 'DateTime64') {
    const zone = timeZone(type.timeZone ?? context.timeZone);
    const precision = type.precision;
    return (column, row) => quote + printDateTime64(wideAt(column, row), precision, zone) + quote;
  }
  return (column, row) => quote + printDate(numberAt(column, row)) + quote;
}

function uuidPrinter(style: TextStyle): ValuePrinter {
  const quote = style === 'quoted' ? "'" : '';
  return (column, row) => {
    assert(column.kind === 'string', 'a UUID is printed from a string column');
    return quote + formatUuid(column.values[row] ?? nilUuid) + quote;
  };
}

function stringPrinter(style: TextStyle): ValuePrinter {
  const wrap = textWrapper(style);
  return (column, row) => {
    assert(column.kind === 'string', 'a string is printed from a string column');
    return wrap(column.values[row] ?? '');
  };
}

function textWrapper(style: TextStyle): (text: string) => string {
  if (style === 'quoted') return quoteText;
  return style === 'escaped' ? escapeText : (text) => text;
}

function printArray(column: Column, row: number, print: ValuePrinter): string {
  assert(column.kind === 'array', 'an array is printed from an array column');
  const end = column.offsets[row + 1] ?? 0;
  const parts: string[] = [];
  for (let i = column.offsets[row] ?? 0; i < end; i++) parts.push(print(column.items, i));
  return `[${parts.join(',')}]`;
}

function printTuple(column: Column, row: number, fields: readonly ValuePrinter[]): string {
  assert(column.kind === 'tuple', 'a tuple is printed from a tuple column');
  const parts = fields.map((print, i) => print(defined(column.fields[i], 'tuple field'), row));
  return `(${parts.join(',')})`;
}

function numberAt(column: Column, row: number): number {
  assert(column.kind === 'number', 'a number is printed from a number column');
  return column.values[row] ?? 0;
}

function wideAt(column: Column, row: number): bigint {
  assert(column.kind === 'wide', 'a 64-bit value is printed from a wide column');
  return column.values[row] ?? 0n;
}
