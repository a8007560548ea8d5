// A dictionary segment held in memory whole, just as it lies on disk: keys are decoded by array access
// and found by probing its pages in place, one by one. Nothing is unpacked, nothing waits. Many keys at
// once are found by WebAssembly over the same bytes, whose naive twin `findAll` is.

import { assert } from '../base/assert.ts';
import { typed } from './column-decoder.ts';
import { crc32c } from './crc32c.ts';
import { homePage, probePage, tagOf } from './hash-table.ts';
import { corrupt } from './index-trailer.ts';
import type { KeyHashes, KeyList } from './key-list.ts';
import { openSegment, runOf, type SegmentIndex } from './segment-reader.ts';
import type { SegmentDescription } from './segment-writer.ts';
import { swapUuidHalves, uuidBytes } from './uuid.ts';

/** `bytes`: of the whole segment, at a multiple of 8. Checks every one. */
export function loadSegment(
  bytes: Uint8Array,
  segment: SegmentDescription,
  key: string,
): LoadedSegment {
  if (bytes.length !== segment.bytes) {
    corrupt(key, `envelope: ${bytes.length} of ${segment.bytes} bytes`);
  }
  const { start, end } = segment.index;
  const held = bytes.subarray(start - segment.offset, end - segment.offset);
  const index = openSegment(held, segment, key);
  if (crc32c(bytes) !== segment.checksum) corrupt(key, 'envelope, extents or hash pages');
  return new LoadedSegment(index, bytes);
}

/** Ordinals [start, end), two words each. */
interface WideRun {
  readonly start: number;
  readonly end: number;
  readonly words: Uint32Array;
}

export class LoadedSegment {
  readonly index: SegmentIndex;
  readonly #bytes: Uint8Array;

  constructor(index: SegmentIndex, bytes: Uint8Array) {
    this.index = index;
    this.#bytes = bytes;
  }

  get count(): number {
    return this.index.directory.count;
  }

  /** An estimate, for caches. */
  get bytesHeld(): number {
    return this.#bytes.length + this.index.bytesHeld;
  }

  /** Ordinals of keys, -1 where there is none. */
  findAll(keys: KeyList, hashes: KeyHashes): Int32Array {
    const { table, domain } = this.index.directory;
    assert(keys.domain === domain, `${keys.domain} keys in a ${domain} segment`);
    const pageWords = table.pageBytes / 4;
    const pageAt = (page: number) =>
      typed(this.#part(table.at + page * table.pageBytes, table.pageBytes), Uint32Array, pageWords);
    return Int32Array.from(hashes.low, (low, i) => {
      const high = hashes.high[i]!;
      const tag = keys.domain === 'integer' ? high : tagOf(high, keys.values[i]!.length);
      let page = homePage(low, table.pages);
      for (let visited = 0; visited < table.pages; visited++) {
        const words = pageAt(page);
        const { slots, full } = probePage(words, table, { low, tag });
        for (const at of slots) {
          const ordinal = words[at + 2]! - 1;
          if (keys.domain === 'integer' || this.#is(ordinal, keys.values[i]!)) return ordinal;
        }
        if (!full) break;
        page = page + 1 < table.pages ? page + 1 : 0;
      }
      return -1;
    });
  }

  /** The keys of these ordinals, in their order. */
  decode(ordinals: Uint32Array): KeyList {
    const { domain } = this.index.directory;
    if (domain === 'integer') return { domain, values: this.#integers(ordinals) };
    return { domain, values: Array.from(ordinals, (ordinal) => this.#text(ordinal)) };
  }

  /** All keys in code order. */
  keys(): KeyList {
    if (this.index.directory.domain === 'integer') return this.#allIntegers();
    return this.decode(Uint32Array.from({ length: this.count }, (_, i) => i));
  }

  /** Run by run: tens of times as fast as one by one. */
  #allIntegers(): KeyList {
    const values = new BigUint64Array(this.count);
    const to = new Uint8Array(values.buffer);
    for (const [i, { at, keys }] of this.index.directory.runs.entries()) {
      to.set(this.#part(at, 8 * keys), 8 * this.index.runStarts[i]!);
    }
    return { domain: 'integer', values };
  }

  #integers(ordinals: Uint32Array): BigUint64Array {
    const picked = new BigUint64Array(ordinals.length);
    // In 32-bit halves: a bigint per key would be allocated otherwise.
    const to = new Uint32Array(picked.buffer);
    let run: WideRun = { start: 0, end: 0, words: new Uint32Array(0) };
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i]!;
      if (ordinal < run.start || ordinal >= run.end) run = this.#run(ordinal);
      const at = 2 * (ordinal - run.start);
      to[2 * i] = run.words[at]!;
      to[2 * i + 1] = run.words[at + 1]!;
    }
    return picked;
  }

  #run(ordinal: number): WideRun {
    const number = runOf(this.index, ordinal);
    const { at, keys } = this.index.directory.runs[number]!;
    const start = this.index.runStarts[number]!;
    const words = typed(this.#part(at, 8 * keys), Uint32Array, 2 * keys);
    return { start, end: start + keys, words };
  }

  #text(ordinal: number): string {
    const { directory, runStarts } = this.index;
    const number = runOf(this.index, ordinal);
    const { at, keys } = directory.runs[number]!;
    const within = ordinal - runStarts[number]!;
    if (directory.domain === 'uuid') {
      return swapUuidHalves(this.#latin1(at + uuidBytes * within, uuidBytes));
    }
    const [from, to] = typed(this.#part(at + 4 * within, 8), Int32Array, 2);
    const valuesAt = at + Math.ceil((4 * (keys + 1)) / 8) * 8;
    return this.#latin1(valuesAt + from!, to! - from!);
  }

  #latin1(at: number, length: number): string {
    const { buffer, byteOffset } = this.#bytes;
    return Buffer.from(buffer, byteOffset + at, length).toString('latin1');
  }

  #is(ordinal: number, key: string): boolean {
    return this.#text(ordinal) === key;
  }

  #part(at: number, length: number): Uint8Array {
    return this.#bytes.subarray(at, at + length);
  }
}
