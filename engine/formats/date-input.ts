// Dates and times from the bytes of a field: `2026-01-31`, `20260131`, `2026-01-31 10:20:30[.123]`,
// the ISO forms with T, Z or an offset, and seconds since the epoch. What is no date of the
// calendar or lies outside the type's range is an error, never another date.

import { MusterError } from '../../base/errors.ts';
import { daysFromCivil, daysInMonth } from '../values/civil-date.ts';
import type { TimeZone } from '../values/time-zone.ts';
import { isInteger, parseWideInteger, shortText } from './integer-text.ts';
import type { NumberParser, WideParser } from './number-builders.ts';

const date = String.raw`(\d{4})-(\d{1,2})-(\d{1,2})`;
const time = String.raw`(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d+))?)?`;
const form = new RegExp(String.raw`^${date}(?:[ T]${time}(Z|[+-]\d\d:?\d\d)?)?$`);

/** Days since 1970-01-01, 0..65535. */
export const parseDate: NumberParser = (bytes, start, end) => {
  const days = end - start === 10 ? isoDay(bytes, start) : -1;
  if (days >= 0 && days <= 65_535) return days;
  return slowDate(bytes, start, end);
};

/** Seconds since the epoch, 0..2^32 - 1. Texts without an offset are local to the zone. */
export function dateTimeParser(zone: TimeZone): NumberParser {
  return (bytes, start, end) => {
    const seconds = end - start === 19 ? isoSeconds(bytes, start) : -1;
    if (seconds >= 0 && zone.isUtc && seconds <= 0xffffffff) return seconds;
    const known =
      seconds >= 0 ? zone.toEpoch(seconds) : parseMoment(bytes, [start, end], zone).seconds;
    if (known < 0 || known > 0xffffffff) throw cannotParse(bytes, [start, end], 'DateTime');
    return known;
  };
}

/** Ticks of 10^-precision seconds. */
export function dateTime64Parser(zone: TimeZone, precision: number): WideParser {
  const scale = 10n ** BigInt(precision);
  const ticks = new BigInt64Array(1);
  const halves = new Uint32Array(ticks.buffer);
  return (bytes, start, { end, out, at }) => {
    const { seconds, fraction } = parseMoment(bytes, [start, end], zone);
    const part = BigInt(fraction.slice(0, precision).padEnd(precision, '0') || '0');
    ticks[0] = BigInt(seconds) * scale + part;
    out[at] = halves[0] as number;
    out[at + 1] = halves[1] as number;
  };
}

function parseMoment(
  bytes: Buffer,
  range: readonly [number, number],
  zone: TimeZone,
): { readonly seconds: number; readonly fraction: string } {
  const [start, end] = range;
  const text = bytes.toString('latin1', start, Math.min(end, start + 64));
  const unix = /^(\d{5,10})(?:\.(\d+))?$/.exec(text);
  if (unix !== null) return { seconds: Number(unix[1]), fraction: unix[2] ?? '' };
  if (isInteger(bytes, start, end) && end - start < 5) {
    const halves = new Uint32Array(2);
    parseWideInteger(bytes, start, { end, signed: false, out: halves, at: 0 });
    return { seconds: halves[0] as number, fraction: '' };
  }
  const match = form.exec(text);
  const day = match === null ? undefined : calendarDay(match);
  if (match === null || day === undefined) throw cannotParse(bytes, range, 'DateTime');
  const [hour, minute, second] = [4, 5, 6].map((i) => Number(match[i] ?? 0)) as [
    number,
    number,
    number,
  ];
  if (hour > 23 || minute > 59 || second > 59) throw cannotParse(bytes, range, 'DateTime');
  const local = day * 86_400 + hour * 3600 + minute * 60 + second;
  const offset = match[8];
  const seconds = offset === undefined ? zone.toEpoch(local) : local - offsetSeconds(offset);
  return { seconds, fraction: match[7] ?? '' };
}

function offsetSeconds(text: string): number {
  if (text === 'Z') return 0;
  const digits = text.replace(':', '');
  const seconds = Number(digits.slice(1, 3)) * 3600 + Number(digits.slice(3, 5)) * 60;
  return text.startsWith('-') ? -seconds : seconds;
}

function slowDate(bytes: Buffer, start: number, end: number): number {
  const text = bytes.toString('latin1', start, Math.min(end, start + 64));
  const match = form.exec(text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'));
  const days = match === null ? undefined : calendarDay(match);
  if (days === undefined || days < 0 || days > 65_535)
    throw cannotParse(bytes, [start, end], 'Date');
  return days;
}

function calendarDay(match: RegExpExecArray): number | undefined {
  const [year, month, day] = [1, 2, 3].map((i) => Number(match[i])) as [number, number, number];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  return daysFromCivil(year, month, day);
}

/** Day number of YYYY-MM-DD at `at`, or -1 if it is not exactly that. */
function isoDay(bytes: Buffer, at: number): number {
  if (bytes[at + 4] !== 0x2d || bytes[at + 7] !== 0x2d) return -1;
  const year = 100 * twoDigits(bytes, at) + twoDigits(bytes, at + 2);
  const month = twoDigits(bytes, at + 5);
  const day = twoDigits(bytes, at + 8);
  if (!(year >= 0 && month >= 1 && month <= 12 && day >= 1)) return -1;
  return day > daysInMonth(year, month) ? -1 : daysFromCivil(year, month, day);
}

/** Seconds of YYYY-MM-DD hh:mm:ss at `at` as if in UTC, or -1 if it is not exactly that. */
function isoSeconds(bytes: Buffer, at: number): number {
  const separator = bytes[at + 10];
  if (separator !== 0x20 && separator !== 0x54) return -1;
  if (bytes[at + 13] !== 0x3a || bytes[at + 16] !== 0x3a) return -1;
  const day = isoDay(bytes, at);
  const hour = twoDigits(bytes, at + 11);
  const minute = twoDigits(bytes, at + 14);
  const second = twoDigits(bytes, at + 17);
  if (!(day >= 0 && hour <= 23 && minute <= 59 && second <= 59)) return -1;
  return day * 86_400 + hour * 3600 + minute * 60 + second;
}

/** NaN unless both are digits: comparisons with it are false. */
function twoDigits(bytes: Buffer, at: number): number {
  const high = (bytes[at] as number) - 0x30;
  const low = (bytes[at + 1] as number) - 0x30;
  if (high < 0 || high > 9 || low < 0 || low > 9) return Number.NaN;
  return 10 * high + low;
}

function cannotParse(
  bytes: Buffer,
  range: readonly [number, number],
  type: 'Date' | 'DateTime',
): MusterError {
  const name = type === 'Date' ? 'CANNOT_PARSE_DATE' : 'CANNOT_PARSE_DATETIME';
  const text = shortText(bytes, range[0], range[1]);
  return new MusterError(name, `Cannot parse ${type}: text '${text}' is not a ${type}`);
}
