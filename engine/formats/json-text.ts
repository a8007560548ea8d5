// JSON as it stands in the window: strings, numbers and whole values that are skipped or taken as
// text. Numbers never pass through a JavaScript number here: 64-bit ids stay exact.

import { MusterError } from '../../base/errors.ts';
import type { FieldText } from './field-text.ts';
import type { InputCursor } from './input-cursor.ts';

const quote = 0x22;
const backslash = 0x5c;
const depthMax = 256;

const escapes: Readonly<Record<string, number>> = { b: 8, f: 12, n: 10, r: 13, t: 9 };

/** Reads the string at the cursor, which is at its opening quote. */
export function readJsonString(cursor: InputCursor, text: FieldText): void {
  const { bytes, end } = cursor;
  const start = cursor.pos + 1;
  let at = start;
  for (; at < end; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      text.set(bytes, start, at);
      cursor.pos = at + 1;
      return;
    }
    if (byte === backslash) break;
  }
  if (at === end) throw unterminated(cursor);
  readEscapedString(cursor, text, at);
}

/** Steps over the value at the cursor, whatever it is. */
export function skipJsonValue(cursor: InputCursor, text: FieldText, depth = 0): void {
  if (depth > depthMax) throw expected(cursor, `at most ${depthMax} levels of nesting`);
  const byte = cursor.peek();
  if (byte === quote) {
    readJsonString(cursor, text);
  } else if (byte === 0x7b || byte === 0x5b) {
    skipContainer(cursor, text, depth);
  } else {
    readJsonWord(cursor);
  }
}

/** Steps over a number or a bare word; returns where it began. */
export function readJsonWord(cursor: InputCursor): number {
  const { bytes, end } = cursor;
  const start = cursor.pos;
  let at = start;
  for (; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === 0x2c || byte === 0x5d || byte === 0x7d || byte === 0x3a || byte <= 0x20) break;
  }
  if (at === end) cursor.endOfWindow();
  if (at === start) throw expected(cursor, 'a JSON value');
  cursor.pos = at;
  return start;
}

export function expected(cursor: InputCursor, what: string): MusterError {
  const found =
    cursor.pos < cursor.end ? `before: '${cursor.excerpt(cursor.pos)}'` : 'at the end of input';
  return new MusterError(
    'CANNOT_PARSE_INPUT_ASSERTION_FAILED',
    `Cannot parse input: expected ${what} ${found}`,
  );
}

/** Steps over `byte` or throws. */
export function expectByte(cursor: InputCursor, byte: number): void {
  if (!cursor.take(byte)) throw expected(cursor, `'${String.fromCharCode(byte)}'`);
}

function skipContainer(cursor: InputCursor, text: FieldText, depth: number): void {
  const isObject = cursor.bytes[cursor.pos++] === 0x7b;
  const close = isObject ? 0x7d : 0x5d;
  cursor.skipWhitespace();
  if (cursor.take(close)) return;
  for (;;) {
    cursor.skipWhitespace();
    if (isObject) {
      if (cursor.peek() !== quote) throw expected(cursor, 'a key in quotes');
      readJsonString(cursor, text);
      cursor.skipWhitespace();
      expectByte(cursor, 0x3a);
      cursor.skipWhitespace();
    }
    skipJsonValue(cursor, text, depth + 1);
    cursor.skipWhitespace();
    if (cursor.take(close)) return;
    expectByte(cursor, 0x2c);
  }
}

function readEscapedString(cursor: InputCursor, text: FieldText, firstEscape: number): void {
  const { bytes, end } = cursor;
  text.begin();
  let from = cursor.pos + 1;
  let at = firstEscape;
  while (at < end) {
    const byte = bytes[at];
    if (byte === quote) {
      text.append(bytes, from, at);
      text.finish();
      cursor.pos = at + 1;
      return;
    }
    if (byte !== backslash) {
      at++;
      continue;
    }
    // The longest escape is a pair of surrogates.
    if (at + 12 > end && !cursor.last) cursor.endOfWindow();
    text.append(bytes, from, at);
    at = pushEscape(cursor, text, at + 1);
    from = at;
  }
  throw unterminated(cursor);
}

/** `at` is behind the backslash. */
function pushEscape(cursor: InputCursor, text: FieldText, at: number): number {
  const { bytes } = cursor;
  const char = String.fromCharCode(bytes[at] ?? 0);
  if (char !== 'u') {
    text.push(escapes[char] ?? (bytes[at] as number));
    return at + 1;
  }
  const unit = hexUnit(cursor, at + 1);
  if (unit < 0xd800 || unit > 0xdbff || bytes[at + 5] !== backslash || bytes[at + 6] !== 0x75) {
    text.pushCodePoint(unit);
    return at + 5;
  }
  const low = hexUnit(cursor, at + 7);
  if (low < 0xdc00 || low > 0xdfff) {
    text.pushCodePoint(unit);
    return at + 5;
  }
  text.pushCodePoint(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
  return at + 11;
}

function hexUnit(cursor: InputCursor, at: number): number {
  const digits = cursor.bytes.toString('latin1', at, Math.min(at + 4, cursor.end));
  if (/^[0-9a-fA-F]{4}$/.test(digits)) return Number.parseInt(digits, 16);
  throw new MusterError(
    'CANNOT_PARSE_QUOTED_STRING',
    `Cannot parse JSON string: '\\u${digits}' is not an escape of four hexadecimal digits`,
  );
}

function unterminated(cursor: InputCursor): MusterError {
  cursor.endOfWindow();
  return new MusterError(
    'CANNOT_PARSE_QUOTED_STRING',
    `Cannot parse JSON string: expected closing quote: '${cursor.excerpt(cursor.pos)}'`,
  );
}
