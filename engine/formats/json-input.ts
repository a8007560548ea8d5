// JSONEachRow: objects, one a row, with or without commas, line ends or one array around them.
// JSONCompactEachRow: arrays of values, in the order of the insert or of a header of names.

import { MusterError } from '../../base/errors.ts';
import { suggestion } from '../../base/nearest-name.ts';
import { decodeUtf8 } from '../../base/utf8.ts';
import { FieldText } from './field-text.ts';
import type { InputCursor } from './input-cursor.ts';
import { checkHeaderTypes, type FieldMap, fieldsByName, fieldsInOrder } from './input-header.ts';
import { expectByte, expected, readJsonString, skipJsonValue } from './json-text.ts';
import { readJsonValue } from './json-value.ts';
import { PlainRows } from './plain-rows.ts';
import type { RowReader, RowReaderOptions, Target } from './row-reader.ts';

const quote = 0x22;

export class JsonObjectReader implements RowReader {
  readonly isText = true;
  readonly #options: RowReaderOptions;
  readonly #targets: readonly Target[];
  readonly #byName: ReadonlyMap<string, number>;
  readonly #text = new FieldText();
  /** Per column: the number of the row that has it. */
  readonly #seen: Uint32Array;
  #row = 0;
  #inArray = false;
  /** Columns of the last row that was read here, in its order; -1 for unknown ones. */
  readonly #order: number[] = [];
  #plainOrder = '';
  #plain: PlainRows | undefined;

  constructor(options: RowReaderOptions) {
    this.#options = options;
    this.#targets = options.targets;
    this.#byName = new Map(options.targets.map((target, i) => [target.name, i]));
    this.#seen = new Uint32Array(options.targets.length);
  }

  begin(cursor: InputCursor): void {
    cursor.skipWhitespace();
    this.#inArray = cursor.take(0x5b);
  }

