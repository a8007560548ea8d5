// CSV and TabSeparated: rows of fields between delimiters, one row a line, with or without headers.
// What a field looks like is the dialect's (csv-fields.ts, tab-fields.ts).

import { MusterError } from '../../base/errors.ts';
import { FieldText } from './field-text.ts';
import type { ScalarBuilder } from './input-builder.ts';
import type { InputCursor } from './input-cursor.ts';
import {
  checkHeaderTypes,
  type FieldMap,
  fieldsByName,
  fieldsInOrder,
  looksLikeHeader,
} from './input-header.ts';
import { PlainRows } from './plain-rows.ts';
import type { RowReader, RowReaderOptions, Target } from './row-reader.ts';

/** What stood there: a value, the mark of NULL, or nothing at all. */
export type FieldKind = 'value' | 'null' | 'empty';

export interface DelimitedDialect {
  readonly delimiter: number;
  /** How the delimiter is called in messages. */
  readonly delimiterName: string;
  /** Its fields may be read many at once (plain-rows.ts). */
  readonly isPlain: boolean;
  /** An empty field is this type's default even if it holds text. */
  readonly emptyIsDefault: boolean;
  /**
   * Reads the field at the cursor and stops before the delimiter or line end behind it. `isList`:
   * a field that begins with a bracket is a list in ClickHouse's text form.
   */
  field(cursor: InputCursor, text: FieldText, isList: boolean): FieldKind;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

export class DelimitedReader implements RowReader {
  readonly isText = true;
  readonly #dialect: DelimitedDialect;
  readonly #options: RowReaderOptions;
  readonly #text = new FieldText();
  #map: FieldMap;
  #plain: PlainRows | 'none' | undefined;

  constructor(dialect: DelimitedDialect, options: RowReaderOptions) {
    this.#dialect = dialect;
    this.#options = options;
    this.#map = fieldsInOrder(options.targets);
  }

