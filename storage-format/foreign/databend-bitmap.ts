// Bitmaps of Databend: a portable map of 64-bit values, since 2025 behind a header.
//
//   (nothing)                                     empty
//   "HB" | u8 1 | u8 0 | u8 n (<= 32) | n x u64   a few values, in any order
//   "HB" | u8 1 | u8 1 | portable map
//   portable map                                  older ones

import { ByteReader, type Refusal } from '../../base/byte-reader.ts';
import { decodeWideMap } from '../wide-state.ts';

const magic = 'HB';
const smallCountMax = 32;

/** `bytes` is exactly one bitmap. */
export function decodeDatabend(bytes: Uint8Array, refusal: Refusal): BigUint64Array {
  if (bytes.length === 0) return new BigUint64Array(0);
  if (!hasHeader(bytes)) return decodeWideMap(bytes, refusal);
  const reader = new ByteReader(bytes, refusal, magic.length);
  const version = reader.u8();
  if (version !== 1) reader.refuse(`is of version ${version}`);
  const kind = reader.u8();
  if (kind === 1) return decodeWideMap(bytes.subarray(reader.at), refusal);
  if (kind !== 0) reader.refuse(`is of kind ${kind}`);
  const count = reader.u8();
  if (count > smallCountMax) reader.refuse(`is small and counts ${count}`);
  const ids = BigUint64Array.from({ length: count }, () => reader.u64()).sort();
  if (ids.some((id, i) => i > 0 && id === ids[i - 1])) reader.refuse('has a value twice');
  reader.end();
  return ids;
}

/** An old map of 0x14248 buckets begins with the same four bytes: then its first bucket follows. */
function hasHeader(bytes: Uint8Array): boolean {
  if (Buffer.from(bytes.subarray(0, 2)).toString('latin1') !== magic) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isMap =
    bytes.length > 16 && view.getUint32(4, true) === 0 && isCookie(view.getUint32(12, true));
  return !isMap;
}

function isCookie(word: number): boolean {
  return word === 12346 || (word & 0xffff) === 12347;
}
