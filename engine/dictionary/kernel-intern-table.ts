// An intern table of many integers, in WebAssembly memory: a table as a segment's pages are, into which
// kernels put a batch of keys at once. It grows without a pause: when little room is left, each batch also
// clears and fills a part of a larger table, from the list of keys that it holds anyway, so that the
// larger one is ready before the smaller one is full. The small twin is intern-table.ts.
//
// Memory of a table that is not closed is given back when nothing refers to it any more.

import { assert } from '../../base/assert.ts';
import { type KernelHeap, threadHeap } from '../../kernels/kernel-heap.ts';
import { tableShape } from '../../storage-format/hash-table.ts';
import { roomBytes } from './key-batch.ts';

const firstCapacity = 524_288;
/** Keys put in at once, so that a step of growth stays short. */
const stepKeys = 65_536;
const growthFactor = 3 / 2;
/** From here on the next table is made; it is done two steps before this one is full. */
const growFrom = 0.7;
/** Of the growth's work: clearing pages goes first. */
const clearShare = 1 / 4;
const recordBytes = 32;

interface Table {
  readonly capacity: number;
  readonly pages: number;
  readonly pageBytes: number;
  readonly keys: number;
  readonly record: number;
}

interface Growth {
  readonly table: Table;
  /** Keys that there were when it began. */
  readonly from: number;
  /** Bytes of its pages that are zeros. */
  cleared: number;
  /** Keys that it holds. */
  filled: number;
}

/** What a call works in: keys, codes, groups, known flags, kernels' room. */
const workBytes = stepKeys * (8 + 4 + 2 + 1) + roomBytes + 64;

const leftOver = new FinalizationRegistry<{ heap: KernelHeap; taken: Set<number> }>(
  ({ heap, taken }) => {
    for (const at of taken) heap.give(at);
  },
);

export class KernelInternTable {
  readonly #heap = threadHeap();
  readonly #taken = new Set<number>();
  readonly #work: number;
  #table: Table;
  #growth: Growth | undefined;
  #count = 0;

  /** Room for so many keys before it grows; fewer than half a million are taken for as many. */
  constructor(expected = 0) {
    this.#work = this.#take(workBytes);
    // Groups and known flags are never written: one group, nothing known; its owner is this one.
    this.#heap.memory.calls.clearBytes(this.#work, workBytes);
    this.#heap.memory.u8(this.#owners, 1).fill(1);
    this.#table = this.#newTable(Math.max(firstCapacity, Math.ceil(expected / growFrom)));
    this.#clear(this.#table, 0, this.#table.pageBytes);
    leftOver.register(this, { heap: this.#heap, taken: this.#taken }, this);
  }

  get count(): number {
    return this.#count;
  }

  /** Without the larger table that is being made. */
  get bytes(): number {
    return this.#table.pageBytes + 8 * this.#table.capacity + workBytes;
  }

  /** out[i] becomes the ordinal of key i. */
  intern(keys: BigUint64Array, out: Uint32Array): void {
    const { memory } = this.#heap;
    for (let from = 0; from < keys.length; from += stepKeys) {
      const some = keys.subarray(from, from + stepKeys);
      memory.u64(this.#work, some.length).set(some);
      this.#put(some.length);
      out.set(memory.u32(this.#codes, some.length), from);
      this.#grow();
    }
  }

  /** A copy of all keys in order of their ordinals. */
  keys(): BigUint64Array {
    return this.#heap.memory.u64(this.#table.keys, this.#count).slice();
  }

  /** Gives its memory back; it is not to be used any more. */
  close(): void {
    leftOver.unregister(this);
    for (const at of this.#taken) this.#heap.give(at);
    this.#taken.clear();
  }

  get #codes(): number {
    return this.#work + 8 * stepKeys;
  }

  get #owners(): number {
    return this.#work + workBytes - 64;
  }

  #put(count: number): void {
    const { memory } = this.#heap;
    const groups = this.#codes + 4 * stepKeys;
    const known = groups + 2 * stepKeys;
    const room = known + stepKeys;
    const { record } = this.#table;
    const codes = this.#codes;
    memory.calls.numberIntegers(
      record,
      this.#work,
      0,
      count,
      room,
      codes,
      groups,
      known,
      this.#owners,
    );
    this.#count = memory.u32(record, 8)[6] ?? 0;
    assert(this.#count <= this.#table.capacity, 'a table grows before it is full');
  }

  /** One step: as much of the next table as room was used up since it was begun. */
  #grow(): void {
    const { capacity } = this.#table;
    const end = capacity - 2 * stepKeys;
    if (this.#growth === undefined) {
      if (this.#count < Math.min(growFrom * capacity, end - stepKeys)) return;
      const table = this.#newTable(growthFactor * capacity);
      this.#growth = { table, from: this.#count, cleared: 0, filled: 0 };
    }
    const growth = this.#growth;
    const { table, from } = growth;
    const done = this.#count >= end ? 1 : (this.#count - from) / (end - from);
    const cleared = Math.floor(table.pageBytes * Math.min(1, done / clearShare));
    this.#clear(table, growth.cleared, cleared);
    growth.cleared = cleared;
    if (done <= clearShare) return;
    this.#fill(growth, Math.floor((this.#count * (done - clearShare)) / (1 - clearShare)));
    if (done === 1) this.#finish(growth);
  }

  #fill(growth: Growth, end: number): void {
    const { memory } = this.#heap;
    const { filled, table } = growth;
    const room = this.#codes + (4 + 2 + 1) * stepKeys;
    const from = this.#table.keys + 8 * filled;
    memory.u8(table.keys + 8 * filled, 8 * (end - filled)).set(memory.u8(from, 8 * (end - filled)));
    memory.calls.buildIntegers(table.record, from, end - filled, filled, room);
    growth.filled = end;
  }

  #finish({ table }: Growth): void {
    this.#heap.memory.u32(table.record, 8)[6] = this.#count;
    for (const at of [this.#table.pages, this.#table.keys, this.#table.record]) this.#give(at);
    this.#table = table;
    this.#growth = undefined;
  }

  #newTable(capacity: number): Table {
    const shape = tableShape(capacity, 'integer');
    const pageBytes = shape.pages * shape.pageBytes;
    const pages = this.#take(pageBytes);
    const keys = this.#take(8 * capacity);
    const record = this.#take(recordBytes);
    const words = [pages, shape.pages, shape.slots, shape.pageBytes, 0, 0, 0, keys];
    this.#heap.memory.u32(record, 8).set(words);
    return { capacity, pages, pageBytes, keys, record };
  }

  #clear({ pages }: Table, from: number, to: number): void {
    this.#heap.memory.calls.clearBytes(pages + from, to - from);
  }

  #take(bytes: number): number {
    const at = this.#heap.take(bytes);
    this.#taken.add(at);
    return at;
  }

  #give(at: number): void {
    this.#taken.delete(at);
    this.#heap.give(at);
  }
}
