// Dates and times rounded down to the start of a unit: toStartOfMonth, toStartOfInterval, date_trunc.
// Units of a week and more give a Date, shorter ones a DateTime, as in ClickHouse.

import { MusterError } from '../../../base/errors.ts';
import type { Column } from '../../../storage-format/column.ts';
import type { DataType, IntervalUnit } from '../../../storage-format/data-type.ts';
import { daysFromCivil } from '../../values/civil-date.ts';
import { daysColumn, secondsColumn } from '../cast-dates.ts';
import { constantInteger, constantString, illegalType } from '../function-errors.ts';
import type { ArgumentType, FunctionCall, ScalarFunction } from '../scalar-function.ts';
import { checkDate, type DateRows, dateRows, zonedType } from './date-arguments.ts';
import {
  lastOfMonth,
  mondayOf,
  monthNumberOf,
  startOfIsoYear,
  startOfMonth,
  startOfQuarter,
  startOfYear,
  sundayOf,
  yearOf,
} from './day-fields.ts';

const date: DataType = { kind: 'Date' };

function dayStart(
  name: string,
  round: (day: number) => number,
  aliases: readonly string[] = [],
): ScalarFunction {
  return {
    name,
    aliases,
    caseInsensitive: aliases.length > 0,
    arity: [1, 2],
    returnType: ([value, zone]) => {
      checkDate(name, value, zone);
      return date;
    },
    evaluate: (call) => daysColumn(dateRows(call, 0, 1).days().map(round)),
  };
}

function timeStart(name: string, lengthSeconds: number): ScalarFunction {
  return {
    name,
    arity: [1, 2],
    returnType: ([value, zone]) => {
      if (checkDate(name, value, zone).kind === 'Date') throw illegalType(name, date);
      return timeType(name, value!, zone);
    },
    evaluate: (call) => secondsColumn(roundLocal(dateRows(call, 0, 1), lengthSeconds)),
  };
}

/** The DateTime of the argument's zone. */
function timeType(name: string, value: ArgumentType, zone: ArgumentType | undefined): DataType {
  const type = zonedType(name, value.type, zone);
  const named = type.kind === 'DateTime' || type.kind === 'DateTime64' ? type.timeZone : undefined;
  if (type.kind === 'Date' && zone !== undefined) {
    return { kind: 'DateTime', timeZone: constantString(name, zone, 'time zone') };
  }
  return named === undefined ? { kind: 'DateTime' } : { kind: 'DateTime', timeZone: named };
}

function roundLocal(rows: DateRows, lengthSeconds: number): Float64Array {
  const seconds = rows.seconds();
  for (let i = 0; i < seconds.length; i++) {
    const second = seconds[i] ?? 0;
    const local = second + rows.zone.offsetAt(second);
    seconds[i] = second - (local - Math.floor(local / lengthSeconds) * lengthSeconds);
  }
  return seconds;
}

function startsOfDays(rows: DateRows, days: Float64Array): Column {
  const starts = days.map((day) => Math.max(rows.zone.startOfLocalDay(day), 0));
  return { kind: 'number', values: new Uint32Array(starts) };
}

/** Even modes begin weeks on Sunday, odd ones on Monday. */
function evaluateWeek(call: FunctionCall): Column {
  const mode = call.arguments[1];
  const number =
    mode === undefined
      ? 0
      : constantInteger('toStartOfWeek', { type: mode.type, constant: mode.column }, 'mode');
  const round = number % 2 === 1 ? mondayOf : sundayOf;
  return daysColumn(dateRows(call, 0, 2).days().map(round));
}

interface Interval {
  readonly unit: IntervalUnit;
  readonly count: number;
}

function intervalType(
  name: string,
  value: ArgumentType,
  rest: {
    readonly unit: IntervalUnit;
    readonly zone: ArgumentType | undefined;
  },
): DataType {
  checkDate(name, value, rest.zone);
  switch (rest.unit) {
    case 'Week':
    case 'Month':
    case 'Quarter':
    case 'Year':
      return date;
    default:
      if (rest.unit !== 'Day' && value.type.kind === 'Date') throw illegalType(name, date);
      return timeType(name, value, rest.zone);
  }
}

/** As `returns` says: a Date, a DateTime, or whole seconds of a DateTime64. */
function roundToInterval(rows: DateRows, interval: Interval, returns: DataType): Column {
  if (returns.kind === 'Date') {
    return daysColumn(rows.days().map((day) => roundDay(day, interval)));
  }
  const seconds = roundSeconds(rows, interval);
  if (returns.kind !== 'DateTime64') return secondsColumn(seconds);
  return { kind: 'wide', values: BigInt64Array.from(seconds, BigInt) };
}

