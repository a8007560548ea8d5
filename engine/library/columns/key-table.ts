// Distinct keys of one column, numbered from 0 in order of appearance. Numbers and 64-bit values
// live in one open-addressing table of 32-bit halves (about 15 ns a row), or in none as long as they
// ascend; strings in a Map; arrays and tuples by their serialised form. NULL is a key of its own.

import { assert } from '../../../base/assert.ts';
import type { Column } from '../../../storage-format/column.ts';
import { type DataType, valueType } from '../../../storage-format/data-type.ts';
import { type ColumnBuilder, columnBuilder } from '../../values/column-builder.ts';
import { columnShape } from '../../values/column-shape.ts';
import { AscendingKeys } from './ascending-keys.ts';
import { columnHalves } from './halves.ts';
import { HalvesTable } from './halves-table.ts';
import { rowKey } from './row-key.ts';

export interface KeyTable {
  readonly size: number;
  /** Numbers of the keys of rows [0, rows); new keys get the next numbers. */
  add(column: Column, rows: number): Int32Array;
  /** As `add`, but a key that is not there gives -1. */
  find(column: Column, rows: number): Int32Array;
  /** The keys in order of their numbers. */
  keys(): Column;
  /** Rough bytes held. */
  bytes(): number;
}

export function keyTable(type: DataType): KeyTable {
  const shape = columnShape(type);
  if (shape === 'number' || shape === 'wide') return new NumberKeyTable(type);
  return new TextKeyTable(type, shape === 'string' ? stringKey : rowKey);
}

function stringKey(column: Column, row: number): string {
  assert(column.kind === 'string', 'string keys are in string columns');
  return column.values[row] ?? '';
}

class NumberKeyTable implements KeyTable {
  readonly #table = new HalvesTable();
  readonly #keys: ColumnBuilder;
  readonly #isFloat: boolean;
  #nullNumber = -1;
  /** Number in #table -> key number; they part once NULL has taken one. */
  #shift = 0;
  /** Holds all keys until one comes that doesn't ascend. */
  #ascending: AscendingKeys | undefined = new AscendingKeys();

  constructor(type: DataType) {
    this.#keys = columnBuilder(type);
    const { kind } = valueType(type);
    this.#isFloat = kind === 'Float32' || kind === 'Float64';
  }

  get size(): number {
    return this.#ascending?.size ?? this.#keys.length;
  }

  add(column: Column, rows: number): Int32Array {
    const halves = columnHalves(column, rows, this.#isFloat);
    if (this.#ascending !== undefined) {
      assert(column.kind === 'number' || column.kind === 'wide', 'only numbers have halves');
      const numbers = this.#ascending.add(column, halves, rows);
      if (numbers !== undefined) return numbers;
      this.#leaveOrder();
    }
    const nulls = column.kind === 'array' || column.kind === 'tuple' ? undefined : column.nulls;
    const result = new Int32Array(rows);
    for (let row = 0; row < rows; row++) {
      if (nulls?.[row] === 1) {
        result[row] = this.#addNull();
        continue;
      }
      const before = this.#table.size;
      const slot = this.#table.add(halves[2 * row] ?? 0, halves[2 * row + 1] ?? 0);
      if (slot === before) this.#keys.appendFrom(column, row);
      result[row] = this.#number(slot);
    }
    return result;
  }

  find(column: Column, rows: number): Int32Array {
    this.#leaveOrder();
    const halves = columnHalves(column, rows, this.#isFloat);
    const nulls = column.kind === 'array' || column.kind === 'tuple' ? undefined : column.nulls;
    const result = new Int32Array(rows);
    for (let row = 0; row < rows; row++) {
      if (nulls?.[row] === 1) result[row] = this.#nullNumber;
      else {
        const slot = this.#table.find(halves[2 * row] ?? 0, halves[2 * row + 1] ?? 0);
        result[row] = slot < 0 ? -1 : this.#number(slot);
      }
    }
    return result;
  }

  keys(): Column {
    const ascending = this.#ascending;
    return ascending === undefined || ascending.size === 0 ? this.#keys.finish() : ascending.keys();
  }

  bytes(): number {
    return this.#table.bytes() + this.size * 8;
  }

  /** From here on keys are looked up in the table. */
  #leaveOrder(): void {
    const pieces = this.#ascending?.pieces ?? [];
    this.#ascending = undefined;
    for (const piece of pieces) {
      const rows = piece.values.length;
      const halves = columnHalves(piece, rows, this.#isFloat);
      for (let row = 0; row < rows; row++) {
        this.#table.add(halves[2 * row] ?? 0, halves[2 * row + 1] ?? 0);
        this.#keys.appendFrom(piece, row);
      }
    }
  }

  #addNull(): number {
    if (this.#nullNumber < 0) {
      this.#nullNumber = this.#keys.length;
      this.#shift = 1;
      this.#keys.appendNull();
    }
    return this.#nullNumber;
  }

  #number(slot: number): number {
    return this.#shift === 1 && slot >= this.#nullNumber ? slot + 1 : slot;
  }
}

class TextKeyTable implements KeyTable {
  readonly #numbers = new Map<string, number>();
  readonly #keys: ColumnBuilder;
  readonly #keyOf: (column: Column, row: number) => string;
  #nullNumber = -1;
  #textBytes = 0;

  constructor(type: DataType, keyOf: (column: Column, row: number) => string) {
    this.#keys = columnBuilder(type);
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#keys.length;
  }

  add(column: Column, rows: number): Int32Array {
    const result = new Int32Array(rows);
    const nulls = column.kind === 'string' ? column.nulls : undefined;
    for (let row = 0; row < rows; row++) {
      if (nulls?.[row] === 1) {
        if (this.#nullNumber < 0) {
          this.#nullNumber = this.#keys.length;
          this.#keys.appendNull();
        }
        result[row] = this.#nullNumber;
      } else {
        result[row] = this.#addKey(column, row);
      }
    }
    return result;
  }

  find(column: Column, rows: number): Int32Array {
    const result = new Int32Array(rows);
    const nulls = column.kind === 'string' ? column.nulls : undefined;
    for (let row = 0; row < rows; row++) {
      result[row] =
        nulls?.[row] === 1 ? this.#nullNumber : (this.#numbers.get(this.#keyOf(column, row)) ?? -1);
    }
    return result;
  }

  keys(): Column {
    return this.#keys.finish();
  }

  bytes(): number {
    return this.#textBytes + this.#keys.length * 64;
  }

  #addKey(column: Column, row: number): number {
    const key = this.#keyOf(column, row);
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#keys.length;
      this.#numbers.set(key, number);
      this.#keys.appendFrom(column, row);
      this.#textBytes += key.length;
    }
    return number;
  }
}
