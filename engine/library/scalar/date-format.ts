// formatDateTime: a date or time by a pattern in the manner of MySQL's DATE_FORMAT.

import { MusterError } from '../../../base/errors.ts';
import type { Column } from '../../../storage-format/column.ts';
import { dayOfWeek } from '../../values/civil-date.ts';
import { printDate } from '../../values/date-text.ts';
import { constantString } from '../function-errors.ts';
import { string } from '../numeric-types.ts';
import type { FunctionCall, ScalarFunction } from '../scalar-function.ts';
import { checkDate, dateRows } from './date-arguments.ts';
import {
  dayOfMonthOf,
  dayOfYearOf,
  isoWeekOf,
  isoYearOf,
  monthOf,
  quarterOf,
  yearOf,
} from './day-fields.ts';

interface Moment {
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Seconds east of Greenwich. */
  readonly offset: number;
}

const weekDays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

function monthName(day: number): string {
  return monthNames[monthOf(day) - 1] ?? '';
}

const pad = (value: number, width = 2): string => String(value).padStart(width, '0');
const hour12 = (hour: number): number => (hour % 12 === 0 ? 12 : hour % 12);
const clock = (at: Moment): string => `${pad(at.hour)}:${pad(at.minute)}`;
const half = (at: Moment): string => (at.hour < 12 ? 'AM' : 'PM');
const weekDay = (at: Moment): string => weekDays[dayOfWeek(at.day) - 1] ?? '';

function zoneText(offset: number): string {
  const minutes = Math.floor(Math.abs(offset) / 60);
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}${pad(minutes % 60)}`;
}

const specifiers: Readonly<Record<string, (at: Moment) => string>> = {
  a: (at) => weekDay(at).slice(0, 3),
  b: (at) => monthName(at.day).slice(0, 3),
  c: (at) => pad(monthOf(at.day)),
  C: (at) => pad(Math.floor(yearOf(at.day) / 100)),
  d: (at) => pad(dayOfMonthOf(at.day)),
  D: (at) => `${pad(monthOf(at.day))}/${pad(dayOfMonthOf(at.day))}/${pad(yearOf(at.day) % 100)}`,
  e: (at) => String(dayOfMonthOf(at.day)),
  f: () => '000000',
  F: (at) => printDate(at.day),
  g: (at) => pad(isoYearOf(at.day) % 100),
  G: (at) => pad(isoYearOf(at.day), 4),
  h: (at) => pad(hour12(at.hour)),
  H: (at) => pad(at.hour),
  i: (at) => pad(at.minute),
  I: (at) => pad(hour12(at.hour)),
  j: (at) => pad(dayOfYearOf(at.day), 3),
  k: (at) => pad(at.hour),
  l: (at) => pad(hour12(at.hour)),
  m: (at) => pad(monthOf(at.day)),
  M: (at) => monthName(at.day),
  n: () => '\n',
  p: half,
  Q: (at) => String(quarterOf(at.day)),
  r: (at) => `${pad(hour12(at.hour))}:${pad(at.minute)} ${half(at)}`,
  R: clock,
  s: (at) => pad(at.second),
  S: (at) => pad(at.second),
  t: () => '\t',
  T: (at) => `${clock(at)}:${pad(at.second)}`,
  u: (at) => String(dayOfWeek(at.day)),
  V: (at) => pad(isoWeekOf(at.day)),
  w: (at) => String(dayOfWeek(at.day) % 7),
  W: weekDay,
  y: (at) => pad(yearOf(at.day) % 100),
  Y: (at) => pad(yearOf(at.day), 4),
  z: (at) => zoneText(at.offset),
  '%': () => '%',
};

/** The pattern as functions of a moment; literal text as constant functions. */
function compile(pattern: string): readonly ((at: Moment) => string)[] {
  return [...pattern.matchAll(/%([\s\S])|[^%]+|%$/g)].map((match) => {
    const letter = match[1];
    if (letter === undefined) {
      if (match[0] === '%') throw badPattern('');
      return () => match[0];
    }
    const specifier = specifiers[letter];
    if (specifier === undefined) throw badPattern(letter);
    return specifier;
  });
}

function badPattern(letter: string): MusterError {
  return new MusterError(
    'BAD_ARGUMENTS',
    `Wrong syntax '%${letter}', unexpected symbol for function formatDateTime`,
  );
}

function evaluate(call: FunctionCall): Column {
  const pattern = call.arguments[1];
  const text = pattern?.column.kind === 'string' ? (pattern.column.values[0] ?? '') : '%F %T';
  const parts = compile(text);
  const rows = dateRows(call, 0, 2);
  const seconds = rows.seconds();
  const values = new Array<string>(call.rows);
  for (let i = 0; i < call.rows; i++) {
    const second = seconds[i] ?? 0;
    const offset = rows.zone.offsetAt(second);
    const day = Math.floor((second + offset) / 86_400);
    const rest = second + offset - day * 86_400;
    const at: Moment = {
      day,
      hour: Math.floor(rest / 3600),
      minute: Math.floor((rest % 3600) / 60),
      second: rest % 60,
      offset,
    };
    values[i] = parts.map((part) => part(at)).join('');
  }
  return { kind: 'string', values };
}

export const dateFormatFunctions: readonly ScalarFunction[] = [
  {
    name: 'formatDateTime',
    aliases: ['DATE_FORMAT'],
    caseInsensitive: true,
    arity: [1, 3],
    returnType: ([value, pattern, zone]) => {
      checkDate('formatDateTime', value, zone);
      if (pattern !== undefined) compile(constantString('formatDateTime', pattern, 'pattern'));
      return string;
    },
    evaluate,
  },
  {
    name: 'monthName',
    caseInsensitive: true,
    arity: [1, 2],
    returnType: ([value, zone]) => {
      checkDate('monthName', value, zone);
      return string;
    },
    evaluate: (call) => ({
      kind: 'string',
      values: Array.from(dateRows(call, 0, 1).days(), monthName),
    }),
  },
];