  begin(cursor: InputCursor): void {
    const { header, targets, settings } = this.#options;
    if (header === 'none') {
      if (settings.detectHeader) this.#detectHeader(cursor);
      return;
    }
    if (cursor.peek() === -1) return;
    const names = this.#strings(cursor);
    if (settings.useHeader) this.#map = fieldsByName(names, targets, settings);
    if (header === 'names-and-types') checkHeaderTypes(this.#strings(cursor), this.#map);
  }

  plainRows(cursor: InputCursor, rowsMax: number): number {
    if (this.#plain === 'none') return 0;
    const { delimiter, isPlain } = this.#dialect;
    this.#plain ??= (isPlain ? PlainRows.of({ ...this.#map, delimiter }) : undefined) ?? 'none';
    return this.#plain === 'none' ? 0 : this.#plain.read(cursor, rowsMax);
  }

  row(cursor: InputCursor): boolean {
    const { fields, absent } = this.#map;
    if (fields.length > 1) skipBlankLines(cursor);
    if (cursor.peek() === -1) return false;
    const last = fields.length - 1;
    for (let i = 0; i <= last; i++) {
      const target = fields[i];
      this.#field(cursor, target);
      if (i < last) this.#delimiter(cursor, i);
    }
    this.#lineEnd(cursor, last);
    for (const builder of absent) builder.default();
    return true;
  }

  /** To the end of its last field, however many there are; else to the end of a line. */
  skipRow(cursor: InputCursor): boolean {
    if (this.#map.fields.length > 1) skipBlankLines(cursor);
    const start = cursor.pos;
    try {
      do {
        this.#dialect.field(cursor, this.#text, false);
        if (endLine(cursor)) return true;
      } while (cursor.take(this.#dialect.delimiter));
    } catch (error) {
      // A quote that is not closed may be the only thing wrong: the lines behind it are rows.
      if (!(error instanceof MusterError)) throw error;
      cursor.pos = start;
    }
    cursor.skipLine();
    return true;
  }

  #field(cursor: InputCursor, target: Target | undefined): void {
    cursor.mark(target?.position ?? -1);
    const text = this.#text;
    if (target === undefined) {
      this.#dialect.field(cursor, text, false);
      return;
    }
    const { builder } = target;
    if (builder.kind === 'scalar' && this.#digits(cursor, builder)) return;
    const kind = this.#dialect.field(cursor, text, builder.kind !== 'scalar');
    if (kind === 'value') builder.text(text.bytes, text.start, text.end);
    else if (kind === 'null') builder.null();
    else if (this.#dialect.emptyIsDefault || builder.kind !== 'scalar') builder.default();
    else if (builder.json === 'string') builder.text(text.bytes, 0, 0);
    else builder.default();
  }

  /** A bare whole number is read while its end is looked for. False, and nothing read: it is none. */
  #digits(cursor: InputCursor, builder: ScalarBuilder): boolean {
    const stop = builder.digits?.(cursor.bytes, cursor.pos, cursor.end) ?? -1;
    if (stop === -1) return false;
    const next = cursor.bytes[stop];
    if (next === this.#dialect.delimiter || next === lineFeed) {
      cursor.pos = stop;
      return true;
    }
    builder.truncate(builder.length - 1);
    return false;
  }

  #delimiter(cursor: InputCursor, index: number): void {
    if (cursor.take(this.#dialect.delimiter)) return;
    const next = cursor.peek();
    const hint =
      next === lineFeed || next === carriageReturn || next === -1
        ? `. The row has ${index + 1} fields, ${this.#map.fields.length} are expected`
        : '';
    cursor.mark(this.#map.fields[index]?.position ?? -1);
    throw new MusterError(
      'CANNOT_PARSE_INPUT_ASSERTION_FAILED',
      `Cannot parse input: expected ${this.#dialect.delimiterName} before: ` +
        `'${cursor.excerpt(cursor.pos)}'${hint}`,
    );
  }

  #lineEnd(cursor: InputCursor, last: number): void {
    if (endLine(cursor)) return;
    if (cursor.peek() === this.#dialect.delimiter) {
      cursor.pos++;
      if (endLine(cursor)) return;
      cursor.pos--;
    }
    cursor.mark(-1);
    throw new MusterError(
      'INCORRECT_DATA',
      `Expected end of line before: '${cursor.excerpt(cursor.pos)}'. ` +
        `The row has more than ${last + 1} fields`,
    );
  }

  /** The fields of one line, as byte strings. */
  #strings(cursor: InputCursor): string[] {
    const values: string[] = [];
    for (;;) {
      cursor.mark(-1);
      const kind = this.#dialect.field(cursor, this.#text, false);
      values.push(kind === 'value' ? this.#text.latin1() : '');
      if (endLine(cursor)) return values;
      if (!cursor.take(this.#dialect.delimiter)) this.#lineEnd(cursor, values.length);
    }
  }

  #detectHeader(cursor: InputCursor): void {
    const start = cursor.pos;
    if (cursor.peek() === -1) return;
    let values: string[] = [];
    try {
      values = this.#strings(cursor);
    } catch (error) {
      // A broken first row is no header; reading it as a row says what is wrong.
      if (!(error instanceof MusterError)) throw error;
    }
    const { targets, settings } = this.#options;
    if (looksLikeHeader(values, targets)) this.#map = fieldsByName(values, targets, settings);
    else cursor.pos = start;
  }
}

/** Steps over a line end; the end of input is one too. */
function endLine(cursor: InputCursor): boolean {
  const byte = cursor.peek();
  if (byte === lineFeed) {
    cursor.pos++;
    return true;
  }
  if (byte === -1) return true;
  if (byte !== carriageReturn || cursor.peekAt(1) !== lineFeed) return false;
  cursor.pos += 2;
  return true;
}

function skipBlankLines(cursor: InputCursor): void {
  for (;;) {
    const byte = cursor.peek();
    if (byte === lineFeed) cursor.pos++;
    else if (byte === carriageReturn && cursor.peekAt(1) === lineFeed) cursor.pos += 2;
    else return;
  }
}
