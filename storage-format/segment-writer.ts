// Writes a dictionary segment: an Arrow IPC file of keys in code order, then the pages of its hash
// index, then our index, then Arrow's footer. SPEC.md, "Dictionary segments". It holds ordinals,
// never codes: code = base (of the catalog's entry) + ordinal.

import { isUtf8 } from 'node:buffer';
import { assert } from '../base/assert.ts';
import type { ByteRange } from '../base/byte-range.ts';
import {
  type ArrowBlock,
  type ArrowType,
  arrowEndOfStream,
  arrowHead,
  arrowSchema,
  arrowTail,
} from './arrow-envelope.ts';
import { BatchBody } from './batch-body.ts';
import { type RowRange, rawBytes } from './column-encoder.ts';
import { joinedCrc } from './crc-join.ts';
import { crc32c } from './crc32c.ts';
import { type KeyPlaces, tableShape } from './hash-table.ts';
import { indexKinds, sealIndex } from './index-trailer.ts';
import type { KeyDomain, KeyList } from './key-list.ts';
import { type PackedKeys, packStrings } from './packed-keys.ts';
import { encodeSegmentDirectory, type KeyRun } from './segment-directory.ts';
import { makePages, type PreparedPages } from './segment-pages.ts';
import type { PartStart } from './stripe-writer.ts';
import { uuidBytes } from './uuid.ts';

interface SegmentFacts {
  readonly checksum: number;
  readonly count: number;
  readonly domain: KeyDomain;
  /** Least and greatest high half of the keys' hashes. */
  readonly hashMin: number;
  readonly hashMax: number;
  /** One read of this range opens the segment. */
  readonly index: ByteRange;
}

/** `index` is relative to the segment's first byte. */
interface WrittenSegment extends SegmentFacts {
  readonly bytes: Uint8Array;
}

export interface SegmentInPieces extends SegmentFacts {
  readonly pieces: readonly Uint8Array[];
  /** Of all pieces. */
  readonly length: number;
}

/**
 * What the catalog keeps about a segment, beside the base and the group of its codes. `index` is
 * relative to the object.
 */
export interface SegmentDescription extends SegmentFacts, PartStart {
  readonly bytes: number;
}

/** One key is decoded by reading one run: not too large; each costs the index 20 bytes: not too small. */
const runKeysMax = 8 * 1024;
const runBytesMax = 64 * 1024;
/** A segment up to this is fetched whole when it is opened. */
const wholeBytesMax = 16 * 1024;
/** Places in it are 32 bits. */
const segmentBytesMax = 0xffff_ffff;
/** Of one step. */
const stepRuns = 128;

/** Distinct, in code order. */
export type SegmentKeys =
  | KeyList
  | { readonly domain: 'string' | 'uuid'; readonly packed: PackedKeys };

/** `prepared`: pages that hold these keys already. */
export function writeSegment(keys: SegmentKeys, prepared?: PreparedPages): WrittenSegment {
  const steps = segmentSteps(keys, prepared);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return inOnePiece(value);
  }
}

/**
 * The same in steps of some milliseconds, for large segments, and its bytes as they were made: keys are a
 * part of them, and so are pages that were sealed before. `pause` is awaited between steps.
 */
export async function writeSegmentInPieces(
  keys: SegmentKeys,
  pause: () => Promise<void>,
  prepared?: PreparedPages,
): Promise<SegmentInPieces> {
  const steps = segmentSteps(keys, prepared);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await pause();
  }
}

function inOnePiece({ pieces, length, ...facts }: SegmentInPieces): WrittenSegment {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return { bytes, ...facts };
}

function* segmentSteps(
  keys: SegmentKeys,
  prepared: PreparedPages | undefined,
): Generator<void, SegmentInPieces> {
  const stored = storedKeys(keys);
  const { domain, count, values } = stored;
  assert(count > 0, 'a segment has keys');
  const file = yield* keySteps(stored);
  const shape = tableShape(count, domain);
  const indexAt = file.length + shape.pages * shape.pageBytes;
  const table = { ...shape, at: file.length };
  const directory = encodeSegmentDirectory({ domain, count, runs: file.runs, table });
  const index = sealIndex(indexKinds.dictionarySegment, new Uint8Array(0), directory);
  const tail = arrowTail(file.schema, file.blocks);
  const length = indexAt + index.length + tail.length;
  assert(length <= segmentBytesMax, `a segment of ${length} bytes`);
  const request = { shape, keys: values, places: file.places, prepared };
  const { pages, checksum, hashMin, hashMax } = yield* makePages(request);
  const withPages = joinedCrc(file.checksum, checksum, pages.length);
  return {
    pieces: [...file.chunks, pages, index, tail],
    length,
    checksum: crc32c(tail, crc32c(index, withPages)),
    index: { start: length <= wholeBytesMax ? 0 : indexAt, end: indexAt + index.length },
    count,
    domain,
    hashMin,
    hashMax,
  };
}

interface StoredKeys {
  readonly domain: KeyDomain;
  readonly count: number;
  readonly values: BigUint64Array | PackedKeys;
}

function storedKeys(keys: SegmentKeys): StoredKeys {
  const { domain } = keys;
  if (domain === 'integer') return { domain, count: keys.values.length, values: keys.values };
  const values = 'packed' in keys ? keys.packed : packStrings(keys);
  return { domain, count: values.offsets.length - 1, values };
}