  /** Once a row has told the order of its keys. */
  plainRows(cursor: InputCursor, rowsMax: number): number {
    if (this.#order.length !== this.#targets.length) return 0;
    const order = this.#order.join();
    if (order !== this.#plainOrder) {
      this.#plainOrder = order;
      const fields = this.#order.map((index) => this.#targets[index]);
      this.#plain = PlainRows.of({ fields, absent: [], delimiter: undefined });
    }
    return this.#plain?.read(cursor, rowsMax) ?? 0;
  }

  row(cursor: InputCursor): boolean {
    this.#order.length = 0;
    if (!this.#toRow(cursor)) return false;
    expectByte(cursor, 0x7b);
    this.#row = (this.#row % 0xffffffff) + 1;
    let next = 0;
    cursor.skipWhitespace();
    if (!cursor.take(0x7d)) {
      for (;;) {
        next = this.#member(cursor, next) + 1;
        cursor.skipWhitespace();
        if (cursor.take(0x7d)) break;
        expectByte(cursor, 0x2c);
      }
    }
    this.#targets.forEach((target, i) => {
      if (this.#seen[i] !== this.#row) target.builder.default();
    });
    return true;
  }

  /** What is broken inside of an array could end anywhere. */
  skipRow(cursor: InputCursor): boolean {
    return skipJsonRow(cursor, this.#text) || (!this.#inArray && skipJsonLine(cursor));
  }

  /** Steps over what may stand between rows. False at the end. */
  #toRow(cursor: InputCursor): boolean {
    cursor.mark(-1);
    cursor.skipWhitespace();
    if (cursor.take(0x2c)) cursor.skipWhitespace();
    if (this.#inArray && cursor.take(0x5d)) {
      cursor.skipWhitespace();
      cursor.take(0x3b);
      cursor.skipWhitespace();
      if (cursor.peek() !== -1) throw expected(cursor, 'the end of input');
      return false;
    }
    if (cursor.peek() === 0x3b) cursor.pos++;
    cursor.skipWhitespace();
    if (cursor.peek() !== -1) return true;
    if (this.#inArray) throw expected(cursor, "']'");
    return false;
  }

  /** Reads `"name": value`. `next` is the column that comes if members keep the insert's order. */
  #member(cursor: InputCursor, next: number): number {
    cursor.skipWhitespace();
    cursor.mark(-1);
    if (cursor.peek() !== quote) throw expected(cursor, 'a key in quotes');
    readJsonString(cursor, this.#text);
    const index = this.#column(next);
    const name = index === -1 ? this.#text.latin1() : '';
    cursor.skipWhitespace();
    expectByte(cursor, 0x3a);
    cursor.skipWhitespace();
    const target = this.#targets[index];
    this.#order.push(index);
    if (target === undefined) {
      if (!this.#options.settings.skipUnknownFields) throw this.#unknown(name);
      skipJsonValue(cursor, this.#text);
      return next - 1;
    }
    if (this.#seen[index] === this.#row) throw duplicate(target.name);
    this.#seen[index] = this.#row;
    cursor.mark(target.position);
    readJsonValue(cursor, target.builder, this.#text);
    return index;
  }

  /** The column that the key in #text names, or -1. */
  #column(next: number): number {
    const { bytes, start, end } = this.#text;
    const name = this.#targets[next]?.name;
    if (name !== undefined && name.length === end - start) {
      let i = 0;
      while (i < name.length && bytes[start + i] === name.charCodeAt(i)) i++;
      if (i === name.length) return next;
    }
    return this.#byName.get(this.#text.latin1()) ?? -1;
  }

  #unknown(name: string): MusterError {
    const known = this.#targets.map((target) => decodeUtf8(target.name));
    return new MusterError(
      'INCORRECT_DATA',
      'Unknown field found while parsing JSONEachRow format: ' +
        `${decodeUtf8(name)}${suggestion(decodeUtf8(name), known)}`,
    );
  }
}

export class JsonRowReader implements RowReader {
  readonly isText = true;
  readonly #options: RowReaderOptions;
  readonly #text = new FieldText();
  #map: FieldMap;

  constructor(options: RowReaderOptions) {
    this.#options = options;
    this.#map = fieldsInOrder(options.targets);
  }

  begin(cursor: InputCursor): void {
    const { header, targets, settings } = this.#options;
    if (header === 'none') return;
    cursor.skipWhitespace();
    if (cursor.peek() === -1) return;
    const names = this.#strings(cursor);
    if (settings.useHeader) this.#map = fieldsByName(names, targets, settings);
    if (header === 'names-and-types') checkHeaderTypes(this.#strings(cursor), this.#map);
  }

  row(cursor: InputCursor): boolean {
    cursor.mark(-1);
    cursor.skipWhitespace();
    if (cursor.take(0x2c)) cursor.skipWhitespace();
    if (cursor.peek() === -1) return false;
    expectByte(cursor, 0x5b);
    this.#map.fields.forEach((target, i) => {
      cursor.skipWhitespace();
      if (i > 0) {
        expectByte(cursor, 0x2c);
        cursor.skipWhitespace();
      }
      cursor.mark(target?.position ?? -1);
      if (target === undefined) skipJsonValue(cursor, this.#text);
      else readJsonValue(cursor, target.builder, this.#text);
    });
    cursor.skipWhitespace();
    expectByte(cursor, 0x5d);
    for (const builder of this.#map.absent) builder.default();
    return true;
  }

  skipRow(cursor: InputCursor): boolean {
    return skipJsonRow(cursor, this.#text) || skipJsonLine(cursor);
  }

  #strings(cursor: InputCursor): string[] {
    const values: string[] = [];
    cursor.mark(-1);
    cursor.skipWhitespace();
    expectByte(cursor, 0x5b);
    do {
      cursor.skipWhitespace();
      if (cursor.peek() !== quote) throw expected(cursor, 'a name in quotes');
      readJsonString(cursor, this.#text);
      values.push(this.#text.latin1());
      cursor.skipWhitespace();
    } while (cursor.take(0x2c));
    expectByte(cursor, 0x5d);
    return values;
  }
}

/** Steps over a value that is JSON; else false, and the cursor is at its beginning. */
function skipJsonRow(cursor: InputCursor, text: FieldText): boolean {
  cursor.skipWhitespace();
  if (cursor.take(0x2c)) cursor.skipWhitespace();
  const start = cursor.pos;
  try {
    skipJsonValue(cursor, text);
    return true;
  } catch (error) {
    if (!(error instanceof MusterError)) throw error;
    cursor.pos = start;
    return false;
  }
}

function skipJsonLine(cursor: InputCursor): true {
  cursor.skipLine();
  return true;
}

function duplicate(name: string): MusterError {
  return new MusterError(
    'INCORRECT_DATA',
    `Duplicate field found while parsing JSONEachRow format: ${decodeUtf8(name)}`,
  );
}
