// The large form of 64-bit ids in ClickHouse's states: a map from high halves to portable bitmaps.
//
//   u64 buckets | buckets x (u32 high half, portable bitmap of low halves), high halves ascending
//
// Random ids make a bucket of one id each, 22 bytes long. Those are read and written in place, which
// is forty times faster than through a bitmap: sparse ids are what people bring.

import { assert } from '../base/assert.ts';
import { ByteReader, type Refusal } from '../base/byte-reader.ts';
import { ByteWriter } from '../base/byte-writer.ts';
import { MusterError } from '../base/errors.ts';
import { grownArray } from '../base/grown-array.ts';
import { encodePortable } from './bitmap.ts';
import { refuseTooMany } from './members-max.ts';
import { checkPortable, portableCodes, readPortableHeader } from './portable-roaring.ts';

/** high half, cookie, containers, key, cardinality - 1, offset of the container, value. */
const loneBucketBytes = 22;
const cookie = 12346;
const loneOffset = 16;

/** `ids` ascend as unsigned numbers, without repeats. */
export function encodeWideMap(ids: BigUint64Array): Uint8Array {
  const halves = new Uint32Array(ids.buffer, ids.byteOffset, ids.length * 2);
  const writer = new ByteWriter(8 + loneBucketBytes * ids.length);
  let buckets = 0;
  writer.u64(0n);
  for (let start = 0; start < ids.length; ) {
    const high = halves[2 * start + 1]!;
    let end = start + 1;
    while (end < ids.length && halves[2 * end + 1] === high) end++;
    assert(end === ids.length || halves[2 * end + 1]! > high, 'ids of a state do not ascend');
    writer.u32(high);
    if (end - start === 1) writeLone(writer, halves[2 * start]!);
    else writer.raw(encodePortable(lowHalves(halves, start, end)));
    buckets++;
    start = end;
  }
  writer.setU32(0, buckets);
  return writer.finish();
}

function writeLone(writer: ByteWriter, low: number): void {
  writer.u32(cookie);
  writer.u32(1);
  writer.u16(low >>> 16);
  writer.u16(0);
  writer.u32(loneOffset);
  writer.u16(low & 0xffff);
}

function lowHalves(halves: Uint32Array, start: number, end: number): Uint32Array {
  const low = new Uint32Array(end - start);
  for (let i = 0; i < low.length; i++) low[i] = halves[2 * (start + i)]!;
  return low;
}

/**
 * `payload` is exactly one map. Throws the refusal's error for whatever is none, and
 * MEMORY_LIMIT_EXCEEDED before it reads more than `membersMax`.
 */
export function decodeWideMap(payload: Uint8Array, refusal: Refusal): BigUint64Array {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length);
  const reader = new ByteReader(payload, refusal);
  // More than 2^53 of them end early all the same.
  const buckets = Number(reader.u64());
  const ids = new GrowingIds(Math.ceil(payload.length / loneBucketBytes));
  let at = reader.at;
  let previous = -1;
  let bounded = false;
  for (let i = 0; i < buckets; i++) {
    const lone = isLoneBucket(view, at);
    reader.at = at;
    const high = lone ? view.getUint32(at, true) : reader.u32();
    if (high <= previous) reader.refuse(`has high half ${high} after ${previous}`);
    previous = high;
    if (lone) {
      const low = (view.getUint16(at + 12, true) << 16) | view.getUint16(at + 20, true);
      ids.push(low >>> 0, high);
      at += loneBucketBytes;
      continue;
    }
    if (!bounded) refuseTooMany(i + promisedMembers(payload, at));
    bounded = true;
    at = readBucket(reader, payload, { high, ids });
  }
  if (at < payload.length) reader.refuse(`has ${payload.length - at} bytes after the last bucket`);
  return ids.finish();
}

/** Whether a bucket of one id lies at `at`, in the one form that writers give it. */
function isLoneBucket(view: DataView, at: number): boolean {
  return (
    at + loneBucketBytes <= view.byteLength &&
    view.getUint32(at + 4, true) === cookie &&
    view.getUint32(at + 8, true) === 1 &&
    view.getUint16(at + 14, true) === 0 &&
    view.getUint32(at + 16, true) === loneOffset
  );
}

/** Of all buckets from `at` on, up to one that is none. Cost: by buckets and containers. */
function promisedMembers(payload: Uint8Array, at: number): number {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length);
  let members = 0;
  try {
    while (at + 4 < payload.length) {
      // One object for each of a million ids would cost more than reading them.
      const lone = isLoneBucket(view, at);
      const header = lone ? undefined : readPortableHeader(payload.subarray(at + 4));
      members += header?.cardinality ?? 1;
      at += lone ? loneBucketBytes : 4 + header!.starts.at(-1)!;
    }
  } catch (error) {
    if (!(error instanceof MusterError)) throw error;
  }
  return members;
}

/** Reads a portable bitmap; returns where it ends. */
function readBucket(
  reader: ByteReader,
  payload: Uint8Array,
  into: { readonly high: number; readonly ids: GrowingIds },
): number {
  const header = readPortableHeader(payload.subarray(reader.at));
  if (header.cardinality === 0) reader.refuse('has an empty bucket');
  const bitmap = reader.raw(header.starts.at(-1)!);
  for (const code of portableCodes(bitmap, checkPortable(bitmap))) into.ids.push(code, into.high);
  return reader.at;
}

class GrowingIds {
  #halves: Uint32Array<ArrayBuffer>;
  #count = 0;

  constructor(capacity: number) {
    this.#halves = new Uint32Array(2 * Math.max(capacity, 16));
  }

  push(low: number, high: number): void {
    if (2 * this.#count === this.#halves.length) {
      this.#halves = grownArray(this.#halves, 2 * this.#count + 2);
    }
    this.#halves[2 * this.#count] = low;
    this.#halves[2 * this.#count++ + 1] = high;
  }

  finish(): BigUint64Array {
    const whole = this.#halves.length === 2 * this.#count;
    const halves = whole ? this.#halves : this.#halves.slice(0, 2 * this.#count);
    return new BigUint64Array(halves.buffer);
  }
}
