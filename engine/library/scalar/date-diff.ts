// dateDiff: how many boundaries of a unit lie between two dates; age: how many whole units.

import { MusterError } from '../../../base/errors.ts';
import { constantString } from '../function-errors.ts';
import { columnFromDoubles } from '../number-lanes.ts';
import { int64 } from '../numeric-types.ts';
import type { Argument, ScalarFunction } from '../scalar-function.ts';
import { checkDate, type DateRows, dateRows } from './date-arguments.ts';
import { dayOfMonthOf, monthNumberOf } from './day-fields.ts';

type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

const unitNames: Readonly<Record<string, Unit>> = {
  second: 'second',
  ss: 'second',
  s: 'second',
  minute: 'minute',
  mi: 'minute',
  n: 'minute',
  hour: 'hour',
  hh: 'hour',
  h: 'hour',
  day: 'day',
  dd: 'day',
  d: 'day',
  week: 'week',
  wk: 'week',
  ww: 'week',
  month: 'month',
  mm: 'month',
  m: 'month',
  quarter: 'quarter',
  qq: 'quarter',
  q: 'quarter',
  year: 'year',
  yyyy: 'year',
  yy: 'year',
};

function unitOf(name: string, text: string): Unit {
  const lower = text.toLowerCase();
  const unit = unitNames[lower] ?? unitNames[lower.replace(/s$/, '')];
  if (unit !== undefined) return unit;
  throw new MusterError('BAD_ARGUMENTS', `Function ${name} does not support '${text}' unit`);
}

/** The number of the unit that each row lies in, counted from some fixed start. */
function unitNumbers(rows: DateRows, unit: Unit): Float64Array {
  switch (unit) {
    case 'second':
      return rows.seconds();
    case 'minute':
      return rows.seconds().map((second) => Math.floor(second / 60));
    case 'hour':
      return hourNumbers(rows);
    case 'day':
      return rows.days();
    case 'week':
      return rows.days().map((day) => Math.floor((day + 3) / 7));
    case 'month':
      return rows.days().map(monthNumberOf);
    case 'quarter':
      return rows.days().map((day) => Math.floor(monthNumberOf(day) / 3));
    default:
      return rows.days().map((day) => Math.floor(monthNumberOf(day) / 12));
  }
}

/** Counted from the zone's offset in 1970, so that hours of two zones differ by that, as ClickHouse's. */
function hourNumbers(rows: DateRows): Float64Array {
  const offset = rows.zone.offsetAt(0);
  return rows.seconds().map((second) => Math.floor((second - offset) / 3600));
}

const wholeSeconds: Partial<Record<Unit, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
};
const wholeMonths: Partial<Record<Unit, number>> = { month: 1, quarter: 3, year: 12 };

function wholeUnits(from: DateRows, to: DateRows, unit: Unit): Float64Array {
  const start = from.seconds();
  const end = to.seconds();
  const length = wholeSeconds[unit];
  if (length !== undefined) {
    return start.map((second, i) => Math.trunc(((end[i] ?? 0) - second) / length));
  }
  const months = wholeMonths[unit] ?? 1;
  return start.map((second, i) => {
    const last = end[i] ?? 0;
    const a = monthPlace(from, Math.min(second, last));
    const b = monthPlace(to, Math.max(second, last));
    const whole = b.month - a.month - (b.rest < a.rest ? 1 : 0);
    return Math.sign(last - second) * Math.floor(whole / months);
  });
}

function monthPlace(
  rows: DateRows,
  second: number,
): { readonly month: number; readonly rest: number } {
  const local = second + rows.zone.offsetAt(second);
  const day = Math.floor(local / 86_400);
  return {
    month: monthNumberOf(day),
    rest: dayOfMonthOf(day) * 86_400 + local - day * 86_400,
  };
}

function differ(
  name: string,
  aliases: readonly string[],
  count: (from: DateRows, to: DateRows, unit: Unit) => Float64Array,
): ScalarFunction {
  return {
    name,
    aliases,
    caseInsensitive: true,
    arity: [3, 4],
    returnType: ([unit, from, to, zone]) => {
      unitOf(name, constantString(name, unit, 'unit'));
      checkDate(name, from, zone);
      checkDate(name, to);
      return int64;
    },
    evaluate: (call) => {
      const unit = unitOf(name, unitText(call.arguments[0]));
      const result = count(dateRows(call, 1, 3), dateRows(call, 2, 3), unit);
      return columnFromDoubles(int64, result);
    },
  };
}

function unitText(argument: Argument | undefined): string {
  return argument?.column.kind === 'string' ? (argument.column.values[0] ?? '') : '';
}

function boundaries(from: DateRows, to: DateRows, unit: Unit): Float64Array {
  const a = unitNumbers(from, unit);
  const b = unitNumbers(to, unit);
  return a.map((value, i) => (b[i] ?? 0) - value);
}

export const dateDiffFunctions: readonly ScalarFunction[] = [
  differ('dateDiff', ['date_diff', 'DATE_DIFF', 'timestampDiff', 'TIMESTAMP_DIFF'], boundaries),
  differ('age', [], wholeUnits),
];
