// Tables for the new keys of a batch, one for each group: the pages that the hash index of their segment
// will have, sized for them, and room for the keys in code order. Where they lie in WebAssembly memory;
// filling them is fresh-filling.ts's.

import { defined } from '../../base/assert.ts';
import { HeapBlock, type KernelHeap } from '../../kernels/kernel-heap.ts';
import { type TableShape, tableShape } from '../../storage-format/hash-table.ts';
import type { KeyDomain } from '../../storage-format/key-list.ts';
import type { HashBounds, PreparedPages } from '../../storage-format/segment-pages.ts';

/** The new keys of one group, in code order. */
export interface FreshTable {
  readonly group: number;
  readonly base: number;
  readonly count: number;
  /** The integers themselves, until it is closed; or positions in the batch of strings. */
  readonly keys: BigUint64Array | Uint32Array;
  /** The pages of their hash index; undefined where keys came twice and it must be made anew. */
  readonly pages: PreparedPages | undefined;
  /** Gives the memory of both back. */
  close(): void;
}

/** Of one group that has new keys. */
export interface PlacedTable {
  readonly group: number;
  /** The address of what kernels know of it. */
  readonly record: number;
  readonly shape: TableShape;
  readonly pages: HeapBlock;
  readonly keys: HeapBlock;
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
  /** Of the pages of each placed table, where they have their trailers. */
  #sealed: readonly HashBounds[] = [];

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
    this.#sealed = [];
    for (const { pages, record } of this.placed) {
      memory.calls.clearBytes(pages.at, pages.length);
      memory.u32(record, recordBytes / 4)[nextOrdinalWord] = 0;
    }
  }

  /** Of keys that came twice the tables are too large: their pages stay here. */
  takeOut(): FreshTable[] {
    const { memory } = this.#heap;
    const integers = this.#request.domain === 'integer';
    return this.placed.map(({ group, record, pages, keys, bound }, i) => {
      const count = memory.u32(record, recordBytes / 4)[nextOrdinalWord] ?? 0;
      const own = [...(count === bound ? [pages] : []), ...(integers ? [keys] : [])];
      this.#open = this.#open.filter((block) => !own.includes(block));
      return {
        group,
        base: defined(this.#request.nextCodes[group], 'a next code'),
        count,
        keys: integers ? memory.u64(keys.at, count) : memory.u32(keys.at, count).slice(),
        pages: count === bound ? { block: pages, sealed: this.#sealed[i] } : undefined,
        close: () => own.forEach((block) => block.close()),
      };
    });
  }

  /** All unknown keys are different ones, and are in the tables. */
  noteWhole(): void {
    for (const { record, bound } of this.placed) {
      this.#heap.memory.u32(record, recordBytes / 4)[nextOrdinalWord] = bound;
    }
  }

  /** The pages have their trailers. Bounds of each placed table. */
  noteSealed(bounds: readonly HashBounds[]): void {
    this.#sealed = bounds;
  }

  #place(group: number, bound: number): PlacedTable {
    const { domain, nextCodes } = this.#request;
    const shape = tableShape(bound, domain);
    const pages = this.#block(shape.pages * shape.pageBytes);
    const keys = this.#block((domain === 'integer' ? 8 : 4) * bound);
    const record = this.records + recordBytes * group;
    const next = defined(nextCodes[group], 'a next code');
    const words = [pages.at, shape.pages, shape.slots, shape.pageBytes, next, 0, 0, keys.at];
    this.#heap.memory.u32(record, recordBytes / 4).set(words);
    return { group, record, shape, pages, keys, bound };
  }

  #block(bytes: number): HeapBlock {
    const block = new HeapBlock(this.#heap, bytes);
    this.#open.push(block);
    return block;
  }
}
