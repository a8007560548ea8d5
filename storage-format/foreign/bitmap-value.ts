// BITMAP values of Apache Doris and StarRocks: a type byte and a payload.
//
//   0                                                   empty
//   1  u32                                              one value
//   2  portable bitmap
//   3  u64                                              one value
//   4  varuint n | n x (u32 high half, portable bitmap)
//   5  u8 n | n x u64            (Doris)                a few values, in any order
//  10  u32 n | n x u64                                  the same
//  12  native bitmap:  u8 1 | u32 n | n x u32   or   u8 2 | portable bitmap
//  13  varuint n | n x (u32 high half, native bitmap)

import { ByteReader, type Refusal } from '../../base/byte-reader.ts';
import { refuseTooMany } from '../members-max.ts';
import type { ForeignIds } from './foreign-set.ts';
import { decodeRoaringAtFront } from './roaring-codes.ts';
import { type Bucket, joinBuckets } from './roaring-map.ts';

/** `bytes` is exactly one value. */
export function decodeBitmapValue(
  bytes: Uint8Array,
  system: 'doris' | 'starrocks',
  refusal: Refusal,
): ForeignIds {
  const reader = new ByteReader(bytes, refusal);
  const ids = readValue(reader, { bytes, refusal, system });
  reader.end();
  return ids;
}

interface Source {
  readonly bytes: Uint8Array;
  readonly refusal: Refusal;
  readonly system: 'doris' | 'starrocks';
}

function readValue(reader: ByteReader, source: Source): ForeignIds {
  const type = reader.u8();
  switch (type) {
    case 0:
      return { bits: 32, values: new Uint32Array(0) };
    case 1:
      return { bits: 32, values: Uint32Array.of(reader.u32()) };
    case 2:
      return { bits: 32, values: readPortable(reader, source) };
    case 3:
      return { bits: 64, values: BigUint64Array.of(reader.u64()) };
    case 4:
      return { bits: 64, values: readMap(reader, () => readPortable(reader, source)) };
    case 10:
      return { bits: 64, values: readSet(reader, reader.u32()) };
    case 12:
      return { bits: 32, values: readNative(reader, source) };
    case 13:
      return { bits: 64, values: readMap(reader, () => readNative(reader, source)) };
    default:
      if (type === 5 && source.system === 'doris') {
        return { bits: 64, values: readSet(reader, reader.u8()) };
      }
      return reader.refuse(`is of type ${type}`);
  }
}

function readPortable(reader: ByteReader, { bytes, refusal }: Source): Uint32Array {
  const { codes, end } = decodeRoaringAtFront(bytes.subarray(reader.at), refusal);
  reader.at += end;
  return codes;
}

function readNative(reader: ByteReader, source: Source): Uint32Array {
  const form = reader.u8();
  if (form === 2) return readPortable(reader, source);
  if (form !== 1) return reader.refuse(`has a native bitmap of form ${form}`);
  const count = reader.u32();
  if (4 * count > reader.remaining) reader.refuse(`counts ${count} values`);
  const codes = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    codes[i] = reader.u32();
    if (i > 0 && codes[i]! <= codes[i - 1]!) reader.refuse('has values that do not ascend');
  }
  return codes;
}

function readMap(reader: ByteReader, readBitmap: () => Uint32Array): BigUint64Array {
  const count = reader.varuint();
  if (9 * count > reader.remaining) reader.refuse(`counts ${count} buckets`);
  const buckets: Bucket[] = [];
  let members = 0;
  for (let i = 0; i < count; i++) {
    const high = reader.u32();
    const previous = buckets.at(-1)?.order ?? -1;
    if (high <= previous) reader.refuse(`has high half ${high} after ${previous}`);
    const codes = readBitmap();
    if (codes.length === 0) reader.refuse('has an empty bucket');
    members += codes.length;
    refuseTooMany(members);
    buckets.push({ high, order: high, codes });
  }
  return joinBuckets(buckets, members);
}

function readSet(reader: ByteReader, count: number): BigUint64Array {
  if (8 * count > reader.remaining) reader.refuse(`counts ${count} values`);
  const ids = BigUint64Array.from({ length: count }, () => reader.u64()).sort();
  if (ids.some((id, i) => i > 0 && id === ids[i - 1])) reader.refuse('has a value twice');
  return ids;
}
