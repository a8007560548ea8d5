// Dictionary segments in the store: read whole for tables, or looked up in place. An opened index is
// kept; bytes of keys are not, since tables and results hold what was found.

import type { ByteRange } from '../../base/byte-range.ts';
import { MusterError } from '../../base/errors.ts';
import type { ByteLru } from '../../base/lru.ts';
import type { KeyDomain, KeyHashes, KeyList } from '../../storage-format/key-list.ts';
import { loadSegment } from '../../storage-format/loaded-segment.ts';
import { lookupKeys, type SegmentSource } from '../../storage-format/segment-lookup.ts';
import { decodeKeys, openSegment, type SegmentIndex } from '../../storage-format/segment-reader.ts';
import type { SegmentDescription } from '../../storage-format/segment-writer.ts';
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
    const { object, offset, bytes } = segment.place;
    const whole = await this.#data.read(object, { start: offset, end: offset + bytes });
    return loadSegment(whole, description(segment, domain), this.#data.key(object)).keys();
  }

  /** Ordinal of each key in the segment, or -1. Rounds and reads: see segment-lookup.ts. */
  async lookup(
    segment: SegmentRef,
    domain: KeyDomain,
    asked: { readonly keys: KeyList; readonly hashes: KeyHashes },
  ): Promise<Int32Array> {
    const source: SegmentSource = {
      segment: description(segment, domain),
      key: this.#data.key(segment.place.object),
      read: this.#reader(segment),
      index: () => this.#open(segment, domain),
    };
    return await lookupKeys(source, asked);
  }

  /** Keys of codes of this segment, ascending. Two rounds, or one where its index is known. */
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
    const opened = openSegment(bytes, description(segment, domain), this.#data.key(object));
    this.#indexes.set(name, opened, opened.bytesHeld);
    return opened;
  }

  #reader(segment: SegmentRef): (range: ByteRange) => Promise<Uint8Array> {
    return (range) => this.#data.read(segment.place.object, range);
  }
}

function description(segment: SegmentRef, domain: KeyDomain): SegmentDescription {
  const { place, count, hashMin, hashMax } = segment;
  return { ...place, count, hashMin, hashMax, domain };
}
