// Dates and times to one another, to numbers and from numbers. A DateTime is a second of the epoch:
// its zone (the type's, else the session's) matters only where a calendar day is involved.

import { assert } from '../../base/assert.ts';
import { type Column, columnLength } from '../../storage-format/column.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import { splitTicks } from '../values/date-text.ts';
import { type TimeZone, timeZone } from '../values/time-zone.ts';
import { castNumbers } from './cast-numbers.ts';
import { doubles } from './number-lanes.ts';
import { isFloat } from './numeric-types.ts';

export interface CastContext {
  readonly timeZone: string;
}

interface DateTarget {
  readonly to: DataType;
  readonly context: CastContext;
}

const daysMax = 65_535;
const secondsMax = 4_294_967_295;

/** The zone in which values of the type show. */
export function zoneOf(type: DataType, context: CastContext): TimeZone {
  const named = type.kind === 'DateTime' || type.kind === 'DateTime64' ? type.timeZone : undefined;
  return timeZone(named ?? context.timeZone);
}

/** From a date or time to anything but text and enums. */
export function castDate(column: Column, from: DataType, target: DateTarget): Column {
  const { to, context } = target;
  if (to.kind === 'Date') return daysColumn(localDays(column, from, context));
  if (to.kind === 'DateTime') {
    return { kind: 'number', values: new Uint32Array(epochSeconds(column, from, target)) };
  }
  if (to.kind === 'DateTime64') return toTicks(column, from, target);
  if (from.kind !== 'DateTime64') return castNumbers(column, from, to);
  if (isFloat(to)) return ticksAsFloat(column, from.precision, to);
  return castNumbers(wholeSeconds(column, from.precision), { kind: 'Int64' }, to);
}

/** Seconds of ticks, cut towards zero. */
export function wholeSeconds(column: Column, precision: number): Column {
  assert(column.kind === 'wide', 'DateTime64 is wide');
  return { kind: 'wide', values: rescale(column.values, precision, 0) };
}

/** From a number: small integers are days of a Date, larger ones seconds. */
export function castToDate(column: Column, from: DataType, target: DateTarget): Column {
  const { to, context } = target;
  const rows = columnLength(column);
  const numbers = doubles({ type: from, column, constant: false }, rows);
  if (to.kind === 'DateTime64') return ticksFromNumbers(column, numbers, { from, to });
  if (to.kind === 'DateTime') return secondsColumn(numbers.map(Math.trunc));
  const zone = zoneOf(to, context);
  return daysColumn(numbers.map((value) => dayOfNumber(value, zone)));
}

/** Local calendar days of dates or times, one per row. */
export function localDays(column: Column, type: DataType, context: CastContext): Float64Array {
  if (type.kind === 'Date') return doubles({ type, column, constant: false }, columnLength(column));
  const zone = zoneOf(type, context);
  const seconds = epochSeconds(column, type, { to: type, context });
  for (let i = 0; i < seconds.length; i++) {
    const second = seconds[i] ?? 0;
    seconds[i] = Math.floor((second + zone.offsetAt(second)) / 86_400);
  }
  return seconds;
}

/** Seconds of the epoch, rounded down; a Date is its midnight in the target's zone. */
export function epochSeconds(column: Column, from: DataType, target: DateTarget): Float64Array {
  const rows = columnLength(column);
  if (from.kind === 'DateTime64') {
    assert(column.kind === 'wide', 'DateTime64 is wide');
    const precision = from.precision;
    const seconds = new Float64Array(rows);
    for (let i = 0; i < rows; i++) {
      seconds[i] = splitTicks(column.values[i] ?? 0n, precision).seconds;
    }
    return seconds;
  }
  const values = doubles({ type: from, column, constant: false }, rows).slice();
  if (from.kind !== 'Date') return values;
  const zone = zoneOf(target.to, target.context);
  for (let i = 0; i < rows; i++) values[i] = zone.startOfLocalDay(values[i] ?? 0);
  return values;
}

/** Days, kept within the range of a Date. */
export function daysColumn(days: Float64Array): Column {
  return { kind: 'number', values: clamped(days, new Uint16Array(days.length), daysMax) };
}

/** Seconds, kept within the range of a DateTime. */
export function secondsColumn(seconds: Float64Array): Column {
  return { kind: 'number', values: clamped(seconds, new Uint32Array(seconds.length), secondsMax) };
}

function clamped(
  from: Float64Array,
  to: Uint16Array | Uint32Array,
  most: number,
): Uint16Array | Uint32Array {
  for (let i = 0; i < to.length; i++) {
    const value = from[i] ?? 0;
    to[i] = value < 0 ? 0 : value > most ? most : value;
  }
  return to;
}

function toTicks(column: Column, from: DataType, target: DateTarget): Column {
  assert(target.to.kind === 'DateTime64', 'ticks are of DateTime64');
  const precision = target.to.precision;
  if (from.kind === 'DateTime64') {
    assert(column.kind === 'wide', 'DateTime64 is wide');
    return { kind: 'wide', values: rescale(column.values, from.precision, precision) };
  }
  const scale = 10n ** BigInt(precision);
  const seconds = epochSeconds(column, from, target);
  return { kind: 'wide', values: BigInt64Array.from(seconds, (s) => BigInt(s) * scale) };
}

function rescale(ticks: BigInt64Array | BigUint64Array, from: number, to: number): BigInt64Array {
  const scale = 10n ** BigInt(Math.abs(to - from));
  return BigInt64Array.from(ticks, (value) => (to >= from ? value * scale : value / scale));
}

function ticksAsFloat(column: Column, precision: number, to: DataType): Column {
  const scale = 10 ** precision;
  const ticks = doubles({ type: { kind: 'Int64' }, column, constant: false }, columnLength(column));
  const values = ticks.map((value) => value / scale);
  return castNumbers({ kind: 'number', values }, { kind: 'Float64' }, to);
}

function ticksFromNumbers(
  column: Column,
  numbers: Float64Array,
  types: { readonly from: DataType; readonly to: DataType },
): Column {
  assert(types.to.kind === 'DateTime64', 'ticks are of DateTime64');
  const scale = 10 ** types.to.precision;
  if (isFloat(types.from)) {
    return {
      kind: 'wide',
      values: BigInt64Array.from(numbers, (value) => BigInt(Math.trunc(value * scale))),
    };
  }
  const wide = BigInt(scale);
  if (column.kind === 'wide') {
    return { kind: 'wide', values: BigInt64Array.from(column.values, (value) => value * wide) };
  }
  return { kind: 'wide', values: BigInt64Array.from(numbers, (value) => BigInt(value) * wide) };
}

function dayOfNumber(value: number, zone: TimeZone): number {
  const whole = Math.trunc(value);
  if (whole <= daysMax) return whole;
  const second = Math.min(whole, secondsMax);
  return Math.floor((second + zone.offsetAt(second)) / 86_400);
}
