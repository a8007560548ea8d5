// A dictionary segment held in memory whole, for ingest and hot dictionaries: its hash index is
// probed in place, as it lies on disk, and keys are decoded by array access. Nothing waits.

import { assert } from '../base/assert.ts';
import { typed } from './column-decoder.ts';
import { type RangeReader, readExtents } from './extent-reader.ts';
import { homePage, startSlot } from './hash-table.ts';
import type { KeyHashes, KeyList } from './key-list.ts';
import { decodeRun, type SegmentIndex, wantPages, wantRun } from './segment-reader.ts';

/** Reads all keys and pages, side by side. */
export async function loadSegment(index: SegmentIndex, read: RangeReader): Promise<LoadedSegment> {
  const { runs, table } = index.directory;
  const wanted = [wantPages(index, 0, table.pages), ...runs.map(wantRun)];
  const [pages, ...extents] = await readExtents(index.part, wanted, read);
  assert(pages !== undefined, 'pages were read');
  const keys = joinKeys(extents.map((bytes, i) => decodeRun(index, runs[i]!, bytes)));
  return new LoadedSegment(index, typed(pages, Uint32Array, pages.length / 4), keys);
}

class LoadedSegment {
  /** All keys in code order. */
  readonly keys: KeyList;
  readonly #words: Uint32Array;
  readonly #pages: number;
  readonly #slots: number;
  readonly #pageWords: number;

  constructor(index: SegmentIndex, words: Uint32Array, keys: KeyList) {
    const { table } = index.directory;
    this.keys = keys;
    this.#words = words;
    this.#pages = table.pages;
    this.#slots = table.slots;
    this.#pageWords = table.pageBytes / 4;
  }

  get count(): number {
    return this.keys.values.length;
  }

  /** An estimate, for caches. */
  get bytesHeld(): number {
    const perString = 64;
    const { keys } = this;
    const keyBytes =
      keys.domain === 'integer' ? keys.values.byteLength : keys.values.length * perString;
    return this.#words.byteLength + keyBytes;
  }

  /** The ordinal of the integer key with this hash, or -1. */
  find(hashLow: number, hashHigh: number): number {
    return this.#probe(hashLow, hashHigh, undefined);
  }

  /** The ordinal of a string or UUID with this hash, or -1. */
  findString(key: string, hashLow: number, hashHigh: number): number {
    return this.#probe(hashLow, hashHigh, key);
  }

  /** Ordinals of many keys, -1 where there is none. About 60 ns a key in a table of 10 M. */
  findAll(keys: KeyList, hashes: KeyHashes): Int32Array {
    assert(
      keys.domain === this.keys.domain,
      `${keys.domain} keys in a ${this.keys.domain} segment`,
    );
    const found = new Int32Array(keys.values.length);
    const strings = keys.domain === 'integer' ? undefined : keys.values;
    for (let i = 0; i < found.length; i++) {
      found[i] = this.#probe(hashes.low[i]!, hashes.high[i]!, strings?.[i]);
    }
    return found;
  }

  /** The keys of these ordinals, in their order. */
  decode(ordinals: Uint32Array): KeyList {
    const { keys } = this;
    if (keys.domain !== 'integer') {
      return { domain: keys.domain, values: Array.from(ordinals, (i) => keys.values[i]!) };
    }
    return { domain: 'integer', values: pickWide(keys.values, ordinals) };
  }

  #probe(low: number, high: number, text: string | undefined): number {
    const words = this.#words;
    const slots = this.#slots;
    const start = startSlot(high, slots);
    let page = homePage(low, this.#pages);
    for (let visited = 0; visited < this.#pages; visited++) {
      const base = page * this.#pageWords;
      let slot = start;
      for (let n = 0; n < slots; n++) {
        const at = base + 3 * slot;
        const ordinal = words[at + 2]!;
        if (ordinal === 0) return -1;
        if (words[at] === low && words[at + 1] === high && this.#is(ordinal - 1, text)) {
          return ordinal - 1;
        }
        slot = slot + 1 < slots ? slot + 1 : 0;
      }
      page = page + 1 < this.#pages ? page + 1 : 0;
    }
    return -1;
  }

  #is(ordinal: number, text: string | undefined): boolean {
    return text === undefined || this.keys.values[ordinal] === text;
  }
}

// In 32-bit halves: a bigint per key would be allocated otherwise.
function pickWide(values: BigUint64Array, ordinals: Uint32Array): BigUint64Array {
  const from = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  const picked = new BigUint64Array(ordinals.length);
  const to = new Uint32Array(picked.buffer);
  for (let i = 0; i < ordinals.length; i++) {
    const at = 2 * ordinals[i]!;
    to[2 * i] = from[at]!;
    to[2 * i + 1] = from[at + 1]!;
  }
  return picked;
}

function joinKeys(runs: readonly KeyList[]): KeyList {
  const [first] = runs;
  assert(first !== undefined, 'a segment has runs');
  if (runs.length === 1) return first;
  const count = runs.reduce((sum, run) => sum + run.values.length, 0);
  if (first.domain !== 'integer') {
    const strings: string[] = [];
    for (const run of runs) {
      if (run.domain !== 'integer') for (const value of run.values) strings.push(value);
    }
    return { domain: first.domain, values: strings };
  }
  const values = new BigUint64Array(count);
  let at = 0;
  for (const run of runs) {
    if (run.domain === 'integer') values.set(run.values, at);
    at += run.values.length;
  }
  return { domain: 'integer', values };
}
