// Fields of CSV: bare, or in double quotes with `""` for a quote, line ends and delimiters inside.
// Spaces and tabs around a field are not part of it. A bare \N is NULL, a bare nothing the default.

import { MusterError } from '../../base/errors.ts';
import type { DelimitedDialect, FieldKind } from './delimited-input.ts';
import type { FieldText } from './field-text.ts';
import type { InputCursor } from './input-cursor.ts';

const quote = 0x22;
const space = 0x20;
const tab = 0x09;
/** Others may be part of numbers, or of line ends. */
const plainDelimiters = ',;|\t';

export function csvDialect(delimiter: number): DelimitedDialect {
  return {
    delimiter,
    delimiterName: `'${String.fromCharCode(delimiter)}'`,
    isPlain: plainDelimiters.includes(String.fromCharCode(delimiter)),
    emptyIsDefault: true,
    field(cursor, text, isList) {
      skipBlanks(cursor, delimiter);
      const first = cursor.peek();
      if (first === quote) return quotedField(cursor, text, delimiter);
      if (isList && first === 0x5b) return listField(cursor, text);
      return bareField(cursor, text, delimiter);
    },
  };
}

function bareField(cursor: InputCursor, text: FieldText, delimiter: number): FieldKind {
  const { bytes, end } = cursor;
  const start = cursor.pos;
  let at = start;
  for (; at < end; at++) {
    const byte = bytes[at];
    if (byte === delimiter || byte === 0x0a || byte === 0x0d) break;
  }
  if (at === end) cursor.endOfWindow();
  cursor.pos = at;
  while (at > start && (bytes[at - 1] === space || bytes[at - 1] === tab)) at--;
  if (at === start) return 'empty';
  if (at - start === 2 && bytes[start] === 0x5c && bytes[start + 1] === 0x4e) return 'null';
  text.set(bytes, start, at);
  return 'value';
}

function quotedField(cursor: InputCursor, text: FieldText, delimiter: number): FieldKind {
  const { bytes, end } = cursor;
  const start = cursor.pos + 1;
  let at = start;
  while (at < end && bytes[at] !== quote) at++;
  if (at === end || at + 1 === end) {
    if (!cursor.last || at === end) {
      cursor.endOfWindow();
      throw unterminated(cursor);
    }
  }
  if (bytes[at + 1] === quote && at + 1 < end) return doubledField(cursor, text, delimiter);
  text.set(bytes, start, at);
  cursor.pos = at + 1;
  skipBlanks(cursor, delimiter);
  return 'value';
}

function doubledField(cursor: InputCursor, text: FieldText, delimiter: number): FieldKind {
  const { bytes, end } = cursor;
  text.begin();
  let from = cursor.pos + 1;
  for (;;) {
    let at = from;
    while (at < end && bytes[at] !== quote) at++;
    if (at === end) {
      cursor.endOfWindow();
      throw unterminated(cursor);
    }
    text.append(bytes, from, at);
    if (at + 1 === end) cursor.endOfWindow();
    if (at + 1 === end || bytes[at + 1] !== quote) {
      cursor.pos = at + 1;
      break;
    }
    text.push(quote);
    from = at + 2;
  }
  text.finish();
  skipBlanks(cursor, delimiter);
  return 'value';
}

/** A list without quotes around it: to the bracket that closes it. */
function listField(cursor: InputCursor, text: FieldText): FieldKind {
  const { bytes } = cursor;
  const start = cursor.pos;
  let depth = 0;
  let inString = false;
  for (let at = start; at < cursor.end; at++) {
    const byte = bytes[at];
    if (inString && byte === 0x5c) at++;
    else if (byte === 0x27) inString = !inString;
    else if (!inString && byte === 0x5b) depth++;
    else if (!inString && byte === 0x5d && --depth === 0) {
      text.set(bytes, start, at + 1);
      cursor.pos = at + 1;
      return 'value';
    }
  }
  cursor.endOfWindow();
  throw new MusterError(
    'CANNOT_READ_ARRAY_FROM_TEXT',
    `Cannot parse input: a list without its closing bracket: '${cursor.excerpt(start)}'`,
  );
}

function skipBlanks(cursor: InputCursor, delimiter: number): void {
  for (;;) {
    const byte = cursor.peek();
    if ((byte !== space && byte !== tab) || byte === delimiter) return;
    cursor.pos++;
  }
}

function unterminated(cursor: InputCursor): MusterError {
  return new MusterError(
    'CANNOT_PARSE_QUOTED_STRING',
    `Cannot parse CSV string: expected closing quote: '${cursor.excerpt(cursor.pos)}'`,
  );
}
