// Cells, counts, sizes and times as text. Cells keep every digit; counts and sizes are for people.

import { type Cell, columnKind } from './result.ts';

/** A cell as the table shows it. */
export function cellText(cell: Cell, type: string): string {
  if (cell === null) return 'NULL';
  if (columnKind(type) === 'state') {
    return `${/^AggregateFunction\((\w+)/.exec(type)?.[1] ?? 'aggregate'} state`;
  }
  return typeof cell === 'object' ? nestedText(cell) : String(cell);
}

/** Inside arrays, tuples and maps strings are quoted, as in SQL. */
function nestedText(cell: Cell): string {
  if (cell === null) return 'NULL';
  if (typeof cell === 'string') return `'${cell.replace(/[\\']/g, '\\$&')}'`;
  if (typeof cell !== 'object') return String(cell);
  if (isList(cell)) return `[${cell.map(nestedText).join(', ')}]`;
  const fields = Object.entries(cell).map(([key, value]) => `'${key}': ${nestedText(value)}`);
  return `{${fields.join(', ')}}`;
}

function isList(cell: Cell): cell is readonly Cell[] {
  return Array.isArray(cell);
}

/** 1234567 -> 1,234,567; takes digits as text, of any length. */
export function countText(count: number | string): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 row`, `2 rows`. */
export function countedText(count: number | string, noun: string): string {
  return `${countText(count)} ${noun}${String(count) === '1' ? '' : 's'}`;
}

export function bytesText(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : threeDigits(value)} ${units[unit]}`;
}

export function durationText(milliseconds: number): string {
  if (milliseconds < 1) return `${threeDigits(milliseconds * 1000)} µs`;
  if (milliseconds < 999.5) return `${threeDigits(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${threeDigits(seconds)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function threeDigits(value: number): string {
  return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}
