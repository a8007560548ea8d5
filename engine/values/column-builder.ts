// Columns that grow row by row, one class per memory shape. Used where rows arrive one at a time:
// parsers of text, group keys, results of generic paths. Hot loops fill typed arrays instead.

import { assert, defined } from '../../base/assert.ts';
import { grownArray } from '../../base/grown-array.ts';
import type { Column, NumberArray, WideArray } from '../../storage-format/column.ts';
import { type DataType, isNullable, valueType } from '../../storage-format/data-type.ts';
import {
  columnShape,
  defaultNumber,
  defaultString,
  numberArray,
  wideArray,
} from './column-shape.ts';

/** A row's value outside columns; arrays and tuples as arrays of their items. */
export type Value = number | bigint | string | null | readonly Value[];

/** One growing column. An append that does not fit the column's shape is a bug (assert). */
export interface ColumnBuilder {
  readonly type: DataType;
  readonly length: number;
  /** A number for number and wide shapes (wide: a safe integer). */
  appendNumber(value: number): void;
  /** For wide shapes exact; wraps at 64 bits. For number shapes wraps at the width. */
  appendBigInt(value: bigint): void;
  appendString(value: string): void;
  /** NULL where the type is Nullable, else the default. */
  appendNull(): void;
  /** The value at that row of a column of the same type. */
  appendFrom(column: Column, row: number): void;
  append(value: Value): void;
  /** The rows so far; the builder must not be used afterwards. */
  finish(): Column;
}

export function columnBuilder(type: DataType, capacity = 64): ColumnBuilder {
  const bare = valueType(type);
  switch (columnShape(bare)) {
    case 'number':
      return new NumberBuilder(type, capacity);
    case 'wide':
      return new WideBuilder(type, capacity);
    case 'string':
      return new StringBuilder(type);
    case 'array':
      return new ArrayBuilder(type);
    default:
      return new TupleBuilder(type);
  }
}

/** The value at a row, as `append` takes it. Slow; for generic paths and tests. */
export function valueAt(column: Column, row: number): Value {
  if (column.kind === 'tuple') return column.fields.map((field) => valueAt(field, row));
  if (column.kind === 'array') {
    const start = column.offsets[row] ?? 0;
    const end = column.offsets[row + 1] ?? 0;
    return Array.from({ length: end - start }, (_, i) => valueAt(column.items, start + i));
  }
  if (column.nulls?.[row] === 1) return null;
  return defined(column.values[row], 'value of a row');
}

/** A column of these values. */
export function columnOf(type: DataType, values: readonly Value[]): Column {
  const builder = columnBuilder(type, values.length);
  for (const value of values) builder.append(value);
  return builder.finish();
}

abstract class Growing {
  readonly type: DataType;
  #nulls: Uint8Array | undefined;

  constructor(type: DataType) {
    this.type = type;
    if (isNullable(type)) this.#nulls = new Uint8Array(16);
  }

  abstract get length(): number;

  appendNumber(value: number): void {
    assert(false, `the number ${value} does not fit a ${this.type.kind} column`);
  }

  appendBigInt(value: bigint): void {
    assert(false, `the integer ${value} does not fit a ${this.type.kind} column`);
  }

  appendString(value: string): void {
    assert(false, `the string '${value}' does not fit a ${this.type.kind} column`);
  }

  /** The row of a NULL, and the default of a type that has none. */
  protected abstract appendDefault(): void;