function roundSeconds(rows: DateRows, interval: Interval): Float64Array {
  const { unit, count } = interval;
  if (unit === 'Hour') return roundHours(rows, count);
  if (unit === 'Day') {
    return rows.days().map((day) => rows.zone.startOfLocalDay(Math.floor(day / count) * count));
  }
  const length = unit === 'Second' ? count : count * 60;
  return rows.seconds().map((second) => Math.floor(second / length) * length);
}

/** Hours are counted from the local midnight. */
function roundHours(rows: DateRows, count: number): Float64Array {
  const length = count * 3600;
  return rows.seconds().map((second) => {
    const local = second + rows.zone.offsetAt(second);
    const midnight = Math.floor(local / 86_400) * 86_400;
    return second - ((local - midnight) % length);
  });
}

/** Weeks are counted from Monday 1970-01-05, months from year 0. */
function roundDay(day: number, interval: Interval): number {
  const { unit, count } = interval;
  if (unit === 'Week') return 4 + Math.floor((day - 4) / (7 * count)) * 7 * count;
  if (unit === 'Year') return daysFromCivil(Math.floor(yearOf(day) / count) * count, 1, 1);
  const months = unit === 'Quarter' ? 3 * count : count;
  const month = Math.floor(monthNumberOf(day) / months) * months;
  const year = Math.floor(month / 12);
  return daysFromCivil(year, month - year * 12 + 1, 1);
}

const truncUnits: Readonly<Record<string, IntervalUnit>> = {
  second: 'Second',
  minute: 'Minute',
  hour: 'Hour',
  day: 'Day',
  week: 'Week',
  month: 'Month',
  quarter: 'Quarter',
  year: 'Year',
};

function truncUnit(argument: ArgumentType | undefined): IntervalUnit {
  const text = constantString('dateTrunc', argument, 'unit').toLowerCase();
  const unit = truncUnits[text];
  if (unit !== undefined) return unit;
  throw new MusterError('BAD_ARGUMENTS', `Function dateTrunc does not support '${text}' unit`);
}

const intervalFunctions: readonly ScalarFunction[] = [
  {
    name: 'toStartOfInterval',
    arity: [2, 3],
    returnType: ([value, interval, zone]) => {
      if (interval!.type.kind !== 'Interval')
        throw illegalType('toStartOfInterval', interval!.type);
      const count = constantInteger('toStartOfInterval', interval, 'interval');
      if (count <= 0) {
        throw new MusterError('ARGUMENT_OUT_OF_BOUND', 'Value for interval must be positive');
      }
      return intervalType('toStartOfInterval', value!, { unit: interval!.type.unit, zone });
    },
    evaluate: (call) => {
      const { type, column } = call.arguments[1]!;
      const unit = type.kind === 'Interval' ? type.unit : 'Day';
      const count = constantInteger('toStartOfInterval', { type, constant: column }, 'interval');
      return roundToInterval(dateRows(call, 0, 2), { unit, count }, call.returns);
    },
  },
  {
    name: 'dateTrunc',
    aliases: ['date_trunc'],
    caseInsensitive: true,
    arity: [2, 3],
    returnType: ([unit, value, zone]) => {
      const type = intervalType('dateTrunc', value!, { unit: truncUnit(unit), zone });
      if (value!.type.kind !== 'DateTime64' || type.kind !== 'DateTime') return type;
      return { ...type, kind: 'DateTime64', precision: 0 };
    },
    evaluate: (call) => {
      const { type, column } = call.arguments[0]!;
      const unit = truncUnit({ type, constant: column });
      return roundToInterval(dateRows(call, 1, 2), { unit, count: 1 }, call.returns);
    },
  },
];

export const dateStartFunctions: readonly ScalarFunction[] = [
  dayStart('toStartOfYear', startOfYear),
  dayStart('toStartOfISOYear', startOfIsoYear),
  dayStart('toStartOfQuarter', startOfQuarter),
  dayStart('toStartOfMonth', startOfMonth),
  dayStart('toLastDayOfMonth', lastOfMonth, ['LAST_DAY']),
  dayStart('toMonday', mondayOf),
  {
    name: 'toStartOfWeek',
    arity: [1, 3],
    returnType: ([value, mode, zone]) => {
      checkDate('toStartOfWeek', value, zone);
      if (mode !== undefined) constantInteger('toStartOfWeek', mode, 'mode');
      return date;
    },
    evaluate: evaluateWeek,
  },
  {
    name: 'toStartOfDay',
    arity: [1, 2],
    returnType: ([value, zone]) => {
      checkDate('toStartOfDay', value, zone);
      return timeType('toStartOfDay', value!, zone);
    },
    evaluate: (call) => {
      const rows = dateRows(call, 0, 1);
      return startsOfDays(rows, rows.days());
    },
  },
  timeStart('toStartOfHour', 3600),
  timeStart('toStartOfFifteenMinutes', 900),
  timeStart('toStartOfTenMinutes', 600),
  timeStart('toStartOfFiveMinutes', 300),
  timeStart('toStartOfMinute', 60),
  ...intervalFunctions,
];
