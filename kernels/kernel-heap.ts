// Blocks of WebAssembly memory that come and go: what is given back is handed out again, the lowest
// fitting block first, and neighbours become one. For few large blocks (segments, batches of keys): a list
// is searched. Contents of a block are undefined, except where zeros are asked for.

import { assert } from '../base/assert.ts';
import { KernelMemory } from './kernel-memory.ts';

interface FreeBlock {
  readonly at: number;
  readonly bytes: number;
}

const alignment = 64;
/** Behind every block: kernels may touch, never use, what lies there. */
const guardBytes = 128;

export class KernelHeap {
  readonly memory: KernelMemory;
  /** Ascending, no two adjacent. */
  #free: FreeBlock[] = [];
  readonly #taken = new Map<number, number>();
  #bytes = 0;

  constructor(memory = new KernelMemory()) {
    this.memory = memory;
  }

  /** In use. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The block's address, a multiple of 64. MEMORY_LIMIT_EXCEEDED beyond 4 GiB. */
  take(bytes: number): number {
    const size = Math.ceil((bytes + guardBytes) / alignment) * alignment;
    const fit = this.#free.findIndex((block) => block.bytes >= size);
    const at = fit < 0 ? this.#reserve(size) : this.#cut(fit, size);
    this.#taken.set(at, size);
    this.#bytes += size;
    return at;
  }

  /** A block of zeros. */
  takeZeros(bytes: number): number {
    const at = this.take(bytes);
    this.memory.calls.clearBytes(at, bytes);
    return at;
  }

  give(at: number): void {
    const bytes = this.#taken.get(at);
    assert(bytes !== undefined, `a block at ${at} is taken`);
    this.#taken.delete(at);
    this.#bytes -= bytes;
    const next = this.#free.findIndex((block) => block.at > at);
    const index = next < 0 ? this.#free.length : next;
    const before = this.#free[index - 1];
    const after = this.#free[index];
    const start = before !== undefined && before.at + before.bytes === at ? before.at : at;
    const joined = after !== undefined && after.at === at + bytes ? after.bytes : 0;
    const block = { at: start, bytes: at + bytes - start + joined };
    this.#free.splice(
      start < at ? index - 1 : index,
      (start < at ? 1 : 0) + (joined > 0 ? 1 : 0),
      block,
    );
  }

  #cut(index: number, size: number): number {
    const block = this.#free[index] as FreeBlock;
    const rest = { at: block.at + size, bytes: block.bytes - size };
    this.#free.splice(index, 1, ...(rest.bytes > 0 ? [rest] : []));
    return block.at;
  }

  #reserve(size: number): number {
    const at = this.memory.reserve(size + alignment);
    return Math.ceil(at / alignment) * alignment;
  }
}

const leftOver = new FinalizationRegistry<{ heap: KernelHeap; at: number }>(({ heap, at }) =>
  heap.give(at),
);

/** A block that is given back when it is closed, or else when nothing refers to it any more. */
export class HeapBlock {
  readonly at: number;
  readonly length: number;
  readonly #heap: KernelHeap;
  #open = true;

  constructor(heap: KernelHeap, length: number) {
    this.#heap = heap;
    this.length = length;
    this.at = heap.take(length);
    leftOver.register(this, { heap, at: this.at }, this);
  }

  /** Of which heap, while it is open. */
  isOpenIn(heap: KernelHeap): boolean {
    return this.#open && heap === this.#heap;
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    leftOver.unregister(this);
    this.#heap.give(this.at);
  }
}

let own: KernelHeap | undefined;

/** This thread's: memory that one caller gives back is the next one's. */
export function threadHeap(): KernelHeap {
  own ??= new KernelHeap();
  return own;
}
