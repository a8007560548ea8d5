// The directory at a zip file's end: which entries it has, where their bytes are, and the checksum of
// each. Read first, for an entry's own header may not know its size. Layout: PKWARE's APPNOTE 6.3,
// sections 4.3.12 to 4.3.16, little end first; ZIP64 included.

import type { FileHandle } from 'node:fs/promises';
import { MusterError } from '../../../base/errors.ts';

export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly encrypted: boolean;
  readonly checksum: number;
  readonly packedBytes: number;
  /** Of the entry's own header, which its bytes follow. */
  readonly headerAt: number;
}

const signatures = {
  entry: 0x02014b50,
  end: 0x06054b50,
  end64: 0x06064b50,
  locator64: 0x07064b50,
};
const endBytes = 22;
const locatorBytes = 20;
const commentBytesMax = 0xffff;
const entryBytes = 46;
const directoryBytesMax = 256 * 1024 * 1024;
const inExtra32 = 0xffffffff;

/** INCORRECT_DATA when the file ends before its directory does. */
export async function readZipDirectory(
  file: FileHandle,
  name: string,
): Promise<readonly ZipEntry[]> {
  const { size } = await file.stat();
  const tailAt = Math.max(0, size - endBytes - commentBytesMax - locatorBytes);
  const tail = await readAt(file, tailAt, size - tailAt);
  const end = lastSignature(tail);
  if (end === -1) throw damagedZip(name);
  let bytes = tail.readUInt32LE(end + 12);
  let at = tail.readUInt32LE(end + 16);
  const locator = end - locatorBytes;
  if (locator >= 0 && tail.readUInt32LE(locator) === signatures.locator64) {
    const end64 = await readAt(file, Number(tail.readBigUInt64LE(locator + 8)), 56);
    if (end64.length < 56 || end64.readUInt32LE(0) !== signatures.end64) throw damagedZip(name);
    bytes = Number(end64.readBigUInt64LE(40));
    at = Number(end64.readBigUInt64LE(48));
  }
  if (bytes > directoryBytesMax || at + bytes > size) throw damagedZip(name);
  const directory = await readAt(file, at, bytes);
  try {
    return entriesOf(directory);
  } catch (cause) {
    throw damagedZip(name, cause);
  }
}

export function damagedZip(name: string, cause?: unknown): MusterError {
  const message = `The zip data of ${name} are damaged or cut off`;
  return new MusterError('INCORRECT_DATA', message, { cause });
}

function lastSignature(tail: Buffer): number {
  for (let at = tail.length - endBytes; at >= 0; at--) {
    if (tail.readUInt32LE(at) === signatures.end) return at;
  }
  return -1;
}

function entriesOf(directory: Buffer): readonly ZipEntry[] {
  const entries: ZipEntry[] = [];
  for (let at = 0; at < directory.length; ) {
    if (directory.readUInt32LE(at) !== signatures.entry) throw new Error('not an entry');
    const nameAt = at + entryBytes;
    const extraAt = nameAt + directory.readUInt16LE(at + 28);
    const extraEnd = extraAt + directory.readUInt16LE(at + 30);
    const fields = [at + 24, at + 20, at + 42].map((field) => directory.readUInt32LE(field));
    const [, packedBytes = 0, headerAt = 0] = widened(
      fields,
      directory.subarray(extraAt, extraEnd),
    );
    entries.push({
      name: directory.toString('utf8', nameAt, extraAt),
      encrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      method: directory.readUInt16LE(at + 10),
      checksum: directory.readUInt32LE(at + 16),
      packedBytes,
      headerAt,
    });
    at = extraEnd + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** Fields that are all ones stand in the ZIP64 extra field, in this order. */
function widened(fields: readonly number[], extra: Buffer): readonly number[] {
  let values: Buffer = Buffer.alloc(0);
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === 1) values = extra.subarray(at + 4);
  }
  let next = 0;
  return fields.map((value) => {
    if (value !== inExtra32) return value;
    next += 8;
    return Number(values.readBigUInt64LE(next - 8));
  });
}

export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(bytes, read, length - read, position + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return bytes.subarray(0, read);
}
