// Bytes of a file or of standard input, unpacked by what they are and not by what the file is
// called: gzip, zip, or plain. Everything streams; a zip's entries come one after another.

import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { MusterError } from '../../../base/errors.ts';
import { unpacked } from '../../unpacking.ts';
import { readAt } from './zip-directory.ts';
import { zipEntries, zipEntriesOfStream } from './zip-entries.ts';

export interface ByteSource {
  /** For people: the file, for zips with the entry. */
  readonly name: string;
  /** The name whose ending tells the format. */
  readonly inner: string;
  readonly bytes: Peekable;
}

/** `-` is standard input. `counted` hears of the bytes as they are read, still packed. */
export async function* openSources(
  path: string,
  counted: (bytes: number) => void,
): AsyncGenerator<ByteSource> {
  const isPipe = path === '-';
  const name = isPipe ? 'standard input' : path;
  const magic = isPipe ? undefined : await firstBytes(path);
  const input = isPipe ? new Peekable(process.stdin as AsyncIterable<Uint8Array>) : undefined;
  const first = magic ?? (await input?.peek(4)) ?? Buffer.alloc(0);
  if (first.toString('latin1', 0, 4) === 'PK\u0003\u0004') {
    const options = { name, counted };
    const entries =
      input === undefined ? zipEntries(path, options) : zipEntriesOfStream(input, options);
    for await (const entry of entries) {
      yield { name: `${name}/${entry.name}`, inner: entry.name, bytes: new Peekable(entry.chunks) };
    }
    return;
  }
  const packed = counting(input ?? createReadStream(path), counted);
  if (first[0] === 0x1f && first[1] === 0x8b) {
    const inner = path.replace(/\.(gz|gzip)$/i, '');
    yield { name, inner, bytes: new Peekable(gunzipped(packed, name)) };
    return;
  }
  yield { name, inner: path, bytes: new Peekable(packed) };
}

async function firstBytes(path: string): Promise<Buffer> {
  try {
    const file = await open(path);
    try {
      return await readAt(file, 0, 4);
    } finally {
      await file.close();
    }
  } catch (cause) {
    const { message } = cause as Error;
    throw new MusterError('CANNOT_OPEN_FILE', `The file can't be read: ${message}`, { cause });
  }
}

/** A stream whose beginning can be looked at before it is read. Read once. */
export class Peekable implements AsyncIterable<Uint8Array> {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #head = Buffer.alloc(0);
  #ended = false;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** At least so many bytes, unless there are fewer. */
  async peek(length: number): Promise<Buffer> {
    while (this.#head.length < length && !this.#ended) {
      const next = await this.#chunks.next();
      if (next.done === true) this.#ended = true;
      else this.#head = Buffer.concat([this.#head, next.value]);
    }
    return this.#head;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    if (this.#head.length > 0) yield this.#head;
    this.#head = Buffer.alloc(0);
    while (!this.#ended) {
      const next = await this.#chunks.next();
      if (next.done === true) return;
      yield next.value;
    }
  }
}

async function* counting(
  chunks: AsyncIterable<Uint8Array>,
  counted: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    counted(chunk.length);
    yield chunk;
  }
}

async function* gunzipped(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* unpacked(chunks, createGunzip());
  } catch (cause) {
    throw new MusterError('INCORRECT_DATA', `The gzip data of ${name} are damaged or cut off`, {
      cause,
    });
  }
}
