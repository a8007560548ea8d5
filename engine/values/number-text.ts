// Numbers as text and back, as ClickHouse writes and reads them. Integers wrap around at their
// width when read, as ClickHouse's do; floats print the shortest digits that read back equal.

import { MusterError } from '../../base/errors.ts';

/** 1e21 -> `1e21`, 1e20 -> `100000000000000000000`, `inf`, `nan`, `-0`. */
export function printFloat64(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) {
    return value === 0 && 1 / value < 0 ? '-0' : String(value);
  }
  if (Number.isNaN(value)) return 'nan';
  if (value === Infinity) return 'inf';
  if (value === -Infinity) return '-inf';
  return String(value).replace('e+', 'e');
}

/** The shortest digits that a Float32 reads back from. */
export function printFloat32(value: number): string {
  if (!Number.isFinite(value) || (Number.isInteger(value) && Math.abs(value) < 2 ** 24)) {
    return printFloat64(value);
  }
  // Subnormal numbers have fewer digits than the six that any other can hold.
  const fewest = Math.abs(value) < 2 ** -126 ? 1 : 6;
  for (let digits = fewest; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return printFloat64(shorter);
  }
  return printFloat64(Number(value.toPrecision(9)));
}

const floatForm = /^[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)$/;
const floatWords: Readonly<Record<string, number>> = {
  inf: Infinity,
  '+inf': Infinity,
  '-inf': -Infinity,
  infinity: Infinity,
  '+infinity': Infinity,
  '-infinity': -Infinity,
  nan: Number.NaN,
  '+nan': Number.NaN,
  '-nan': Number.NaN,
};

/** The whole text must be a number. */
export function parseFloatText(text: string, typeName: string): number {
  if (floatForm.test(text)) return Number(text);
  const word = floatWords[text.toLowerCase()];
  if (word !== undefined) return word;
  throw syntaxError(text, typeName, /^[+-]?\d*\.?\d*/.exec(text)?.[0] ?? '');
}

/** Digits of an integer that fits a double exactly, else undefined: the fast path of readers. */
export function parseSmallInteger(text: string): number | undefined {
  const length = text.length;
  if (length === 0 || length > 15) return undefined;
  let at = 0;
  const first = text.charCodeAt(0);
  if (first === 45 || first === 43) at = 1;
  if (at === length) return undefined;
  let value = 0;
  for (; at < length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return first === 45 ? -value : value;
}

/** Any number of digits; wraps at the type's width where it is stored. */
export function parseIntegerText(text: string, typeName: string): bigint {
  if (/^[+-]?\d+$/.test(text)) return BigInt(text.startsWith('+') ? text.slice(1) : text);
  throw syntaxError(text, typeName, /^[+-]?\d*/.exec(text)?.[0] ?? '');
}

export function requireUnsigned(text: string, typeName: string): void {
  if (text.startsWith('-')) {
    throw new MusterError(
      'CANNOT_PARSE_NUMBER',
      `Unsigned type must not contain '-' symbol: Cannot parse ${typeName} from String`,
    );
  }
}

function syntaxError(text: string, typeName: string, parsed: string): MusterError {
  if (text === '') {
    return new MusterError(
      'ATTEMPT_TO_READ_AFTER_EOF',
      `Attempt to read after eof: Cannot parse ${typeName} from String, because value is too short`,
    );
  }
  const where =
    parsed === ''
      ? 'syntax error at begin of string'
      : `syntax error at position ${parsed.length} (parsed just '${parsed}')`;
  return new MusterError(
    'CANNOT_PARSE_TEXT',
    `Cannot parse string '${text}' as ${typeName}: ${where}. Note: there are to${typeName}OrZero ` +
      `and to${typeName}OrNull functions, which returns zero/NULL instead of throwing exception`,
  );
}
