// Writes a dictionary segment: an Arrow IPC file of keys in code order, then the pages of its hash
// index, then our index, then Arrow's footer. SPEC.md, "Dictionary segments". It holds ordinals,
// never codes: code = base (of the catalog's entry) + ordinal.

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
import { isUtf8Column, joinStrings, joinUuids, type RowRange, rawBytes } from './column-encoder.ts';
import { crc32c } from './crc32c.ts';
import { buildTable, type KeyPlaces, tableShape } from './hash-table.ts';
import { indexKinds, sealIndex } from './index-trailer.ts';
import { hashKeys, type KeyDomain, type KeyHashes, type KeyList } from './key-list.ts';
import { encodeSegmentDirectory, type KeyRun } from './segment-directory.ts';
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

/** `keys`: distinct, in code order. `hashes`: theirs, when the caller has them already. */
export function writeSegment(keys: KeyList, hashes: KeyHashes = hashKeys(keys)): WrittenSegment {
  const count = keys.values.length;
  assert(count > 0, 'a segment has keys');
  const file = writeKeys(keys);
  const shape = tableShape(count, keys.domain);
  const pages = buildTable(hashes, shape, file.places);
  const tableAt = file.bytes.length;
  const directory = encodeSegmentDirectory({
    domain: keys.domain,
    count,
    runs: file.runs,
    table: { ...shape, at: tableAt },
  });
  const index = sealIndex(indexKinds.dictionarySegment, new Uint8Array(0), directory);
  const bytes = rawBytes(
    Buffer.concat([file.bytes, pages, index, arrowTail(file.schema, file.blocks)]),
  );
  const indexAt = tableAt + pages.length;
  const start = bytes.length <= wholeBytesMax ? 0 : indexAt;
  return {
    bytes,
    checksum: crc32c(bytes),
    index: { start, end: indexAt + index.length },
    count,
    domain: keys.domain,
    ...hashBounds(hashes),
  };
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

function writeKeys(keys: KeyList) {
  const type = keyType(keys);
  const metadata = new Map([['muster.domain', keys.domain]]);
  const key = { name: 'key', nullable: true, type, children: [], metadata };
  const schema = arrowSchema([key], new Map());
  const chunks: Uint8Array[] = [arrowHead(schema)];
  let length = chunks[0]!.length;
  const runs: KeyRun[] = [];
  const blocks: ArrowBlock[] = [];
  const places = keys.domain === 'integer' ? undefined : emptyPlaces(keys.values.length);
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
    if (places !== undefined) notePlaces(places, { at, rows, offsets: offsetsOf(keys, buffers) });
    chunks.push(message, ...body.finish());
    length = at + body.length;
  }
  chunks.push(arrowEndOfStream());
  return { bytes: Buffer.concat(chunks), runs, blocks, schema, places };
}

function emptyPlaces(count: number): KeyPlaces {
  return { at: new Uint32Array(count), lengths: new Uint32Array(count) };
}

interface KeyOffsets {
  /** Of the values, in the extent. */
  readonly valuesAt: number;
  /** Of each key in the values, and the end of the last one; undefined: 16 bytes each. */
  readonly offsets: Int32Array | undefined;
}

function offsetsOf(keys: KeyList, buffers: readonly Uint8Array[]): KeyOffsets {
  const [, offsets] = buffers;
  if (keys.domain === 'uuid' || offsets === undefined) return { valuesAt: 0, offsets: undefined };
  const words = new Int32Array(offsets.buffer, offsets.byteOffset, offsets.length / 4);
  return { valuesAt: Math.ceil(offsets.length / 8) * 8, offsets: words };
}

/** Where the bytes of a run's keys lie. */
function notePlaces(
  places: KeyPlaces,
  run: { readonly at: number; readonly rows: RowRange; readonly offsets: KeyOffsets },
): void {
  const { start, end } = run.rows;
  const { valuesAt, offsets } = run.offsets;
  for (let i = start; i < end; i++) {
    const from = offsets === undefined ? uuidBytes * (i - start) : offsets[i - start]!;
    const to = offsets === undefined ? from + uuidBytes : offsets[i - start + 1]!;
    places.at[i] = run.at + valuesAt + from;
    places.lengths[i] = to - from;
  }
}

function keyType(keys: KeyList): ArrowType {
  if (keys.domain === 'integer') return { kind: 'int', bits: 64, signed: false };
  if (keys.domain === 'uuid') return { kind: 'fixedBinary', bytes: uuidBytes };
  return { kind: isUtf8Column({ kind: 'string', values: keys.values }) ? 'utf8' : 'binary' };
}

function keyBuffers(keys: KeyList, rows: RowRange): Uint8Array[] {
  const valid = new Uint8Array(0);
  if (keys.domain === 'integer') {
    return [valid, rawBytes(keys.values.subarray(rows.start, rows.end))];
  }
  const values = keys.values.slice(rows.start, rows.end);
  if (keys.domain === 'uuid') return [valid, joinUuids(values)];
  const { offsets, bytes } = joinStrings(values);
  return [valid, rawBytes(offsets), bytes];
}

function cutRuns(keys: KeyList): RowRange[] {
  const runs: RowRange[] = [];
  let start = 0;
  let bytes = 0;
  for (let i = 0; i < keys.values.length; i++) {
    const size = keys.domain === 'integer' ? 8 : keys.values[i]!.length;
    if (i > start && (i - start >= runKeysMax || bytes + size > runBytesMax)) {
      runs.push({ start, end: i });
      start = i;
      bytes = 0;
    }
    bytes += size;
  }
  runs.push({ start, end: keys.values.length });
  return runs;
}

function hashBounds(hashes: KeyHashes): { hashMin: number; hashMax: number } {
  let hashMin = 0xffff_ffff;
  let hashMax = 0;
  for (const high of hashes.high) {
    if (high < hashMin) hashMin = high;
    if (high > hashMax) hashMax = high;
  }
  return { hashMin, hashMax };
}
