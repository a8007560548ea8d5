// One number out of a date or time: toYear, toHour, toYYYYMM and the like. An optional last argument
// names the time zone.

import type { Column } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { dayOfWeek } from '../../values/civil-date.ts';
import { wholeSeconds } from '../cast-dates.ts';
import { castNumbers } from '../cast-numbers.ts';
import { constantInteger, illegalType } from '../function-errors.ts';
import { columnFromDoubles } from '../number-lanes.ts';
import type { FunctionCall, ScalarFunction } from '../scalar-function.ts';
import { checkDate, dateRows } from './date-arguments.ts';
import {
  dayOfMonthOf,
  dayOfYearOf,
  isoWeekOf,
  isoYearOf,
  monthNumberOf,
  monthOf,
  quarterOf,
  yearOf,
} from './day-fields.ts';

const uint8: DataType = { kind: 'UInt8' };
const uint16: DataType = { kind: 'UInt16' };
const uint32: DataType = { kind: 'UInt32' };

interface PartOptions {
  readonly aliases?: readonly string[];
  readonly returns: DataType;
}

/** A function of the local day. */
function dayPart(
  name: string,
  part: (day: number) => number,
  options: PartOptions,
): ScalarFunction {
  return {
    name,
    aliases: options.aliases ?? [],
    caseInsensitive: (options.aliases ?? []).length > 0,
    arity: [1, 2],
    returnType: ([date, zone]) => {
      checkDate(name, date, zone);
      return options.returns;
    },
    evaluate: (call) => {
      const days = dateRows(call, 0, 1).days();
      for (let i = 0; i < days.length; i++) days[i] = part(days[i] ?? 0);
      return columnFromDoubles(options.returns, days);
    },
  };
}

/** A function of the second of the local day. */
function timePart(
  name: string,
  part: (secondOfDay: number) => number,
  aliases: readonly string[],
): ScalarFunction {
  return {
    name,
    aliases,
    caseInsensitive: true,
    arity: [1, 2],
    returnType: ([date, zone]) => {
      const type = checkDate(name, date, zone);
      if (type.kind === 'Date') throw illegalType(name, type);
      return uint8;
    },
    evaluate: (call) => {
      const rows = dateRows(call, 0, 1);
      const seconds = rows.seconds();
      const { zone } = rows;
      for (let i = 0; i < seconds.length; i++) {
        const second = seconds[i] ?? 0;
        const local = second + zone.offsetAt(second);
        seconds[i] = part(local - Math.floor(local / 86_400) * 86_400);
      }
      return columnFromDoubles(uint8, seconds);
    },
  };
}

/** Mode 0: Monday = 1 .. Sunday = 7; 1: Monday = 0; 2: Sunday = 0; 3: Sunday = 1. */
function weekDay(day: number, mode: number): number {
  const monday = dayOfWeek(day);
  if (mode === 1) return monday - 1;
  if (mode === 2) return monday % 7;
  return mode === 3 ? (monday % 7) + 1 : monday;
}

function evaluateDayOfWeek(call: FunctionCall): Column {
  const mode = call.arguments[1];
  const number =
    mode === undefined
      ? 0
      : constantInteger('toDayOfWeek', { type: mode.type, constant: mode.column }, 'mode');
  const days = dateRows(call, 0, 2).days();
  return columnFromDoubles(
    uint8,
    days.map((day) => weekDay(day, number & 3)),
  );
}

function evaluateUnixTimestamp(call: FunctionCall): Column {
  const { type, column } = call.arguments[0]!;
  if (type.kind !== 'DateTime64') return columnFromDoubles(uint32, dateRows(call, 0, 1).seconds());
  return castNumbers(wholeSeconds(column, type.precision), { kind: 'Int64' }, uint32);
}

function yyyymmdd(day: number): number {
  return yearOf(day) * 10_000 + monthOf(day) * 100 + dayOfMonthOf(day);
}

function evaluateDigits(call: FunctionCall): Column {
  const rows = dateRows(call, 0, 1);
  const values = rows.seconds().map((second) => {
    const local = second + rows.zone.offsetAt(second);
    const day = Math.floor(local / 86_400);
    const rest = local - day * 86_400;
    const time =
      Math.floor(rest / 3600) * 10_000 + Math.floor((rest % 3600) / 60) * 100 + (rest % 60);
    return yyyymmdd(day) * 1_000_000 + time;
  });
  return columnFromDoubles({ kind: 'UInt64' }, values);
}

const wholeFunctions: readonly ScalarFunction[] = [
  {
    name: 'toDayOfWeek',
    aliases: ['DAYOFWEEK'],
    caseInsensitive: true,
    arity: [1, 3],
    returnType: ([date, mode, zone]) => {
      checkDate('toDayOfWeek', date, zone);
      if (mode !== undefined) constantInteger('toDayOfWeek', mode, 'mode');
      return uint8;
    },
    evaluate: evaluateDayOfWeek,
  },
  {
    name: 'toYYYYMMDDhhmmss',
    arity: [1, 2],
    returnType: ([date, zone]) => {
      checkDate('toYYYYMMDDhhmmss', date, zone);
      return { kind: 'UInt64' };
    },
    evaluate: evaluateDigits,
  },
];

/** The seconds of a date or time; conversion.ts adds texts and numbers. */
export const unixTimestampOfDates = evaluateUnixTimestamp;

export const datePartFunctions: readonly ScalarFunction[] = [
  dayPart('toYear', yearOf, { returns: uint16, aliases: ['YEAR'] }),
  dayPart('toQuarter', quarterOf, { returns: uint8, aliases: ['QUARTER'] }),
  dayPart('toMonth', monthOf, { returns: uint8, aliases: ['MONTH'] }),
  dayPart('toDayOfMonth', dayOfMonthOf, { returns: uint8, aliases: ['DAY', 'DAYOFMONTH'] }),
  dayPart('toDayOfYear', dayOfYearOf, { returns: uint16, aliases: ['DAYOFYEAR'] }),
  dayPart('toISOYear', isoYearOf, { returns: uint16 }),
  dayPart('toISOWeek', isoWeekOf, { returns: uint8 }),
  dayPart('toYYYYMM', (day) => yearOf(day) * 100 + monthOf(day), { returns: uint32 }),
  dayPart('toYYYYMMDD', yyyymmdd, { returns: uint32 }),
  dayPart('toRelativeDayNum', (day) => day, { returns: uint32 }),
  dayPart('toRelativeMonthNum', monthNumberOf, { returns: uint32 }),
  dayPart('toRelativeYearNum', yearOf, { returns: uint16 }),
  timePart('toHour', (second) => Math.floor(second / 3600), ['HOUR']),
  timePart('toMinute', (second) => Math.floor((second % 3600) / 60), ['MINUTE']),
  timePart('toSecond', (second) => second % 60, ['SECOND']),
  ...wholeFunctions,
];
