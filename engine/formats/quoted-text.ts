// Values in ClickHouse's "quoted" text form, as they stand inside arrays and in VALUES lists:
// 'text' with escapes, numbers, NULL, [lists]. Works on a range of bytes that is known to be whole.

import { MusterError } from '../../base/errors.ts';
import { FieldText } from './field-text.ts';
import type { InputBuilder, ListBuilder, SetBuilder } from './input-builder.ts';
import { shortText } from './integer-text.ts';

const quote = 0x27;
const backslash = 0x5c;

const escapes: Readonly<Record<string, number>> = {
  b: 8,
  f: 12,
  r: 13,
  n: 10,
  t: 9,
  '0': 0,
  a: 7,
  v: 11,
  e: 27,
};

/** Reads the list at `range` into `list` and closes its row. Nothing may follow it. */
export function readListText(
  list: ListBuilder | SetBuilder,
  bytes: Buffer,
  range: readonly [number, number],
): void {
  const reader = new QuotedReader(bytes, range[0], range[1]);
  reader.list(list);
  reader.expectEnd();
}

/** Reads the one value at `range` into `builder`. */
export function readQuotedValue(
  builder: InputBuilder,
  bytes: Buffer,
  range: readonly [number, number],
): void {
  const reader = new QuotedReader(bytes, range[0], range[1]);
  reader.value(builder);
  reader.expectEnd();
}

/**
 * The byte that the escape at `at` (behind the backslash) stands for, and where the text goes on.
 * -1: nothing (`\N`). -2: not an escape, the backslash stands for itself.
 */
export function readEscape(
  bytes: Buffer,
  at: number,
): { readonly byte: number; readonly end: number } {
  const byte = bytes[at] as number;
  const char = String.fromCharCode(byte);
  if (char === 'x') {
    const code = Number.parseInt(bytes.toString('latin1', at + 1, at + 3), 16);
    return Number.isNaN(code) ? { byte: -2, end: at } : { byte: code, end: at + 3 };
  }
  if (char === 'N') return { byte: -1, end: at + 1 };
  const known = escapes[char];
  if (known !== undefined) return { byte: known, end: at + 1 };
  const itself = char === '\\' || char === "'" || char === '"' || char === '/' || char === '`';
  return itself || char === '=' ? { byte, end: at + 1 } : { byte: -2, end: at };
}

class QuotedReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  readonly #text = new FieldText();
  #at: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  value(builder: InputBuilder): void {
    this.#skipSpace();
    const byte = this.#bytes[this.#at];
    if (this.#at >= this.#end) throw this.#failure('a value');
    if (byte === quote) {
      this.#string();
      builder.text(this.#text.bytes, this.#text.start, this.#text.end);
    } else if (byte === 0x5b) {
      if (builder.kind === 'scalar') throw this.#failure('a single value');
      this.list(builder);
    } else {
      this.#word(builder);
    }
  }

  list(list: ListBuilder | SetBuilder): void {
    this.#skipSpace();
    if (!this.#take(0x5b)) throw this.#failure("'['", 'CANNOT_READ_ARRAY_FROM_TEXT');
    this.#skipSpace();
    if (!this.#take(0x5d)) {
      for (;;) {
        this.value(list.items);
        this.#skipSpace();
        if (this.#take(0x5d)) break;
        if (!this.#take(0x2c)) throw this.#failure("',' or ']'", 'CANNOT_READ_ARRAY_FROM_TEXT');
      }
    }
    list.close();
  }

  expectEnd(): void {
    this.#skipSpace();
    if (this.#at < this.#end) throw this.#failure('the end of the value');
  }

  #word(builder: InputBuilder): void {
    const start = this.#at;
    while (this.#at < this.#end) {
      const byte = this.#bytes[this.#at] as number;
      if (byte === 0x2c || byte === 0x5d || byte <= 0x20) break;
      this.#at++;
    }
    const isNull =
      this.#at - start === 4 && /^null$/i.test(this.#bytes.toString('latin1', start, this.#at));
    if (isNull) builder.null();
    else if (builder.kind === 'scalar' && builder.json === 'string' && !this.#numeric(start)) {
      this.#at = start;
      throw this.#failure(
        "a quoted string: expected opening quote '\\''",
        'CANNOT_PARSE_QUOTED_STRING',
      );
    } else builder.text(this.#bytes, start, this.#at);
  }

  #numeric(start: number): boolean {
    return /^[-+]?[0-9.]/.test(
      this.#bytes.toString('latin1', start, Math.min(start + 2, this.#at)),
    );
  }

  #string(): void {
    const opened = this.#at++;
    const bytes = this.#bytes;
    this.#text.begin();
    let from = this.#at;
    for (;;) {
      if (this.#at >= this.#end) {
        this.#at = opened;
        throw this.#failure('a closing quote', 'CANNOT_PARSE_QUOTED_STRING');
      }
      const byte = bytes[this.#at] as number;
      if (byte !== quote && byte !== backslash) {
        this.#at++;
        continue;
      }
      this.#text.append(bytes, from, this.#at++);
      if (byte === backslash) this.#escape();
      else if (bytes[this.#at] === quote && this.#at < this.#end)
        this.#text.push(bytes[this.#at++] as number);
      else break;
      from = this.#at;
    }
    this.#text.finish();
  }

  #escape(): void {
    const { byte, end } = readEscape(this.#bytes, this.#at);
    this.#at = end;
    if (byte === -2) this.#text.push(backslash);
    else if (byte >= 0) this.#text.push(byte);
  }

  #take(byte: number): boolean {
    if (this.#at >= this.#end || this.#bytes[this.#at] !== byte) return false;
    this.#at++;
    return true;
  }

  #skipSpace(): void {
    while (this.#at < this.#end && (this.#bytes[this.#at] as number) <= 0x20) this.#at++;
  }

  #failure(
    expected: string,
    name:
      | 'CANNOT_PARSE_INPUT_ASSERTION_FAILED'
      | 'CANNOT_READ_ARRAY_FROM_TEXT'
      | 'CANNOT_PARSE_QUOTED_STRING' = 'CANNOT_PARSE_INPUT_ASSERTION_FAILED',
  ): MusterError {
    const found = shortText(this.#bytes, this.#at, this.#end);
    return new MusterError(name, `Cannot parse input: expected ${expected} before: '${found}'`);
  }
}
