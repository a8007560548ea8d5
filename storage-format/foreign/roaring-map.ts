// Maps from high halves to roaring bitmaps of low halves in Java's older form. The portable one, which
// CRoaring and its bindings write, is in wide-state.ts: ClickHouse has it inside its states.
//
//   u8 signed | u32 n, BIG end first | n x (u32 high half, BIG end first, portable bitmap)
//
// Java's Roaring64NavigableMap writes this by default, in the order of its high halves, which is
// signed if the first byte is 1.

import { ByteReader, type Refusal } from '../../base/byte-reader.ts';
import { refuseTooMany } from '../members-max.ts';
import { decodeRoaringAtFront } from './roaring-codes.ts';

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
