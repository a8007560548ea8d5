// How one cell looks in each text format. A printer gives a byte string for a row of its column;
// one is made per column of an answer. Bitmap cells are strings of state bytes here.

import { defined } from '../../base/assert.ts';
import { type Column, isNullAt } from '../../storage-format/column.ts';
import { type DataType, valueType } from '../../storage-format/data-type.ts';
import { type TextStyle, type ValuePrinter, valuePrinter } from '../values/value-printer.ts';
import { dateTimePrinter } from './date-time-output.ts';
import type { OutputSettings } from './output-settings.ts';

export type CellPrinter = (row: number) => string;

/** The type as it is printed: sets are the strings of their states. */
export function printedType(type: DataType): DataType {
  switch (type.kind) {
    case 'Bitmap':
      return { kind: 'String' };
    case 'Array':
      return { kind: 'Array', item: printedType(type.item) };
    case 'Nullable':
    case 'LowCardinality':
      return { kind: type.kind, inner: printedType(type.inner) };
    case 'Tuple':
      return {
        kind: 'Tuple',
        fields: type.fields.map((field) => ({ ...field, type: printedType(field.type) })),
      };
    default:
      return type;
  }
}

/** A printer of values that are not NULL. */
export function textPrinter(
  type: DataType,
  settings: OutputSettings,
  style: TextStyle,
): ValuePrinter {
  const printed = printedType(type);
  const special = dateTimePrinter(printed, settings, style);
  return special ?? valuePrinter(printed, { timeZone: settings.timeZone }, style);
}

/** `nullText` is what NULL looks like. */
export function cellPrinter(column: Column, print: ValuePrinter, nullText: string): CellPrinter {
  return (row) => (isNullAt(column, row) ? nullText : print(column, row));
}

/** Cells of CSV; tuples become as many cells as they have fields. */
export function csvPrinters(
  type: DataType,
  column: Column,
  settings: OutputSettings,
): readonly CellPrinter[] {
  const bare = valueType(type);
  if (bare.kind === 'Tuple' && column.kind === 'tuple') {
    return bare.fields.flatMap((field, i) =>
      csvPrinters(field.type, defined(column.fields[i], 'tuple field'), settings),
    );
  }
  const print = textPrinter(type, settings, 'plain');
  const quoted: ValuePrinter = isBareInCsv(bare)
    ? print
    : (of, row) => `"${print(of, row).replaceAll('"', '""')}"`;
  return [cellPrinter(column, quoted, settings.csvNull)];
}

/** Names of the cells of CSV: `t.1`, `t.name` for the fields of a tuple. */
export function csvNames(name: string, type: DataType): readonly string[] {
  const bare = valueType(type);
  if (bare.kind !== 'Tuple') return [name];
  return bare.fields.flatMap((field, i) => csvNames(`${name}.${field.name ?? i + 1}`, field.type));
}

export function csvTypes(type: DataType): readonly DataType[] {
  const bare = valueType(type);
  return bare.kind === 'Tuple' ? bare.fields.flatMap((field) => csvTypes(field.type)) : [type];
}

function isBareInCsv(type: DataType): boolean {
  return /^U?Int\d|^Float|^Bool$|^Interval|^Nothing$/.test(type.kind);
}
