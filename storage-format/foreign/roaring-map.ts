// Maps from high halves to roaring bitmaps of low halves: the portable form, which CRoaring and its
// bindings write (and ClickHouse inside its states), and the older one of Java.
//
//   portable   u64 n | n x (u32 high half, portable bitmap)                 little end first
//   Java       u8 signed | u32 n, BIG end first | n x (u32 high half, BIG end first, portable bitmap)
//
// Java's Roaring64NavigableMap writes the second by default, in the order of its high halves, which
// is signed if the first byte is 1.

import { ByteReader, type Refusal } from '../../base/byte-reader.ts';
import { MusterError } from '../../base/errors.ts';
import { readPortableHeader } from '../portable-roaring.ts';
import { decodeWideMap, isLoneBucket, loneBucketBytes } from '../wide-state.ts';
import { decodeRoaringAtFront, refuseTooMany } from './roaring-codes.ts';

/** `bytes` is exactly one portable map. */
export function decodeMap(bytes: Uint8Array, refusal: Refusal): BigUint64Array {
  checkMap(bytes);
  return decodeWideMap(bytes, refusal);
}

/**
 * That the promised members are not too many to be read. What is no map at all passes: reading it
 * says so. Cost: by buckets and containers.
 */
export function checkMap(bytes: Uint8Array): void {
  if (bytes.length < 8) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const buckets = Number(view.getBigUint64(0, true));
  let members = 0;
  let at = 8;
  try {
    for (let i = 0; i < buckets && at + 4 < bytes.length; i++) {
      // One object for each of a million ids would cost more than reading them.
      if (isLoneBucket(view, at)) {
        members++;
        at += loneBucketBytes;
        continue;
      }
      const header = readPortableHeader(bytes.subarray(at + 4));
      members += header.cardinality;
      at += 4 + (header.starts.at(-1) ?? 0);
    }
  } catch (error) {
    if (error instanceof MusterError) return;
    throw error;
  }
  refuseTooMany(members);
}

/** `bytes` is exactly one map as Java writes it. */
export function decodeJavaMap(bytes: Uint8Array, refusal: Refusal): BigUint64Array {
  const reader = new ByteReader(bytes, refusal);
  const signed = reader.u8();
  if (signed > 1) reader.refuse(`begins with ${signed}, neither 0 nor 1`);
  const count = bigEndian(reader);
  if (12 * count > reader.remaining) reader.refuse(`counts ${count} buckets`);
  const buckets: Bucket[] = [];
  let members = 0;
  for (let i = 0; i < count; i++) {
    const high = bigEndian(reader);
    const order = signed === 1 ? high | 0 : high;
    const previous = buckets.at(-1)?.order ?? Number.NEGATIVE_INFINITY;
    if (order <= previous) reader.refuse(`has high half ${order} after ${previous}`);
    const { codes, end } = decodeRoaringAtFront(bytes.subarray(reader.at), refusal);
    if (codes.length === 0) reader.refuse('has an empty bucket');
    reader.at += end;
    members += codes.length;
    refuseTooMany(members);
    buckets.push({ high, order, codes });
  }
  reader.end();
  return joinBuckets(buckets, members);
}

export interface Bucket {
  readonly high: number;
  /** What buckets ascend by. */
  readonly order: number;
  readonly codes: Uint32Array;
}

/** Ids ascending as unsigned numbers, whatever the buckets' own order. */
export function joinBuckets(buckets: readonly Bucket[], members: number): BigUint64Array {
  const halves = new Uint32Array(2 * members);
  let at = 0;
  for (const { high, codes } of buckets.toSorted((a, b) => a.high - b.high)) {
    for (let i = 0; i < codes.length; i++) {
      halves[at++] = codes[i] as number;
      halves[at++] = high;
    }
  }
  return new BigUint64Array(halves.buffer);
}

function bigEndian(reader: ByteReader): number {
  const value = reader.u32();
  return (
    ((value >>> 24) | ((value >>> 8) & 0xff00) | ((value << 8) & 0xff0000) | (value << 24)) >>> 0
  );
}