/** The description of a segment that was put into an object. */
export function describeSegment(written: WrittenSegment, place: PartStart): SegmentDescription {
  const { bytes, index, ...rest } = written;
  return {
    ...place,
    ...rest,
    bytes: bytes.length,
    index: { start: place.offset + index.start, end: place.offset + index.end },
  };
}

interface KeyFile {
  readonly chunks: readonly Uint8Array[];
  readonly length: number;
  /** Of all chunks. */
  readonly checksum: number;
  readonly runs: readonly KeyRun[];
  readonly blocks: readonly ArrowBlock[];
  readonly schema: ReturnType<typeof arrowSchema>;
  readonly places: KeyPlaces | undefined;
}

function* keySteps(keys: StoredKeys): Generator<void, KeyFile> {
  const metadata = new Map([['muster.domain', keys.domain]]);
  const key = { name: 'key', nullable: true, type: keyType(keys), children: [], metadata };
  const schema = arrowSchema([key], new Map());
  const chunks: Uint8Array[] = [arrowHead(schema)];
  let length = chunks[0]!.length;
  let whole = crc32c(chunks[0]!);
  const runs: KeyRun[] = [];
  const blocks: ArrowBlock[] = [];
  const places = keys.domain === 'integer' ? undefined : emptyPlaces(keys.count);
  for (const rows of cutRuns(keys)) {
    const body = new BatchBody();
    body.beginExtent();
    const buffers = keyBuffers(keys, rows);
    body.node(rows.end - rows.start, 0);
    for (const buffer of buffers) body.buffer(buffer);
    const { bytes, checksum } = body.endExtent();
    const message = body.message(rows.end - rows.start);
    blocks.push({ offset: length, metadataLength: message.length, bodyLength: body.length });
    const at = length + message.length;
    const lengths = buffers.map((buffer) => buffer.length);
    runs.push({ keys: rows.end - rows.start, at, bytes, checksum, buffers: lengths });
    if (places !== undefined) notePlaces(places, { at, rows, buffers, keys });
    chunks.push(message, ...body.finish());
    assert(body.length === bytes, 'a run is one extent');
    whole = joinedCrc(crc32c(message, whole), checksum, bytes);
    length = at + body.length;
    if (runs.length % stepRuns === 0) yield;
  }
  const end = arrowEndOfStream();
  chunks.push(end);
  const checksum = crc32c(end, whole);
  return { chunks, length: length + end.length, checksum, runs, blocks, schema, places };
}

function emptyPlaces(count: number): KeyPlaces {
  return { at: new Uint32Array(count), lengths: new Uint32Array(count) };
}

/** Where the bytes of a run's keys lie: behind its offsets, where it has any. */
function notePlaces(
  places: KeyPlaces,
  run: {
    readonly at: number;
    readonly rows: RowRange;
    readonly buffers: readonly Uint8Array[];
    readonly keys: StoredKeys;
  },
): void {
  const { at, rows, buffers, keys } = run;
  if (keys.values instanceof BigUint64Array) return;
  const { offsets } = keys.values;
  const before = keys.domain === 'uuid' ? 0 : Math.ceil(buffers[1]!.length / 8) * 8;
  const first = offsets[rows.start]!;
  for (let i = rows.start; i < rows.end; i++) {
    places.at[i] = at + before + offsets[i]! - first;
    places.lengths[i] = offsets[i + 1]! - offsets[i]!;
  }
}

function keyType({ domain, values }: StoredKeys): ArrowType {
  if (values instanceof BigUint64Array) return { kind: 'int', bits: 64, signed: false };
  if (domain === 'uuid') return { kind: 'fixedBinary', bytes: uuidBytes };
  return { kind: allUtf8(values) ? 'utf8' : 'binary' };
}

/** Whether every key is UTF-8: all bytes are, and no key begins inside a character. */
function allUtf8({ bytes, offsets }: PackedKeys): boolean {
  if (!isUtf8(bytes)) return false;
  return offsets.every((at) => at >= bytes.length || (bytes[at]! & 0xc0) !== 0x80);
}

function keyBuffers({ domain, values }: StoredKeys, rows: RowRange): Uint8Array[] {
  const valid = new Uint8Array(0);
  if (values instanceof BigUint64Array) {
    return [valid, rawBytes(values.subarray(rows.start, rows.end))];
  }
  const first = values.offsets[rows.start]!;
  const bytes = values.bytes.subarray(first, values.offsets[rows.end]);
  if (domain === 'uuid') return [valid, bytes];
  const offsets = Int32Array.from(
    values.offsets.subarray(rows.start, rows.end + 1),
    (at) => at - first,
  );
  return [valid, rawBytes(offsets), bytes];
}

function* cutRuns({ count, values }: StoredKeys): Generator<RowRange> {
  if (values instanceof BigUint64Array) {
    for (let start = 0; start < count; start += runKeysMax) {
      yield { start, end: Math.min(start + runKeysMax, count) };
    }
    return;
  }
  let start = 0;
  let bytes = 0;
  for (let i = 0; i < count; i++) {
    const size = values.offsets[i + 1]! - values.offsets[i]!;
    if (i > start && (i - start >= runKeysMax || bytes + size > runBytesMax)) {
      yield { start, end: i };
      start = i;
      bytes = 0;
    }
    bytes += size;
  }
  yield { start, end: count };
}
