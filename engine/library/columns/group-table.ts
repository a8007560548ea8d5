// Rows of several key columns to dense group numbers, over many blocks. Each column has its own
// table of distinct keys; the numbers of two columns make a 64-bit pair, the pair's number and the
// next column's make another, and the last number is the group. So a wide key costs one table
// look-up per column and no row is ever serialised.

import { assert, defined } from '../../../base/assert.ts';
import type { Column } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { HalvesTable } from './halves-table.ts';
import { type KeyTable, keyTable } from './key-table.ts';
import { take } from './take.ts';

export class GroupTable {
  readonly #tables: readonly KeyTable[];
  /** pairs[i] joins the number of columns 0..i with that of column i + 1. */
  readonly #pairs: readonly HalvesTable[];
  #anyRow = false;

  /** Without key types all rows are one group (and there is none until a row comes). */
  constructor(types: readonly DataType[]) {
    this.#tables = types.map((type) => keyTable(type));
    this.#pairs = types.slice(1).map(() => new HalvesTable());
  }

  get keyCount(): number {
    return this.#tables.length;
  }

  get size(): number {
    const last = this.#pairs.at(-1) ?? this.#tables[0];
    if (last === undefined) return this.#anyRow ? 1 : 0;
    return last.size;
  }

  /** The group of each row, not to be written to; new groups are numbered as they appear. NULLs are equal. */
  add(columns: readonly Column[], rows: number): Uint32Array {
    assert(columns.length === this.#tables.length, 'as many key columns as key types');
    if (rows > 0) this.#anyRow = true;
    let numbers: Int32Array = new Int32Array(this.#tables.length === 0 ? rows : 0);
    this.#tables.forEach((table, i) => {
      const own = table.add(defined(columns[i], 'key column'), rows);
      if (i === 0) numbers = own;
      else numbers = joinNumbers(defined(this.#pairs[i - 1], 'pair table'), numbers, own);
    });
    return new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  }

  /** As `add`, without making groups: -1 where the key is unknown. */
  find(columns: readonly Column[], rows: number): Int32Array {
    let numbers = new Int32Array(rows);
    this.#tables.forEach((table, i) => {
      const own = table.find(defined(columns[i], 'key column'), rows);
      if (i === 0) numbers = own as Int32Array<ArrayBuffer>;
      else findNumbers(defined(this.#pairs[i - 1], 'pair table'), numbers, own);
    });
    return numbers;
  }

  /** The key columns, one row per group. To be called once, at the end. */
  keys(): Column[] {
    if (this.#tables.length === 1) return this.#tables.map((table) => table.keys());
    const size = this.size;
    let prefix = Int32Array.from({ length: size }, (_, i) => i);
    const result: Column[] = [];
    for (let i = this.#tables.length - 1; i > 0; i--) {
      const pairs = defined(this.#pairs[i - 1], 'pair table');
      const own = prefix.map((number) => pairs.highOf(number));
      result.unshift(take(defined(this.#tables[i], 'key table').keys(), own));
      prefix = prefix.map((number) => pairs.lowOf(number));
    }
    const first = this.#tables[0];
    if (first !== undefined) result.unshift(take(first.keys(), prefix));
    return result;
  }

  bytes(): number {
    let sum = 0;
    for (const table of this.#tables) sum += table.bytes();
    for (const table of this.#pairs) sum += table.bytes();
    return sum;
  }
}

function joinNumbers(pairs: HalvesTable, numbers: Int32Array, own: Int32Array): Int32Array {
  const joined = new Int32Array(numbers.length);
  for (let i = 0; i < joined.length; i++) joined[i] = pairs.add(numbers[i] ?? 0, own[i] ?? 0);
  return joined;
}

function findNumbers(pairs: HalvesTable, numbers: Int32Array, own: Int32Array): void {
  for (let i = 0; i < numbers.length; i++) {
    const a = numbers[i] ?? -1;
    const b = own[i] ?? -1;
    numbers[i] = a < 0 || b < 0 ? -1 : pairs.find(a, b);
  }
}
