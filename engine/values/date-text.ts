// Dates and times as text: `2026-01-31`, `2026-01-31 23:59:59`, `2026-01-31 23:59:59.123`.
// The texts of the days that a Date can hold and of the seconds of a day are kept, since result sets
// repeat them.

import { civilFromDays } from './civil-date.ts';
import type { TimeZone } from './time-zone.ts';

const twoDigits = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));
const dayTexts: (string | undefined)[] = [];
const timeTexts: (string | undefined)[] = [];

/** `days` since 1970-01-01. */
export function printDate(days: number): string {
  if (days < 0 || days > 65_535) return dayText(days);
  let text = dayTexts[days];
  if (text === undefined) {
    text = dayText(days);
    dayTexts[days] = text;
  }
  return text;
}

export function printDateTime(epochSeconds: number, zone: TimeZone): string {
  const local = epochSeconds + zone.offsetAt(epochSeconds);
  const days = Math.floor(local / 86_400);
  return `${printDate(days)} ${printTimeOfDay(local - days * 86_400)}`;
}

/** `ticks` of 10^-precision seconds. */
export function printDateTime64(ticks: bigint, precision: number, zone: TimeZone): string {
  const { seconds, fraction } = splitTicks(ticks, precision);
  const text = printDateTime(seconds, zone);
  return precision === 0 ? text : `${text}.${String(fraction).padStart(precision, '0')}`;
}

/** Whole seconds, rounded down, and the ticks above them. */
export function splitTicks(
  ticks: bigint,
  precision: number,
): { readonly seconds: number; readonly fraction: number } {
  const scale = 10n ** BigInt(precision);
  let fraction = ticks % scale;
  if (fraction < 0n) fraction += scale;
  return { seconds: Number((ticks - fraction) / scale), fraction: Number(fraction) };
}

function printTimeOfDay(seconds: number): string {
  let text = timeTexts[seconds];
  if (text === undefined) {
    text = timeText(seconds);
    timeTexts[seconds] = text;
  }
  return text;
}

function timeText(seconds: number): string {
  const hour = Math.floor(seconds / 3600);
  const minute = Math.floor((seconds - hour * 3600) / 60);
  const second = seconds - hour * 3600 - minute * 60;
  return `${twoDigits[hour]}:${twoDigits[minute]}:${twoDigits[second]}`;
}

function dayText(days: number): string {
  const { year, month, day } = civilFromDays(days);
  return `${String(year).padStart(4, '0')}-${twoDigits[month]}-${twoDigits[day]}`;
}
