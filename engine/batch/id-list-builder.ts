// Builds IdLists from (row, ordinal) pairs in any order: grouped by row, ascending, distinct. Holds 8
// bytes a pair and drops duplicates whenever the pairs have doubled, so that memory follows the
// distinct members and not the input; many pairs of few rows become bitmaps. Sorting is two stable
// counting sorts: no comparisons.

import type { KeyList } from '../../storage-format/key-list.ts';
import { grownArray } from '../../base/grown-array.ts';
import type { IdLists } from './id-lists.ts';
import { LongLists } from './long-lists.ts';

const firstCapacity = 256;
const limits = {
  /** Pairs. */
  compactAtLeast: 65_536,
  /** Lists become bitmaps from so many distinct pairs on, of so many a row on average. */
  longPairsMin: 2 ** 21,
  longAverageMin: 1024,
};

export class IdListBuilder {
  #rows = new Uint32Array(firstCapacity);
  #ordinals = new Uint32Array(firstCapacity);
  #count = 0;
  readonly #limits: typeof limits;
  #compactAt: number;
  #rowMax = 0;
  #long: LongLists | undefined;
  #longBytes = 0;

  /** Tests set them lower. */
  constructor(own = limits) {
    this.#limits = own;
    this.#compactAt = own.compactAtLeast;
  }

  /** Rough bytes held, for memory budgets. */
  get bytes(): number {
    return 8 * this.#rows.length + this.#longBytes;
  }

  push(row: number, ordinal: number): void {
    if (this.#count === this.#rows.length) this.#makeRoom(1);
    if (row > this.#rowMax) this.#rowMax = row;
    this.#rows[this.#count] = row;
    this.#ordinals[this.#count++] = ordinal;
  }

  /** Pairs (rows[i], ordinals[i]) for i < count. */
  add(rows: Uint32Array, ordinals: Uint32Array, count = rows.length): void {
    if (this.#count + count > this.#rows.length) this.#makeRoom(count);
    for (let i = 0; i < count; i++) if (rows[i]! > this.#rowMax) this.#rowMax = rows[i]!;
    this.#rows.set(rows.subarray(0, count), this.#count);
    this.#ordinals.set(ordinals.subarray(0, count), this.#count);
    this.#count += count;
  }

  /** Lists of rows [0, rows); all ordinals pushed are below the number of `keys`. */
  finish(rows: number, keys: KeyList): IdLists {
    this.#compact();
    if (this.#long !== undefined) {
      this.#lengthen(this.#long);
      return this.#long.finish(rows, keys);
    }
    const offsets = new Uint32Array(rows + 1);
    for (let i = 0; i < this.#count; i++) {
      const next = (this.#rows[i] as number) + 1;
      offsets[next] = (offsets[next] as number) + 1;
    }
    for (let r = 0; r < rows; r++) {
      offsets[r + 1] = (offsets[r + 1] as number) + (offsets[r] as number);
    }
    return { keys, offsets, ordinals: this.#ordinals.slice(0, this.#count) };
  }

  #makeRoom(more: number): void {
    if (this.#count >= this.#compactAt) {
      this.#compact();
      if (this.#long === undefined && this.#areLong()) this.#long = new LongLists();
      if (this.#long !== undefined) this.#lengthen(this.#long);
      this.#compactAt = Math.max(this.#limits.compactAtLeast, 2 * this.#count);
    }
    this.#rows = grownArray(this.#rows, this.#count + more);
    this.#ordinals = grownArray(this.#ordinals, this.#count + more);
  }

  #areLong(): boolean {
    const { longPairsMin, longAverageMin } = this.#limits;
    return this.#count >= Math.max(longPairsMin, longAverageMin * (this.#rowMax + 1));
  }

  /** Gives all pairs away; they are compact. */
  #lengthen(long: LongLists): void {
    const rows = this.#rows.subarray(0, this.#count);
    long.add(rows, this.#ordinals.subarray(0, this.#count));
    this.#longBytes = long.bytes();
    this.#count = 0;
  }

  #compact(): void {
    const count = this.#count;
    if (this.#rowMax === 0) {
      this.#count = distinct(this.#ordinals, count);
      return;
    }
    const byOrdinal = stableOrder(this.#ordinals, count);
    const rows = gather(this.#rows, byOrdinal);
    const byRow = stableOrder(rows, count);
    const ordinals = gather(gather(this.#ordinals, byOrdinal), byRow);
    const sortedRows = gather(rows, byRow);
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const row = sortedRows[i] as number;
      const ordinal = ordinals[i] as number;
      if (kept > 0 && this.#rows[kept - 1] === row && this.#ordinals[kept - 1] === ordinal) {
        continue;
      }
      this.#rows[kept] = row;
      this.#ordinals[kept++] = ordinal;
    }
    this.#count = kept;
  }
}

/** Moves the distinct ones of the first `count` values to the front, ascending: a mark for each. */
function distinct(values: Uint32Array, count: number): number {
  let max = -1;
  for (let i = 0; i < count; i++) if (values[i]! > max) max = values[i]!;
  const marks = new Uint8Array(max + 1);
  for (let i = 0; i < count; i++) marks[values[i]!] = 1;
  let kept = 0;
  for (let value = 0; value <= max; value++) if (marks[value] === 1) values[kept++] = value;
  return kept;
}

/** IdLists with no keys: `rows` empty lists. */
export function emptyIdLists(keys: KeyList, rows: number): IdLists {
  return { keys, offsets: new Uint32Array(rows + 1), ordinals: new Uint32Array(0) };
}

/** Positions of values[0, count) in ascending order of value, equal ones in order of position. */
function stableOrder(values: Uint32Array, count: number): Uint32Array {
  let max = 0;
  for (let i = 0; i < count; i++) if ((values[i] as number) > max) max = values[i] as number;
  const next = new Uint32Array(max + 2);
  for (let i = 0; i < count; i++) {
    const after = (values[i] as number) + 1;
    next[after] = (next[after] as number) + 1;
  }
  for (let v = 0; v <= max; v++) next[v + 1] = (next[v + 1] as number) + (next[v] as number);
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const value = values[i] as number;
    const at = next[value] as number;
    order[at] = i;
    next[value] = at + 1;
  }
  return order;
}

function gather(values: Uint32Array, order: Uint32Array): Uint32Array {
  const out = new Uint32Array(order.length);
  for (let i = 0; i < order.length; i++) out[i] = values[order[i] as number] as number;
  return out;
}
