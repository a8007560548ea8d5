// The files in a zip, unpacked as they are read and checked against their checksums: an entry that
// isn't whole fails before its reader sees its end.

import { mkdtemp, type FileHandle, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, createInflateRaw } from 'node:zlib';
import { MusterError } from '../../../base/errors.ts';
import { unpacked } from '../../unpacking.ts';
import { damagedZip, readAt, readZipDirectory, type ZipEntry } from './zip-directory.ts';

interface UnpackedEntry {
  readonly name: string;
  /** To be read before the next entry is asked for, or not at all. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

interface ZipOptions {
  /** For messages. */
  readonly name: string;
  /** Hears of packed bytes as they are read. */
  readonly counted: (bytes: number) => void;
}

const methods = { stored: 0, deflated: 8 };
const headerBytes = 30;
const readBytes = 256 * 1024;

export async function* zipEntries(
  path: string,
  options: ZipOptions,
): AsyncGenerator<UnpackedEntry> {
  const file = await open(path);
  try {
    for (const entry of await readZipDirectory(file, options.name)) {
      if (!isData(entry.name)) continue;
      yield { name: entry.name, chunks: chunksOf(file, entry, options) };
    }
  } finally {
    await file.close();
  }
}

/** A zip's directory stands at its end, so that one from a pipe is kept in a file meanwhile. */
export async function* zipEntriesOfStream(
  packed: AsyncIterable<Uint8Array>,
  options: ZipOptions,
): AsyncGenerator<UnpackedEntry> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-load-'));
  try {
    const path = join(folder, 'zip');
    await writeFile(path, packed, { mode: 0o600 });
    yield* zipEntries(path, options);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function* chunksOf(
  file: FileHandle,
  entry: ZipEntry,
  { name, counted }: ZipOptions,
): AsyncGenerator<Uint8Array> {
  const of = `${name}/${entry.name}`;
  const isKnown = entry.method === methods.stored || entry.method === methods.deflated;
  if (entry.encrypted || !isKnown) {
    const why = entry.encrypted ? 'encrypted' : `packed by method ${entry.method}`;
    throw new MusterError(
      'INCORRECT_DATA',
      `${of} is ${why}, which can't be read: unpack it first`,
    );
  }
  const raw = packedChunks(file, entry, counted);
  let checksum = 0;
  try {
    const isPacked = entry.method === methods.deflated;
    for await (const chunk of isPacked ? unpacked(raw, createInflateRaw()) : raw) {
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  } catch (cause) {
    throw damagedZip(of, cause);
  }
  if (checksum !== entry.checksum) throw damagedZip(of);
}

async function* packedChunks(
  file: FileHandle,
  entry: ZipEntry,
  counted: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const header = await readAt(file, entry.headerAt, headerBytes);
  let at = entry.headerAt + headerBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
  const end = at + entry.packedBytes;
  while (at < end) {
    const chunk = await readAt(file, at, Math.min(readBytes, end - at));
    if (chunk.length === 0) throw new Error('cut off');
    at += chunk.length;
    counted(chunk.length);
    yield chunk;
  }
}

/** Folders, and what macOS adds, hold no rows. */
function isData(name: string): boolean {
  return !name.endsWith('/') && !/(^|\/)(__MACOSX\/|\.DS_Store$)/.test(name);
}
