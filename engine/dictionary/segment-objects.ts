// Dictionary segments in the store: loaded whole into WebAssembly memory, or looked up in place by small
// reads. Opened indexes and small reads are kept, so that asking for the same ids again costs nothing.

import type { ByteRange } from '../../base/byte-range.ts';
import type { ByteLru } from '../../base/lru.ts';
import type { KeyDomain, KeyHashes, KeyList } from '../../storage-format/key-list.ts';
import { lookupKeys } from '../../storage-format/segment-lookup.ts';
import { decodeKeys, openSegment, type SegmentIndex } from '../../storage-format/segment-reader.ts';
import type { SegmentDescription } from '../../storage-format/segment-writer.ts';
import type { SegmentRef } from '../batch/batch.ts';
import type { DataObjects } from './data-objects.ts';
import type { LoadedSegments } from './loaded-segments.ts';

export interface SegmentCaches {
  readonly loaded: LoadedSegments;
  readonly indexes: ByteLru<SegmentIndex>;
  /** Pages, keys and runs of segments that are looked up in place. */
  readonly reads: ByteLru<Uint8Array>;
}

/** Read side by side when a segment is loaded, all in one round, and checked one after the other. */
const pieceBytesMin = 4 * 1024 * 1024;
const piecesMax = 16;
/** Larger reads in place are not kept. */
const keptBytesMax = 128 * 1024;

export class SegmentObjects {
  readonly #data: DataObjects;
  readonly #caches: SegmentCaches;

  constructor(data: DataObjects, caches: SegmentCaches) {
    this.#data = data;
    this.#caches = caches;
  }

  /** Two segments of one name have the same bytes. */
  name({ place }: SegmentRef): string {
    return `${this.#data.cacheName(place.object)}@${place.offset}#${place.checksum}`;
  }

  /** One round of reads: all pieces are asked for without waiting for one another. */
  async load(segment: SegmentRef, domain: KeyDomain): Promise<void> {
    await this.#caches.loaded.load(this.name(segment), {
      description: description(segment, domain),
      key: this.#data.key(segment.place.object),
      pieces: this.#pieces(segment),
    });
  }

  /** Ordinal of each key in the segment, or -1. Rounds and reads: see segment-lookup.ts. */
  async lookup(
    segment: SegmentRef,
    domain: KeyDomain,
    asked: { readonly keys: KeyList; readonly hashes: KeyHashes },
  ): Promise<Int32Array> {
    const source = {
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
    return await decodeKeys(index, ordinalsOf(codes, segment.base), this.#reader(segment));
  }

  async #open(segment: SegmentRef, domain: KeyDomain): Promise<SegmentIndex> {
    const name = this.name(segment);
    const known = this.#caches.indexes.get(name);
    if (known !== undefined) return known;
    const bytes = await this.#data.read(segment.place.object, segment.place.index);
    const key = this.#data.key(segment.place.object);
    const opened = openSegment(bytes, description(segment, domain), key);
    this.#caches.indexes.set(name, opened, opened.bytesHeld);
    return opened;
  }

  #reader(segment: SegmentRef): (range: ByteRange) => Promise<Uint8Array> {
    const { reads } = this.#caches;
    return async (range) => {
      const name = `${this.name(segment)}:${range.start}-${range.end}`;
      const known = reads.get(name);
      if (known !== undefined) return known;
      const bytes = await this.#data.read(segment.place.object, range);
      if (bytes.length <= keptBytesMax) reads.set(name, bytes, bytes.length + name.length);
      return bytes;
    };
  }

  async *#pieces({ place }: SegmentRef): AsyncGenerator<Uint8Array> {
    const end = place.offset + place.bytes;
    const pieceBytes = Math.max(pieceBytesMin, Math.ceil(place.bytes / piecesMax));
    const asked: Promise<Uint8Array>[] = [];
    for (let start = place.offset; start < end; start += pieceBytes) {
      const range = { start, end: Math.min(start + pieceBytes, end) };
      const reading = this.#data.readForAll(place.object, range);
      // Whoever waits for it hears of its failure.
      reading.catch(() => undefined);
      asked.push(reading);
    }
    for (const piece of asked) yield await piece;
  }
}

/** A loop of its own: a third of the time of `map`. */
export function ordinalsOf(codes: Uint32Array, base: number): Uint32Array {
  const ordinals = new Uint32Array(codes.length);
  for (let i = 0; i < codes.length; i++) ordinals[i] = (codes[i] as number) - base;
  return ordinals;
}

function description(segment: SegmentRef, domain: KeyDomain): SegmentDescription {
  const { place, count, hashMin, hashMax } = segment;
  return { ...place, count, hashMin, hashMax, domain };
}
