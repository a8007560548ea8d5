// Fields of TabSeparated: up to a tab or line feed, with backslash escapes (none in the Raw form).
// A field that is \N is NULL. Lines may end with CR LF if the first one does; ClickHouse refuses
// such input, but no file holds a carriage return at the end of its first line by intention.

import type { DelimitedDialect, FieldKind } from './delimited-input.ts';
import type { FieldText } from './field-text.ts';
import type { InputCursor } from './input-cursor.ts';
import { readEscape } from './quoted-text.ts';

const tab = 0x09;
const lineFeed = 0x0a;
const backslash = 0x5c;

export function tabDialect(options: { readonly raw: boolean }): DelimitedDialect {
  /** Whether the first line ended with CR LF; undefined before its end. */
  let crlf: boolean | undefined;
  return {
    delimiter: tab,
    delimiterName: "'\\t'",
    isPlain: false,
    emptyIsDefault: false,
    field(cursor, text, isList) {
      const { bytes, end } = cursor;
      const start = cursor.pos;
      // The escapes in a list belong to the texts in it.
      const raw = options.raw || (isList && cursor.peek() === 0x5b);
      let at = start;
      for (; at < end; at++) {
        const byte = bytes[at];
        if (byte === tab || byte === lineFeed) break;
        if (byte === backslash && !raw) return escapedField(cursor, text, at);
      }
      if (at === end) cursor.endOfWindow();
      let stop = at;
      if (bytes[at] === lineFeed && at < end) {
        const returned = at > 0 && bytes[at - 1] === 0x0d;
        crlf ??= returned;
        if (crlf && returned && at > start) stop = at - 1;
      }
      cursor.pos = at;
      if (stop === start) return 'empty';
      if (options.raw && isNullMark(bytes, start, stop)) return 'null';
      text.set(bytes, start, stop);
      return 'value';
    },
  };

  function escapedField(cursor: InputCursor, text: FieldText, firstEscape: number): FieldKind {
    const { bytes, end } = cursor;
    const start = cursor.pos;
    text.begin();
    let from = start;
    let at = firstEscape;
    while (at < end && bytes[at] !== tab && bytes[at] !== lineFeed) {
      if (bytes[at] !== backslash) {
        at++;
        continue;
      }
      // The longest escape is \xHH.
      if (at + 4 > end) cursor.endOfWindow();
      text.append(bytes, from, at);
      const escape = at + 1 < end ? readEscape(bytes, at + 1) : { byte: -2, end: at + 1 };
      if (escape.byte === -2) text.push(backslash);
      else if (escape.byte >= 0) text.push(escape.byte);
      at = escape.end;
      from = at;
    }
    if (at >= end) cursor.endOfWindow();
    let stop = Math.min(at, end);
    if (at < end && bytes[at] === lineFeed) {
      const returned = bytes[at - 1] === 0x0d;
      crlf ??= returned;
      if (crlf && returned) stop = at - 1;
    }
    if (from < stop) text.append(bytes, from, stop);
    cursor.pos = Math.min(at, end);
    if (isNullMark(bytes, start, stop)) return 'null';
    text.finish();
    return 'value';
  }
}

function isNullMark(bytes: Buffer, start: number, end: number): boolean {
  return end - start === 2 && bytes[start] === backslash && bytes[start + 1] === 0x4e;
}
