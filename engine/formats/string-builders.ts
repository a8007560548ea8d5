// Builders of String columns, of Nullable columns around any scalar, and of Array columns.

import { assert } from '../../base/assert.ts';
import { grownArray } from '../../base/grown-array.ts';
import type { InsertColumn } from '../ingest/insert-block.ts';
import type { InputBuilder, ListBuilder, PlainTaker, ScalarBuilder } from './input-builder.ts';
import { RepeatedTexts } from './repeated-texts.ts';
import { readVaruint } from './varuint.ts';

export class StringBuilder implements ScalarBuilder {
  readonly kind = 'scalar';
  readonly json = 'string';
  readonly plain: PlainTaker = {
    shape: { kind: 'text', isSigned: false, max: 0 },
    take: (parsed, field) => parsed.texts(field, this.#values),
  };
  readonly #texts = new RepeatedTexts();
  #values: string[] = [];

  get length(): number {
    return this.#values.length;
  }

  text(bytes: Buffer, start: number, end: number): void {
    this.#values.push(this.#texts.text(bytes, start, end));
  }

  binary(bytes: Buffer, at: number, end: number): number {
    const length = readVaruint(bytes, at, end);
    if (length === undefined || length.end + length.value > end) return -1;
    this.text(bytes, length.end, length.end + length.value);
    return length.end + length.value;
  }

  null(): void {
    this.#values.push('');
  }

  default(): void {
    this.#values.push('');
  }

  truncate(length: number): void {
    this.#values.length = length;
  }

  finish(): InsertColumn {
    const values = this.#values;
    this.#values = [];
    return { kind: 'string', values };
  }
}

export class NullableBuilder implements ScalarBuilder {
  readonly kind = 'scalar';
  readonly json: 'number' | 'string' | 'bool';
  readonly #inner: ScalarBuilder;
  #nulls = new Uint8Array(1024);
  #seen = 0;

  constructor(inner: ScalarBuilder) {
    this.#inner = inner;
    this.json = inner.json;
  }

  get length(): number {
    return this.#inner.length;
  }

  text(bytes: Buffer, start: number, end: number): void {
    this.#inner.text(bytes, start, end);
    this.#mark(0);
  }

  binary(bytes: Buffer, at: number, end: number): number {
    if (at >= end) return -1;
    if (bytes[at] !== 0) {
      this.null();
      return at + 1;
    }
    const next = this.#inner.binary(bytes, at + 1, end);
    if (next !== -1) this.#mark(0);
    return next;
  }

  digits(bytes: Buffer, start: number, end: number): number {
    const stop = this.#inner.digits?.(bytes, start, end) ?? -1;
    if (stop !== -1) this.#mark(0);
    return stop;
  }

  null(): void {
    this.#inner.default();
    this.#mark(1);
    this.#seen++;
  }

  default(): void {
    this.null();
  }

  truncate(length: number): void {
    this.#inner.truncate(length);
  }

  finish(): InsertColumn {
    const length = this.length;
    const column = this.#inner.finish();
    assert(column.kind !== 'ids', 'a bitmap inside Nullable');
    const nulls = this.#nulls.slice(0, length);
    const any = this.#seen > 0;
    this.#seen = 0;
    assert(column.kind !== 'lists', 'a bitmap inside Nullable');
    return any && column.kind !== 'array' && column.kind !== 'tuple'
      ? { ...column, nulls }
      : column;
  }

  #mark(flag: number): void {
    const at = this.#inner.length - 1;
    if (at >= this.#nulls.length) this.#nulls = grownArray(this.#nulls, at + 1);
    this.#nulls[at] = flag;
  }
}

export class ArrayBuilder implements ListBuilder {
  readonly kind = 'list';
  readonly items: InputBuilder;
  readonly #readText: (list: ListBuilder, bytes: Buffer, range: [number, number]) => void;
  #offsets = new Uint32Array(1025);
  #length = 0;

  /** `readText` reads a list in ClickHouse's text form. */
  constructor(
    items: InputBuilder,
    readText: (list: ListBuilder, bytes: Buffer, range: [number, number]) => void,
  ) {
    this.items = items;
    this.#readText = readText;
  }

  get length(): number {
    return this.#length;
  }

  text(bytes: Buffer, start: number, end: number): void {
    this.#readText(this, bytes, [start, end]);
  }

  null(): void {
    this.close();
  }

  default(): void {
    this.close();
  }

  close(): void {
    if (this.#length + 2 > this.#offsets.length) {
      this.#offsets = grownArray(this.#offsets, this.#length + 2);
    }
    this.#offsets[++this.#length] = this.items.length;
  }

  truncate(length: number): void {
    this.#length = length;
    this.items.truncate(this.#offsets[length] as number);
  }

  finish(): InsertColumn {
    const offsets = this.#offsets.slice(0, this.#length + 1);
    this.#length = 0;
    const items = this.items.finish();
    assert(items.kind !== 'ids' && items.kind !== 'lists', 'a bitmap inside Array');
    return { kind: 'array', offsets, items };
  }
}