  appendNull(): void {
    if (this.#nulls !== undefined) this.#markNull(this.length);
    this.appendDefault();
  }

  append(value: Value): void {
    if (value === null) this.appendNull();
    else if (typeof value === 'number') this.appendNumber(value);
    else if (typeof value === 'bigint') this.appendBigInt(value);
    else if (typeof value === 'string') this.appendString(value);
    else assert(false, `a list does not fit a ${this.type.kind} column`);
  }

  /** The nulls of `length` rows, for `finish`. */
  protected takeNulls(length: number): { nulls?: Uint8Array } {
    if (this.#nulls === undefined) return {};
    const nulls = new Uint8Array(length);
    nulls.set(this.#nulls.subarray(0, length));
    return { nulls };
  }

  #markNull(row: number): void {
    this.#nulls = grownArray(defined(this.#nulls, 'nulls'), row + 1);
    this.#nulls[row] = 1;
  }
}

class NumberBuilder extends Growing implements ColumnBuilder {
  readonly #absent: number;
  #values: NumberArray;
  #length = 0;

  constructor(type: DataType, capacity: number) {
    super(type);
    this.#absent = defaultNumber(valueType(type));
    this.#values = numberArray(type, Math.max(capacity, 4));
  }

  get length(): number {
    return this.#length;
  }

  override appendNumber(value: number): void {
    if (this.#length === this.#values.length) {
      this.#values = grownArray(this.#values, this.#length + 1);
    }
    this.#values[this.#length++] = value;
  }

  override appendBigInt(value: bigint): void {
    this.appendNumber(Number(BigInt.asIntN(32, value)));
  }

  protected override appendDefault(): void {
    this.appendNumber(this.#absent);
  }

  appendFrom(column: Column, row: number): void {
    assert(column.kind === 'number', 'appendFrom a column of another shape');
    if (column.nulls?.[row] === 1) this.appendNull();
    else this.appendNumber(column.values[row] ?? 0);
  }

  finish(): Column {
    const values = this.#values.slice(0, this.#length);
    return { kind: 'number', values, ...this.takeNulls(this.#length) };
  }
}

class WideBuilder extends Growing implements ColumnBuilder {
  #values: WideArray;
  #length = 0;

  constructor(type: DataType, capacity: number) {
    super(type);
    this.#values = wideArray(type, Math.max(capacity, 4));
  }

  get length(): number {
    return this.#length;
  }

  override appendNumber(value: number): void {
    this.appendBigInt(BigInt(value));
  }

  override appendBigInt(value: bigint): void {
    if (this.#length === this.#values.length) {
      this.#values = grownArray(this.#values, this.#length + 1);
    }
    this.#values[this.#length++] = value;
  }

  protected override appendDefault(): void {
    this.appendBigInt(0n);
  }

  appendFrom(column: Column, row: number): void {
    assert(column.kind === 'wide', 'appendFrom a column of another shape');
    if (column.nulls?.[row] === 1) this.appendNull();
    else this.appendBigInt(column.values[row] ?? 0n);
  }

  finish(): Column {
    const values = this.#values.slice(0, this.#length);
    return { kind: 'wide', values, ...this.takeNulls(this.#length) };
  }
}

class StringBuilder extends Growing implements ColumnBuilder {
  readonly #absent: string;
  readonly #values: string[] = [];

  constructor(type: DataType) {
    super(type);
    this.#absent = defaultString(valueType(type));
  }

  get length(): number {
    return this.#values.length;
  }

  override appendString(value: string): void {
    this.#values.push(value);
  }

  protected override appendDefault(): void {
    this.#values.push(this.#absent);
  }

  appendFrom(column: Column, row: number): void {
    assert(column.kind === 'string', 'appendFrom a column of another shape');
    if (column.nulls?.[row] === 1) this.appendNull();
    else this.#values.push(column.values[row] ?? '');
  }

  finish(): Column {
    return { kind: 'string', values: this.#values, ...this.takeNulls(this.#values.length) };
  }
}

/** Rows are closed one after another: append items to `items`, then `closeRow`. */
export class ArrayBuilder extends Growing implements ColumnBuilder {
  readonly items: ColumnBuilder;
  readonly #ends: number[] = [];

  constructor(type: DataType) {
    super(type);
    const bare = valueType(type);
    assert(bare.kind === 'Array', 'an array builder is for arrays');
    this.items = columnBuilder(bare.item);
  }

  get length(): number {
    return this.#ends.length;
  }

  closeRow(): void {
    this.#ends.push(this.items.length);
  }

  protected override appendDefault(): void {
    this.closeRow();
  }

  override append(value: Value): void {
    if (value === null || typeof value !== 'object') super.append(value);
    else {
      for (const item of value) this.items.append(item);
      this.closeRow();
    }
  }

  appendFrom(column: Column, row: number): void {
    assert(column.kind === 'array', 'appendFrom a column of another shape');
    const end = column.offsets[row + 1] ?? 0;
    for (let i = column.offsets[row] ?? 0; i < end; i++) this.items.appendFrom(column.items, i);
    this.closeRow();
  }

  finish(): Column {
    const offsets = new Uint32Array(this.#ends.length + 1);
    offsets.set(this.#ends, 1);
    return { kind: 'array', offsets, items: this.items.finish() };
  }
}

/** Append one value to each of `fields`, then `closeRow`. */
export class TupleBuilder extends Growing implements ColumnBuilder {
  readonly fields: readonly ColumnBuilder[];
  #length = 0;

  constructor(type: DataType) {
    super(type);
    const bare = valueType(type);
    assert(bare.kind === 'Tuple', 'a tuple builder is for tuples');
    this.fields = bare.fields.map((field) => columnBuilder(field.type));
  }

  get length(): number {
    return this.#length;
  }

  closeRow(): void {
    this.#length++;
  }

  protected override appendDefault(): void {
    for (const field of this.fields) field.appendNull();
    this.closeRow();
  }

  override append(value: Value): void {
    if (value === null || typeof value !== 'object') super.append(value);
    else {
      this.fields.forEach((field, i) => field.append(value[i] ?? null));
      this.closeRow();
    }
  }

  appendFrom(column: Column, row: number): void {
    assert(column.kind === 'tuple', 'appendFrom a column of another shape');
    this.fields.forEach((field, i) => {
      field.appendFrom(defined(column.fields[i], 'tuple field'), row);
    });
    this.closeRow();
  }

  finish(): Column {
    const fields = this.fields.map((field) => field.finish());
    return { kind: 'tuple', length: this.#length, fields };
  }
}
