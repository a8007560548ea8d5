// Arrays and tuples as text: `[1,'a',NULL]`, `(1,'a')`. Strings, dates and enums stand in single
// quotes inside; numbers bare; white space is free between the parts.

import { assert, defined } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import {
  type DataType,
  formatType,
  isNullable,
  valueType,
} from '../../storage-format/data-type.ts';
import { ArrayBuilder, type ColumnBuilder, TupleBuilder } from './column-builder.ts';
import { unescapeText } from './text-escapes.ts';
import { type ValueParser, valueParser } from './value-parser.ts';
import type { TextContext } from './value-printer.ts';

interface NestedTarget {
  readonly into: ColumnBuilder;
  readonly context: TextContext;
}

/** Appends one array or tuple; anything after it is an error. */
export function parseNested(text: string, type: DataType, target: NestedTarget): void {
  const reader = new NestedReader(text, target.context);
  reader.readValue(type, target.into);
  reader.expectEnd(type);
}

class NestedReader {
  readonly #text: string;
  readonly #context: TextContext;
  #at = 0;

  constructor(text: string, context: TextContext) {
    this.#text = text;
    this.#context = context;
  }

  readValue(type: DataType, into: ColumnBuilder): void {
    const bare = valueType(type);
    if (bare.kind === 'Array') this.#readArray(bare, into);
    else if (bare.kind === 'Tuple') this.#readTuple(bare, into);
    else if (isNullable(type) && this.#accept('NULL')) into.appendNull();
    else this.#readScalar(bare, into);
  }

  expectEnd(type: DataType): void {
    if (this.#at === this.#text.length) return;
    throw new MusterError(
      'CANNOT_PARSE_TEXT',
      `Unexpected data '${this.#text.slice(this.#at)}' after parsed ${type.kind} value ` +
        `'${this.#text.slice(0, this.#at)}'`,
    );
  }

  #readArray(type: DataType & { readonly kind: 'Array' }, into: ColumnBuilder): void {
    assert(into instanceof ArrayBuilder, 'arrays go into array builders');
    this.#expect('[', 'Array does not start with [ character');
    this.#skipSpace();
    while (!this.#accept(']')) {
      this.readValue(type.item, into.items);
      this.#skipSpace();
      if (!this.#accept(',') && this.#peek() !== ']') {
        throw this.#error(
          `Cannot read array from text, expected comma or end of array, found '${this.#peek()}'`,
        );
      }
      this.#skipSpace();
    }
    into.closeRow();
  }

  #readTuple(type: DataType & { readonly kind: 'Tuple' }, into: ColumnBuilder): void {
    assert(into instanceof TupleBuilder, 'tuples go into tuple builders');
    this.#expect('(', 'Tuple does not start with ( character');
    type.fields.forEach((field, i) => {
      this.#skipSpace();
      if (i > 0) this.#expect(',', 'Cannot read tuple from text, expected comma');
      this.#skipSpace();
      this.readValue(field.type, defined(into.fields[i], 'tuple field'));
    });
    this.#skipSpace();
    this.#expect(')', 'Cannot read tuple from text, expected ) character');
    into.closeRow();
  }

  #readScalar(type: DataType, into: ColumnBuilder): void {
    const quoted = /^(String|Enum8|UUID)$/.test(type.kind) || type.kind.startsWith('Date');
    this.#parserOf(type)(quoted ? this.#readQuoted(type) : this.#readBare(), into);
  }

  readonly #parsers = new Map<DataType, ValueParser>();

  #parserOf(type: DataType): ValueParser {
    let parser = this.#parsers.get(type);
    if (parser === undefined) {
      parser = valueParser(type, this.#context);
      this.#parsers.set(type, parser);
    }
    return parser;
  }

  #readQuoted(type: DataType): string {
    if (!this.#accept("'")) {
      throw new MusterError(
        'CANNOT_PARSE_QUOTED_STRING',
        `Cannot parse ${formatType(type)} in quotes: expected opening quote ''', ` +
          `got '${this.#peek()}'`,
      );
    }
    const start = this.#at;
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at];
      if (character === "'") break;
      this.#at += character === '\\' ? 2 : 1;
    }
    const text = this.#text.slice(start, this.#at);
    this.#expect("'", 'Cannot parse quoted string: expected closing quote');
    return unescapeText(text);
  }

  #readBare(): string {
    const start = this.#at;
    while (this.#at < this.#text.length && !',]) \t\n'.includes(this.#text[this.#at] ?? ',')) {
      this.#at++;
    }
    return this.#text.slice(start, this.#at);
  }

  #peek(): string {
    return this.#text[this.#at] ?? '';
  }

  #accept(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  #expect(word: string, message: string): void {
    if (!this.#accept(word)) throw this.#error(message);
  }

  #skipSpace(): void {
    while (this.#at < this.#text.length && ' \t\n\r'.includes(this.#text[this.#at] ?? '')) {
      this.#at++;
    }
  }

  #error(message: string): MusterError {
    return new MusterError('CANNOT_PARSE_TEXT', `${message}: in '${this.#text}'`);
  }
}
