// Large sets that are intersected again and again, held as plain bitsets beside their bitmaps: up to 6 %
// of a container roaring keeps sorted arrays, and counts what two long ones share three times as slowly
// as these bitsets (short ones faster). Trees of operators are counted over them too (hot-trees.ts). Bits
// lie in kernel memory, within a budget; they go when their set does. Nothing depends on what is held.

import { KernelMemory } from '../kernels/kernel-memory.ts';
import { readPortableHeader } from './portable-roaring.ts';

/** What is needed of a bitmap: bitmap.ts alone knows roaring. */
export interface Bitmap {
  readonly size: number;
  minimum(): number;
  maximum(): number;
  serialize(format: 'portable'): Uint8Array;
}

export const pageBytes = 8192;
const pageCodes = 65536;
/** To make bits costs as much as a few counts. */
const usesMin = 4;
/** Members of a page from which, and up to which, roaring's own way is slow (bench/kernels-bench). */
const slowFrom = 1900;
const slowTo = 4096;
/** Of one thread. */
const bytesMax = 96 * 1024 * 1024;

/** Bits of pages [firstPage, firstPage + pages), at a multiple of 16 of kernel memory. */
export interface Held {
  readonly at: number;
  readonly firstPage: number;
  readonly pages: number;
}

interface Heat {
  uses: number;
  held?: Held | undefined;
}

class HotBits {
  readonly kernels = new KernelMemory();
  readonly #heat = new WeakMap<Bitmap, Heat>();
  /** Room given back, by pages. */
  readonly #free = new Map<number, number[]>();
  readonly #gone = new FinalizationRegistry<Held>(({ at, pages }) => {
    this.#free.set(pages, [...(this.#free.get(pages) ?? []), at]);
  });

  /** |a and b|, or undefined where roaring is to be asked. */
  andCardinality(a: Bitmap, b: Bitmap): number | undefined {
    const first = this.#warm(a);
    const second = this.#warm(b);
    if (Math.min(first.uses, second.uses) < usesMin || !(isSlow(a) || isSlow(b))) return undefined;
    const left = (first.held ??= this.#hold(a));
    const right = (second.held ??= this.#hold(b));
    if (left === undefined || right === undefined) return undefined;
    const start = Math.max(left.firstPage, right.firstPage);
    const end = Math.min(left.firstPage + left.pages, right.firstPage + right.pages);
    if (start >= end) return 0;
    return this.kernels.calls.countAnd(
      left.at + (start - left.firstPage) * pageBytes,
      right.at + (start - right.firstPage) * pageBytes,
      (end - start) * pageBytes,
    );
  }

  /** Its bits, once it was used a few times, and where there is room. */
  warmed(set: Bitmap): Held | undefined {
    const heat = this.#warm(set);
    if (heat.uses < usesMin) return undefined;
    return (heat.held ??= this.#hold(set));
  }

  #warm(set: Bitmap): Heat {
    const heat = this.#heat.get(set) ?? { uses: 0 };
    if (heat.uses++ === 0) this.#heat.set(set, heat);
    return heat;
  }

  #hold(set: Bitmap): Held | undefined {
    // An operator's result is a bitmap even where nothing is left: its bounds are the wrong way round.
    if (set.size === 0) return { at: 0, firstPage: 0, pages: 0 };
    const firstPage = Math.floor(set.minimum() / pageCodes);
    const pages = pagesOf(set);
    const at = this.#room(pages);
    if (at === undefined) return undefined;
    const bytes = set.serialize('portable');
    const header = readPortableHeader(bytes);
    const directoryBytes = 16 * header.containers;
    const scratch = this.kernels.scratch(directoryBytes + bytes.length);
    const directory = this.kernels.u32(scratch, 4 * header.containers);
    for (let i = 0; i < header.containers; i++) {
      const { keys, cardinalities, starts, isRun } = header;
      directory.set([keys[i]!, cardinalities[i]!, starts[i]!, isRun[i]!], 4 * i);
    }
    const from = scratch + directoryBytes;
    this.kernels.u8(from, bytes.length).set(bytes);
    this.kernels.calls.orContainers(at, firstPage, from, scratch, header.containers);
    const held = { at, firstPage, pages };
    this.#gone.register(set, held);
    return held;
  }

  /** Zeros. */
  #room(pages: number): number | undefined {
    const known = this.#free.get(pages)?.pop();
    if (known !== undefined) {
      this.kernels.u8(known, pages * pageBytes).fill(0);
      return known;
    }
    const isFull = this.kernels.bytes + pages * pageBytes > bytesMax;
    return isFull ? undefined : this.kernels.reserve(pages * pageBytes);
  }
}

/** 0 for the empty set. */
export function pagesOf(set: Bitmap): number {
  if (set.size === 0) return 0;
  return Math.floor(set.maximum() / pageCodes) - Math.floor(set.minimum() / pageCodes) + 1;
}

function isSlow(set: Bitmap): boolean {
  const perPage = set.size / pagesOf(set);
  return slowFrom <= perPage && perPage <= slowTo;
}

let own: HotBits | undefined;

/** This thread's. */
export function hotBits(): HotBits {
  own ??= new HotBits();
  return own;
}
