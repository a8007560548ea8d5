// One JSON value into one builder, by the builder's kind: lists and bitmaps from arrays, numbers
// from numbers or strings, strings from anything (containers and numbers as their text).

import { MusterError } from '../../base/errors.ts';
import type { FieldText } from './field-text.ts';
import type { InputBuilder, ListBuilder, ScalarBuilder, SetBuilder } from './input-builder.ts';
import type { InputCursor } from './input-cursor.ts';
import { expectByte, expected, readJsonString, readJsonWord, skipJsonValue } from './json-text.ts';

const one = Buffer.from('1');
const zero = Buffer.from('0');

export function readJsonValue(cursor: InputCursor, builder: InputBuilder, text: FieldText): void {
  const byte = cursor.peek();
  if (byte === 0x22) {
    if (builder.kind === 'list') throw expected(cursor, "'['");
    readJsonString(cursor, text);
    builder.text(text.bytes, text.start, text.end);
  } else if (byte === 0x5b && builder.kind !== 'scalar') {
    readJsonList(cursor, builder, text);
  } else if (byte === 0x5b || byte === 0x7b) {
    readContainer(cursor, builder, text);
  } else if (builder.kind !== 'scalar' || !readDigits(cursor, builder)) {
    readWord(cursor, builder);
  }
}

/** A whole number is read while its end is looked for. False, and nothing read: it is none. */
function readDigits(cursor: InputCursor, builder: ScalarBuilder): boolean {
  const stop = builder.digits?.(cursor.bytes, cursor.pos, cursor.end) ?? -1;
  if (stop === -1) return false;
  const next = cursor.bytes[stop];
  if (next === 0x2c || next === 0x7d || next === 0x5d || next === 0x0a) {
    cursor.pos = stop;
    return true;
  }
  builder.truncate(builder.length - 1);
  return false;
}

function readJsonList(cursor: InputCursor, list: ListBuilder | SetBuilder, text: FieldText): void {
  cursor.pos++;
  cursor.skipWhitespace();
  if (!cursor.take(0x5d)) {
    for (;;) {
      cursor.skipWhitespace();
      readJsonValue(cursor, list.items, text);
      cursor.skipWhitespace();
      if (cursor.take(0x5d)) break;
      if (!cursor.take(0x2c)) {
        throw new MusterError(
          'CANNOT_READ_ARRAY_FROM_TEXT',
          'Cannot read array from text, expected comma or end of array, found ' +
            `'${cursor.excerpt(cursor.pos)}'`,
        );
      }
    }
  }
  list.close();
}

function readContainer(cursor: InputCursor, builder: InputBuilder, text: FieldText): void {
  if (builder.kind !== 'scalar' || builder.json !== 'string') throw expected(cursor, 'a value');
  const start = cursor.pos;
  skipJsonValue(cursor, text);
  builder.text(cursor.bytes, start, cursor.pos);
}

function readWord(cursor: InputCursor, builder: InputBuilder): void {
  const at = cursor.pos;
  const start = readJsonWord(cursor);
  const { bytes } = cursor;
  const word = isLetter(bytes[start] as number) ? bytes.toString('latin1', start, cursor.pos) : '';
  if (word === 'null') {
    builder.null();
  } else if (builder.kind === 'list') {
    cursor.pos = at;
    expectByte(cursor, 0x5b);
  } else if (word === '') {
    builder.text(bytes, start, cursor.pos);
  } else {
    cursor.pos = at;
    readLetters(cursor, word, builder);
    cursor.pos = at + word.length;
  }
}

function readLetters(cursor: InputCursor, word: string, builder: ScalarBuilder | SetBuilder): void {
  const isBool = word === 'true' || word === 'false';
  const json = builder.kind === 'scalar' ? builder.json : 'number';
  if (isBool && json === 'number') {
    builder.text(word === 'true' ? one : zero, 0, 1);
  } else if (isBool || (json === 'number' && (word === 'nan' || word === 'inf'))) {
    builder.text(cursor.bytes, cursor.pos, cursor.pos + word.length);
  } else {
    throw expected(cursor, 'a JSON value');
  }
}

function isLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
}
