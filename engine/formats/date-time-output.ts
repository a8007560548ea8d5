// The setting date_time_output_format: DateTime and DateTime64 as ISO texts in UTC, or as seconds.

import type { Column } from '../../storage-format/column.ts';
import { type DataType, valueType } from '../../storage-format/data-type.ts';
import { printDateTime, printDateTime64 } from '../values/date-text.ts';
import { timeZone } from '../values/time-zone.ts';
import type { TextStyle, ValuePrinter } from '../values/value-printer.ts';
import type { OutputSettings } from './output-settings.ts';

/** Undefined where the ordinary printer does. Not applied inside arrays and tuples. */
export function dateTimePrinter(
  type: DataType,
  settings: OutputSettings,
  style: TextStyle,
): ValuePrinter | undefined {
  const bare = valueType(type);
  if (settings.dateTime === 'simple') return undefined;
  if (bare.kind !== 'DateTime' && bare.kind !== 'DateTime64') return undefined;
  const print = settings.dateTime === 'iso' ? isoPrinter(bare) : unixPrinter(bare);
  return style === 'quoted' ? (column, row) => `'${print(column, row)}'` : print;
}

function isoPrinter(type: DataType): ValuePrinter {
  const utc = timeZone('UTC');
  return (column, row) => {
    const text =
      type.kind === 'DateTime64'
        ? printDateTime64(ticksAt(column, row), type.precision, utc)
        : printDateTime(secondsAt(column, row), utc);
    return `${text.replace(' ', 'T')}Z`;
  };
}

function unixPrinter(type: DataType): ValuePrinter {
  return (column, row) => {
    if (type.kind !== 'DateTime64') return String(secondsAt(column, row));
    const { precision } = type;
    const ticks = ticksAt(column, row);
    if (precision === 0) return String(ticks);
    const digits = String(ticks < 0n ? -ticks : ticks).padStart(precision + 1, '0');
    const point = digits.length - precision;
    return `${ticks < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
  };
}

function secondsAt(column: Column, row: number): number {
  return column.kind === 'number' ? (column.values[row] ?? 0) : 0;
}

function ticksAt(column: Column, row: number): bigint {
  return column.kind === 'wide' ? (column.values[row] ?? 0n) : 0n;
}
