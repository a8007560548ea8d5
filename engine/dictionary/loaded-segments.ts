// Segments held whole in WebAssembly memory, least recently used ones leaving when a budget is passed.
// Nothing correct depends on what is here. A segment that calls work on is pinned: it stays.

import type { BulkTables } from './bulk-tables.ts';
import { type KernelSegment, placeSegment, type SegmentPieces } from './kernel-segments.ts';

interface Entry {
  readonly segment: KernelSegment;
  readonly bytes: number;
  pins: number;
}

export class LoadedSegments {
  readonly tables: BulkTables;
  readonly #bytesMax: number;
  readonly #entries = new Map<string, Entry>();
  readonly #loading = new Map<string, Promise<void>>();
  /** What look-ups in place have read of segments that are not here: see `rent`. */
  readonly #rents = new Map<string, number>();
  #bytes = 0;

  constructor(tables: BulkTables, bytesMax: number) {
    this.tables = tables;
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Of all segments held. */
  get bytesMax(): number {
    return this.#bytesMax;
  }

  fits(bytes: number): boolean {
    return bytes <= this.#bytesMax;
  }

  /**
   * Whether a segment should be loaded now that so many bytes more of it would be read in place: when
   * all such reads together would have paid for it. Never more than twice the best choice.
   */
  rent(name: string, bytes: number, whole: number): boolean {
    const paid = (this.#rents.get(name) ?? 0) + bytes;
    if (paid >= whole && this.fits(whole)) {
      this.#rents.delete(name);
      return true;
    }
    this.#rents.set(name, paid);
    // Oldest first: forgetting one costs a few reads.
    for (const oldest of this.#rents.keys()) {
      if (this.#rents.size <= rentsMax) break;
      this.#rents.delete(oldest);
    }
    return false;
  }

  /** Nothing where it is here, or on its way, already. */
  async load(name: string, source: SegmentPieces): Promise<void> {
    if (this.#entries.has(name)) return;
    const known = this.#loading.get(name);
    if (known !== undefined) return known;
    const loading = this.#place(name, source).finally(() => this.#loading.delete(name));
    this.#loading.set(name, loading);
    return loading;
  }

  /** Works with those of the named segments that are here; they stay until `work` has ended. */
  async using<T>(
    names: readonly string[],
    work: (here: ReadonlyMap<string, KernelSegment>) => Promise<T>,
  ): Promise<T> {
    const pinned: Entry[] = [];
    const here = new Map<string, KernelSegment>();
    for (const name of names) {
      const entry = this.#entries.get(name);
      if (entry === undefined) continue;
      this.#entries.delete(name);
      this.#entries.set(name, entry);
      entry.pins++;
      pinned.push(entry);
      here.set(name, entry.segment);
    }
    try {
      return await work(here);
    } finally {
      for (const entry of pinned) entry.pins--;
      this.#evict();
    }
  }

  async #place(name: string, source: SegmentPieces): Promise<void> {
    const segment = await placeSegment(this.tables.heap, source);
    const { bytes } = source.description;
    this.#entries.set(name, { segment, bytes, pins: 0 });
    this.#bytes += bytes;
    this.#evict(name);
  }

  #evict(newest?: string): void {
    for (const [name, entry] of this.#entries) {
      if (this.#bytes <= this.#bytesMax) break;
      if (entry.pins > 0 || name === newest) continue;
      this.#entries.delete(name);
      this.#bytes -= entry.bytes;
      this.tables.heap.give(entry.segment.at);
    }
  }
}

const rentsMax = 4096;
