// The index of an Arrow file of ours, stripe part or dictionary segment alike: an area of copies, a
// directory, a trailer; checked as one. It lies between the last record batch and Arrow's footer,
// and the catalog knows the byte range that ends with its trailer. SPEC.md, "The index".
//
//   copies, each at a multiple of 8 | directory | zeros to a multiple of 8 | trailer (32 bytes)
//   trailer: u32 index length | u32 directory length | u16 version | u16 minReader | u32 kind
//            | u32 0 | u32 CRC32C of the index up to here | "MUSTERIX"

import { ByteWriter } from '../base/byte-writer.ts';
import { MusterError } from '../base/errors.ts';
import { crc32c } from './crc32c.ts';

/** The version that this code writes, and the newest that it reads. */
const formatVersion = 1;
/** Drafts before version 1 said 0, and are not read. */
const oldestRead = 1;

export const indexKinds = { stripePart: 1, dictionarySegment: 2 } as const;
type IndexKind = (typeof indexKinds)[keyof typeof indexKinds];

const trailerBytes = 32;
const minReader = 1;
const magic = Buffer.from('MUSTERIX', 'latin1');

interface OpenedIndex {
  /** The whole index, trailer included. */
  readonly bytes: Uint8Array;
  readonly directory: Uint8Array;
}

/** `copies`: a multiple of 8 long. */
export function sealIndex(kind: IndexKind, copies: Uint8Array, directory: Uint8Array): Uint8Array {
  const writer = new ByteWriter(copies.length + directory.length + 2 * trailerBytes);
  writer.raw(copies);
  writer.raw(directory);
  writer.align(8);
  writer.u32(writer.length + trailerBytes);
  writer.u32(directory.length);
  writer.u16(formatVersion);
  writer.u16(minReader);
  writer.u32(kind);
  writer.u32(0);
  writer.u32(crc32c(writer.finish()));
  writer.raw(magic);
  return writer.finish();
}

/**
 * The index that ends `tail`. Throws CORRUPTED_DATA when a byte of it is damaged, and
 * UNKNOWN_FORMAT_VERSION when it was written for newer readers; both name `key`.
 */
export function unsealIndex(tail: Uint8Array, kind: IndexKind, key: string): OpenedIndex {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  const trailer = tail.length - trailerBytes;
  if (trailer < 0 || magic.compare(tail, trailer + 24) !== 0) corrupt(key, 'index: no trailer');
  const length = view.getUint32(trailer, true);
  if (length > tail.length || length < trailerBytes) corrupt(key, `index: a length of ${length}`);
  const bytes = tail.subarray(tail.length - length);
  if (crc32c(bytes.subarray(0, length - 12)) !== view.getUint32(trailer + 20, true)) {
    corrupt(key, 'index: checksum');
  }
  checkVersion(view.getUint16(trailer + 8, true), view.getUint16(trailer + 10, true), key);
  const found = view.getUint32(trailer + 12, true);
  if (found !== kind) corrupt(key, `index: kind ${found}, expected ${kind}`);
  const directoryBytes = view.getUint32(trailer + 4, true);
  const end = length - trailerBytes;
  const start = end - directoryBytes - ((8 - (directoryBytes % 8)) % 8);
  if (start < 0) corrupt(key, 'index: directory longer than the index');
  return { bytes, directory: bytes.subarray(start, start + directoryBytes) };
}

function checkVersion(written: number, needed: number, key: string): void {
  if (needed > formatVersion) {
    throw new MusterError(
      'UNKNOWN_FORMAT_VERSION',
      `part ${key} needs a reader of format ${needed}, this Muster reads up to ${formatVersion}: upgrade`,
    );
  }
  if (written < oldestRead) {
    throw new MusterError(
      'UNKNOWN_FORMAT_VERSION',
      `part ${key} has format ${written}, a draft that is no longer read: load its rows again`,
    );
  }
}

/** `what`: the extent, the index or the envelope. */
export function corrupt(key: string, what: string, cause?: unknown): never {
  const options = cause === undefined ? {} : { cause };
  throw new MusterError('CORRUPTED_DATA', `corrupt part ${key}: ${what}`, options);
}
