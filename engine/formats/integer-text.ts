// Whole numbers from decimal digits, byte by byte: to 32 bits as numbers, to 64 bits as two 32-bit
// halves, exact and without BigInt. ClickHouse lets numbers that are too large wrap around; here
// they are errors (docs/differences.md), for an id must never silently become another one.

import { MusterError } from '../../base/errors.ts';
import { printable } from './input-cursor.ts';

const minus = 0x2d;
const plus = 0x2b;

export interface IntegerRange {
  readonly name: string;
  readonly min: number;
  readonly max: number;
}

export function parseSmallInteger(
  bytes: Buffer,
  start: number,
  options: { readonly end: number; readonly range: IntegerRange },
): number {
  const { end, range } = options;
  const first = bytes[start];
  const negative = first === minus;
  const digitsAt = negative || first === plus ? start + 1 : start;
  if (negative && range.min === 0) throw negativeUnsigned();
  if (digitsAt >= end) throw notLike(bytes, start, { end, name: range.name });
  let value = 0;
  for (let i = digitsAt; i < end; i++) {
    const digit = (bytes[i] as number) - 0x30;
    if (digit < 0 || digit > 9) throw notLike(bytes, start, { end, name: range.name });
    value = value * 10 + digit;
  }
  if (negative) value = -value;
  if (value < range.min || value > range.max)
    throw outOfRange(bytes, start, { end, name: range.name });
  return value === 0 ? 0 : value;
}

/** Writes the 64-bit pattern as out[at] (low half) and out[at + 1] (high half). */
export function parseWideInteger(
  bytes: Buffer,
  start: number,
  options: {
    readonly end: number;
    readonly signed: boolean;
    readonly out: Uint32Array;
    readonly at: number;
  },
): void {
  const { end, signed, out, at } = options;
  const name = signed ? 'Int64' : 'UInt64';
  const first = bytes[start];
  const negative = first === minus;
  if (negative && !signed) throw negativeUnsigned();
  let from = negative || first === plus ? start + 1 : start;
  if (from >= end) throw notLike(bytes, start, { end, name });
  while (from < end - 1 && bytes[from] === 0x30) from++;
  const digits = end - from;
  const split = digits > 9 ? end - 9 : from;
  let head = 0;
  let tail = 0;
  for (let i = from; i < split; i++) {
    const digit = (bytes[i] as number) - 0x30;
    if (digit < 0 || digit > 9) throw notLike(bytes, start, { end, name });
    head = head * 10 + digit;
  }
  for (let i = split; i < end; i++) {
    const digit = (bytes[i] as number) - 0x30;
    if (digit < 0 || digit > 9) throw notLike(bytes, start, { end, name });
    tail = (tail * 10 + digit) | 0;
  }
  if (digits > 20) throw outOfRange(bytes, start, { end, name });
  // head * 10^9 + tail by 16-bit steps: every product stays below 2^53. Masks and shifts take a number
  // modulo 2^32, in a tenth of the time of %.
  const low = (head & 0xffff) * 1e9 + tail;
  const middle = Math.floor(head / 65536) * 1e9;
  const sum = low + (middle & 0xffff) * 65536;
  const high = Math.floor(middle / 65536) + Math.floor(sum / 4294967296);
  const lowHalf = sum >>> 0;
  if (high > 0xffffffff || (signed && beyondSigned(high, lowHalf, negative))) {
    throw outOfRange(bytes, start, { end, name });
  }
  out[at] = negative ? -lowHalf : lowHalf;
  out[at + 1] = negative ? ~high + (lowHalf === 0 ? 1 : 0) : high;
}

const digitsMax = 20;
/** 10 ** n, by its 16 low bits and the rest. */
const powersLow = Float64Array.from({ length: 12 }, (_, n) => 10 ** n % 65536);
const powersHigh = Float64Array.from({ length: 12 }, (_, n) => Math.floor(10 ** n / 65536));

/**
 * The number of the digits from `start` on, as out[at] (low half) and out[at + 1] (high half). Returns
 * where they end; -1 where there are none or more than 20, where the window ends, or beyond 64 bits.
 */
export function scanDigits(
  bytes: Buffer,
  start: number,
  options: { readonly end: number; readonly out: Uint32Array; readonly at: number },
): number {
  const { end, out, at } = options;
  let first = 0;
  let rest = 0;
  let i = start;
  const firstEnd = Math.min(end, start + 9);
  for (; i < firstEnd; i++) {
    const digit = (bytes[i] as number) - 0x30;
    if (digit >>> 0 > 9) break;
    first = (first * 10 + digit) | 0;
  }
  if (i - start < 9) {
    if (i === start || i === end) return -1;
    out[at] = first;
    out[at + 1] = 0;
    return i;
  }
  for (; i < end; i++) {
    const digit = (bytes[i] as number) - 0x30;
    if (digit >>> 0 > 9) break;
    rest = rest * 10 + digit;
  }
  const more = i - start - 9;
  if (i === end || more > digitsMax - 9) return -1;
  // first * 10^more + rest: every product stays below 2^53.
  const low = first * (powersLow[more] as number) + rest;
  const middle = first * (powersHigh[more] as number);
  const sum = low + (middle & 0xffff) * 65536;
  const high = Math.floor(middle / 65536) + Math.floor(sum / 4294967296);
  if (high > 0xffffffff) return -1;
  out[at] = sum >>> 0;
  out[at + 1] = high;
  return i;
}

/** True when the text is an optional sign and digits. */
export function isInteger(bytes: Buffer, start: number, end: number): boolean {
  let at = bytes[start] === minus || bytes[start] === plus ? start + 1 : start;
  if (at >= end) return false;
  for (; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte < 0x30 || byte > 0x39) return false;
  }
  return true;
}

export function notLike(
  bytes: Buffer,
  start: number,
  options: { readonly end: number; readonly name: string },
): MusterError {
  const text = shortText(bytes, start, options.end);
  return new MusterError(
    'CANNOT_PARSE_INPUT_ASSERTION_FAILED',
    `Cannot parse input: text '${text}' is not like ${options.name}`,
  );
}

export function shortText(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, Math.min(end, start + 40));
  return printable(end - start > 40 ? `${text}...` : text);
}

function beyondSigned(high: number, low: number, negative: boolean): boolean {
  if (high < 0x80000000) return false;
  return !(negative && high === 0x80000000 && low === 0);
}

function negativeUnsigned(): MusterError {
  return new MusterError('CANNOT_PARSE_NUMBER', "Unsigned type must not contain '-' symbol");
}

function outOfRange(
  bytes: Buffer,
  start: number,
  options: { readonly end: number; readonly name: string },
): MusterError {
  const text = shortText(bytes, start, options.end);
  return new MusterError(
    'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE',
    `Value ${text} is out of range of type ${options.name}`,
  );
}
