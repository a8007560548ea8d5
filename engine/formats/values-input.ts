// VALUES lists: (1, 'a', [1, 2]), (2, NULL, []). Literals only: an expression is NOT_IMPLEMENTED,
// and INSERT ... SELECT takes it.

import { MusterError } from '../../base/errors.ts';
import type { InputBuilder } from './input-builder.ts';
import type { InputCursor } from './input-cursor.ts';
import { expectByte, expected } from './json-text.ts';
import { readQuotedValue } from './quoted-text.ts';
import type { RowReader, RowReaderOptions } from './row-reader.ts';

const quote = 0x27;
const backslash = 0x5c;

export class ValuesReader implements RowReader {
  readonly isText = true;
  readonly #options: RowReaderOptions;

  constructor(options: RowReaderOptions) {
    this.#options = options;
  }

  begin(): void {}

  row(cursor: InputCursor): boolean {
    cursor.mark(-1);
    cursor.skipWhitespace();
    if (cursor.take(0x2c)) cursor.skipWhitespace();
    if (cursor.take(0x3b)) {
      cursor.skipWhitespace();
      if (cursor.peek() !== -1) throw expected(cursor, 'the end of input');
    }
    if (cursor.peek() === -1) return false;
    expectByte(cursor, 0x28);
    this.#options.targets.forEach((target, i) => {
      cursor.skipWhitespace();
      if (i > 0) {
        expectByte(cursor, 0x2c);
        cursor.skipWhitespace();
      }
      cursor.mark(target.position);
      readValue(cursor, target.builder);
    });
    cursor.skipWhitespace();
    expectByte(cursor, 0x29);
    return true;
  }
}

function readValue(cursor: InputCursor, builder: InputBuilder): void {
  const start = cursor.pos;
  let end = valueEnd(cursor);
  cursor.pos = end;
  while (end > start && (cursor.bytes[end - 1] as number) <= 0x20) end--;
  const first = String.fromCharCode(cursor.bytes[start] ?? 0);
  if (/[a-zA-Z_(]/.test(first)) {
    const word = cursor.bytes.toString('latin1', start, end);
    if (/^default$/i.test(word)) return builder.default();
    if (/[^a-zA-Z]/.test(word)) throw expression(word);
  }
  readQuotedValue(builder, cursor.bytes, [start, end]);
}

/** Where the value at the cursor ends: before its comma or closing bracket. */
function valueEnd(cursor: InputCursor): number {
  const { bytes, end } = cursor;
  let depth = 0;
  let inString = false;
  for (let at = cursor.pos; at < end; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === backslash) at++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === 0x28 || byte === 0x5b) depth++;
    else if (depth === 0 && (byte === 0x29 || byte === 0x2c)) return at;
    else if (byte === 0x29 || byte === 0x5d) depth--;
  }
  cursor.endOfWindow();
  if (!inString) throw expected(cursor, "')' of the row");
  throw new MusterError(
    'CANNOT_PARSE_QUOTED_STRING',
    `Cannot parse quoted string: expected closing quote: '${cursor.excerpt(cursor.pos)}'`,
  );
}

function expression(text: string): MusterError {
  return new MusterError(
    'NOT_IMPLEMENTED',
    `Expressions in VALUES are not supported: '${text.slice(0, 60)}'. Use INSERT ... SELECT`,
  );
}
