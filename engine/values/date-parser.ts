// Text to dates and times. Dates: `2026-01-31`, `2026-1-31`, `20260131`. Times in the manner of
// ClickHouse's best_effort: ISO 8601 with T or spaces, zone offsets, compact digits, day/month/year,
// unix timestamps in seconds or milliseconds. What is not understood is an error, never a guess.

import { defined } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import { daysFromCivil, daysInMonth } from './civil-date.ts';
import type { TimeZone } from './time-zone.ts';

const datePrefix = /^(\d{4})[^\d](\d{1,2})[^\d](\d{1,2})(?![\d])/;
const compactDate = /^(\d{4})(\d\d)(\d\d)/;
const timeTail = /^[ T]\d{1,2}:\d{1,2}(:\d{1,2}(\.\d*)?)?$/;
const daysMax = 65_535;
const secondsMax = 4_294_967_295;

/** Day number, clamped to Date's range; a month or day of zero is 1970-01-01, as in ClickHouse. */
export function parseDateText(text: string): number {
  const match = datePrefix.exec(text) ?? compactDate.exec(text);
  if (match === null) {
    throw new MusterError(
      text.length < 8 ? 'CANNOT_PARSE_DATE' : 'CANNOT_PARSE_TEXT',
      `Cannot parse string '${text}' as Date: expected YYYY-MM-DD`,
    );
  }
  const tail = text.slice(match[0].length);
  if (tail !== '' && !timeTail.test(tail)) {
    throw new MusterError(
      'CANNOT_PARSE_TEXT',
      `Cannot parse string '${text}' as Date: syntax error at position ${match[0].length} ` +
        `(parsed just '${match[0]}')`,
    );
  }
  const month = Number(match[2]);
  const day = Number(match[3]);
  if (month < 1 || month > 12 || day < 1 || day > 31) return 0;
  return Math.min(Math.max(daysFromCivil(Number(match[1]), month, day), 0), daysMax);
}

/** Seconds since the epoch, clamped to DateTime's range. */
export function parseDateTimeText(text: string, zone: TimeZone): number {
  const quick = plainSeconds(text, zone);
  const seconds = quick ?? parseInstant(text, zone).seconds;
  return Math.min(Math.max(seconds, 0), secondsMax);
}

/** Ticks of 10^-precision seconds; further digits are cut off. */
export function parseDateTime64Text(text: string, precision: number, zone: TimeZone): bigint {
  const instant = parseInstant(text, zone);
  const digits = instant.fraction.slice(0, precision).padEnd(precision, '0');
  return BigInt(instant.seconds) * 10n ** BigInt(precision) + BigInt(digits === '' ? 0 : digits);
}

interface Instant {
  readonly seconds: number;
  /** Digits after the point. */
  readonly fraction: string;
}

/** Exactly `YYYY-MM-DD hh:mm:ss`, by character codes; undefined for anything else. */
function plainSeconds(text: string, zone: TimeZone): number | undefined {
  if (text.length !== 19 || text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) {
    return undefined;
  }
  if (text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return undefined;
  const separator = text.charCodeAt(10);
  if (separator !== 32 && separator !== 84) return undefined;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const seconds = twoDigits(text, 11) * 3600 + twoDigits(text, 14) * 60 + twoDigits(text, 17);
  if (Number.isNaN(year + month + day + seconds) || !isRealDate(year, month, day)) {
    return undefined;
  }
  return zone.toEpoch(daysFromCivil(year, month, day) * 86_400 + seconds);
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? Number.NaN : tens * 10 + ones;
}

const dateForms: readonly (readonly [form: RegExp, order: 'ymd' | 'dmy' | 'ym' | 'y'])[] = [
  [/^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/, 'ymd'],
  [/^(\d{4})(\d\d)(\d\d)(?=$|[ T])/, 'ymd'],
  [/^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?!\d)/, 'dmy'],
  [/^(\d{4})[-/.](\d{1,2})(?!\d)/, 'ym'],
  [/^(\d{4})(?=$|[ T])/, 'y'],
];
const timeForm =
  /^(?:[ T]\s*(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?\s*([AaPp][Mm])?)?\s*(Z|UTC|GMT|[+-]\d\d:?(?:\d\d)?)?$/;

function parseInstant(text: string, zone: TimeZone): Instant {
  const trimmed = text.trim();
  return parseTimestamp(trimmed) ?? parseCalendar(expandCompact(trimmed), text, zone);
}

/** `20260131235959` -> `20260131 235959` in the forms below. */
function expandCompact(text: string): string {
  const match = /^(\d{8})(\d\d)(\d\d)(\d\d)(\.\d*)?$/.exec(text);
  return match === null ? text : `${match[1]} ${match[2]}:${match[3]}:${match[4]}${match[5] ?? ''}`;
}

function parseTimestamp(text: string): Instant | undefined {
  const seconds = /^(\d{9,10})(?:\.(\d+))?$/.exec(text);
  if (seconds !== null) return { seconds: Number(seconds[1]), fraction: seconds[2] ?? '' };
  const milliseconds = /^(\d{9,10})(\d{3})$/.exec(text);
  if (milliseconds === null) return undefined;
  return { seconds: Number(milliseconds[1]), fraction: defined(milliseconds[2], 'milliseconds') };
}

function parseCalendar(text: string, original: string, zone: TimeZone): Instant {
  for (const [form, order] of dateForms) {
    const match = form.exec(text);
    if (match === null) continue;
    const time = timeForm.exec(text.slice(match[0].length));
    if (time === null) continue;
    const [year, month, day] = dateParts(match, order);
    if (!isRealDate(year, month, day)) {
      throw cannotParse(`unexpected date: ${year}-${month}-${day}`, original);
    }
    const local = daysFromCivil(year, month, day) * 86_400 + secondsOfDay(time);
    const seconds = time[6] === undefined ? zone.toEpoch(local) : local - zoneOffset(time[6]);
    return { seconds, fraction: time[4] ?? '' };
  }
  throw cannotParse(
    original === '' ? 'neither Date nor Time was parsed successfully' : `unexpected '${original}'`,
    original,
  );
}

function dateParts(match: RegExpExecArray, order: string): readonly [number, number, number] {
  const [first, second, third] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (order === 'dmy') return [third, second, first];
  if (order === 'ym') return [first, second, 1];
  return order === 'y' ? [first, 1, 1] : [first, second, third];
}

function secondsOfDay(time: RegExpExecArray): number {
  if (time[1] === undefined) return 0;
  let hour = Number(time[1]);
  const half = time[5]?.toLowerCase();
  if (half === 'pm' && hour < 12) hour += 12;
  if (half === 'am' && hour === 12) hour = 0;
  return hour * 3600 + Number(time[2]) * 60 + Number(time[3] ?? 0);
}

function zoneOffset(text: string): number {
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(text);
  if (match === null) return 0;
  const seconds = Number(match[2]) * 3600 + Number(match[3] ?? 0) * 60;
  return match[1] === '-' ? -seconds : seconds;
}

function isRealDate(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

function cannotParse(what: string, text: string): MusterError {
  return new MusterError(
    'CANNOT_PARSE_DATETIME',
    `Cannot read DateTime: ${what}: Cannot parse DateTime from String '${text}'`,
  );
}
