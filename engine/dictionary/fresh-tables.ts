// Tables for the new keys of a batch, one for each group: the pages that the hash index of their segment
// will have, sized for them, and room for the keys in code order. Where they lie in WebAssembly memory;
// filling them is fresh-filling.ts's.

import { defined } from '../../base/assert.ts';
import { HeapBlock, type KernelHeap } from '../../kernels/kernel-heap.ts';
import { type TableShape, tableShape } from '../../storage-format/hash-table.ts';
import type { KeyDomain } from '../../storage-format/key-list.ts';

/** The new keys of one group, in code order. */
export interface FreshTable {
  readonly group: number;
  readonly base: number;
  readonly count: number;
  /** The integers themselves, or positions in the batch of strings. */
  readonly keys: BigUint64Array | Uint32Array;
  /** The pages of their hash index, not sealed; undefined where keys came twice and it must be made anew. */
  readonly pages: HeapBlock | undefined;
}

/** Of one group that has new keys. */
export interface PlacedTable {
  readonly group: number;
  /** The address of what kernels know of it. */
  readonly record: number;
  readonly shape: TableShape;
  readonly pages: HeapBlock;
  readonly keys: number;
  /** Unknown keys, doubles counted. */
  readonly bound: number;
}

export const recordBytes = 32;
/** Words of a record: the number of the table's first run of pages, and its next ordinal. */
export const firstRunWord = 5;
const nextOrdinalWord = 6;

export interface TablesRequest {
  readonly domain: KeyDomain;
  readonly nextCodes: readonly number[];
  /** Of each group. */
  readonly unknown: readonly number[];
}

export class FreshTables {
  readonly placed: readonly PlacedTable[];
  /** Of all groups, one after the other; zeros of those without new keys. */
  readonly records: number;
  readonly #heap: KernelHeap;
  readonly #request: TablesRequest;
  #open: HeapBlock[] = [];

  constructor(heap: KernelHeap, request: TablesRequest) {
    this.#heap = heap;
    this.#request = request;
    const { unknown } = request;
    this.records = this.#block(recordBytes * unknown.length).at;
    heap.memory.calls.clearBytes(this.records, recordBytes * unknown.length);
    this.placed = unknown.flatMap((bound, group) => (bound > 0 ? [this.#place(group, bound)] : []));
  }

  /** Gives back what was not taken out. */
  close(): void {
    for (const block of this.#open) block.close();
    this.#open = [];
  }

  /** Empty tables again, whatever they hold. */
  clear(): void {
    const { memory } = this.#heap;
    for (const { pages, record } of this.placed) {
      memory.calls.clearBytes(pages.at, pages.length);
      memory.u32(record, recordBytes / 4)[nextOrdinalWord] = 0;
    }
  }

  /** Of keys that came twice the tables are too large: their pages stay here. */
  takeOut(): FreshTable[] {
    const { memory } = this.#heap;
    return this.placed.map(({ group, record, pages, keys, bound }) => {
      const count = memory.u32(record, recordBytes / 4)[nextOrdinalWord] ?? 0;
      const integers = this.#request.domain === 'integer';
      if (count === bound) this.#open = this.#open.filter((block) => block !== pages);
      return {
        group,
        base: defined(this.#request.nextCodes[group], 'a next code'),
        count,
        keys: integers ? memory.u64(keys, count).slice() : memory.u32(keys, count).slice(),
        pages: count === bound ? pages : undefined,
      };
    });
  }

  /** All unknown keys are different ones, and are in the tables. */
  noteWhole(): void {
    for (const { record, bound } of this.placed) {
      this.#heap.memory.u32(record, recordBytes / 4)[nextOrdinalWord] = bound;
    }
  }

  #place(group: number, bound: number): PlacedTable {
    const { domain, nextCodes } = this.#request;
    const shape = tableShape(bound, domain);
    const pages = this.#block(shape.pages * shape.pageBytes);
    const keys = this.#block((domain === 'integer' ? 8 : 4) * bound).at;
    const record = this.records + recordBytes * group;
    const next = defined(nextCodes[group], 'a next code');
    const words = [pages.at, shape.pages, shape.slots, shape.pageBytes, next, 0, 0, keys];
    this.#heap.memory.u32(record, recordBytes / 4).set(words);
    return { group, record, shape, pages, keys, bound };
  }

  #block(bytes: number): HeapBlock {
    const block = new HeapBlock(this.#heap, bytes);
    this.#open.push(block);
    return block;
  }
}
