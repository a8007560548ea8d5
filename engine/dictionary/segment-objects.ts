// Dictionary segments in the store: read whole for tables, or looked up in place. An opened index is
// kept; bytes of keys are not, since tables and results hold what was found.

import type { ByteRange } from '../../base/byte-range.ts';
import { MusterError } from '../../base/errors.ts';
import type { ByteLru } from '../../base/lru.ts';
import type { KeyDomain, KeyHashes, KeyList } from '../../storage-format/key-list.ts';
import { loadSegment } from '../../storage-format/loaded-segment.ts';
import {
  decodeKeys,
  lookup,
  openSegment,
  type SegmentIndex,
} from '../../storage-format/segment-reader.ts';
import type { SegmentRef } from '../batch/batch.ts';
import type { DataObjects } from './data-objects.ts';

export type SegmentIndexCache = ByteLru<SegmentIndex>;

export class SegmentObjects {
  readonly #data: DataObjects;
  readonly #indexes: SegmentIndexCache;

  constructor(data: DataObjects, indexes: SegmentIndexCache) {
    this.#data = data;
    this.#indexes = indexes;
  }

  /** All keys in order of codes: one read. */
  async load(segment: SegmentRef, domain: KeyDomain): Promise<KeyList> {
    const { object, offset, bytes, index } = segment.place;
    const whole = await this.#data.read(object, { start: offset, end: offset + bytes });
    const part = (range: ByteRange) => whole.subarray(range.start - offset, range.end - offset);
    const opened = this.#openBytes(segment, domain, part(index));
    return (await loadSegment(opened, async (range) => part(range))).keys;
  }

  /** Ordinal of each key in the segment, or -1. */
  async lookup(
    segment: SegmentRef,
    domain: KeyDomain,
    asked: { readonly keys: KeyList; readonly hashes: KeyHashes },
  ): Promise<Int32Array> {
    const index = await this.#open(segment, domain);
    return await lookup(index, asked, this.#reader(segment));
  }

  /** Keys of codes of this segment, ascending. */
  async decode(segment: SegmentRef, domain: KeyDomain, codes: Uint32Array): Promise<KeyList> {
    const index = await this.#open(segment, domain);
    const ordinals = codes.map((code) => code - segment.base);
    return await decodeKeys(index, ordinals, this.#reader(segment));
  }

  async #open(segment: SegmentRef, domain: KeyDomain): Promise<SegmentIndex> {
    const { object, offset, checksum } = segment.place;
    const name = `${this.#data.cacheName(object)}@${offset}#${checksum}`;
    const known = this.#indexes.get(name);
    if (known !== undefined) return known;
    const bytes = await this.#data.read(object, segment.place.index);
    const opened = this.#openBytes(segment, domain, bytes);
    this.#indexes.set(name, opened, opened.bytesHeld);
    return opened;
  }

  #openBytes(segment: SegmentRef, domain: KeyDomain, indexBytes: Uint8Array): SegmentIndex {
    const { place, count, hashMin, hashMax } = segment;
    return openSegment(
      indexBytes,
      { ...place, count, hashMin, hashMax, domain },
      this.#data.key(place.object),
    );
  }

  #reader(segment: SegmentRef): (range: ByteRange) => Promise<Uint8Array> {
    return (range) => this.#data.read(segment.place.object, range);
  }
}
