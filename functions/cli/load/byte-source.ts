// Bytes of a file or of standard input, unpacked by what they are and not by what the file is
// called: gzip, zip, or plain. Everything streams; a zip's entries come one after another.

import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { MusterError } from '../../../base/errors.ts';
import { zipEntries } from './zip-entries.ts';

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
  const raw = path === '-' ? process.stdin : createReadStream(path);
  const packed = new Peekable(counting(raw as AsyncIterable<Uint8Array>, counted));
  const name = path === '-' ? 'standard input' : path;
  const magic = (await packed.peek(4)).subarray(0, 4);
  if (magic[0] === 0x1f && magic[1] === 0x8b) {
    const inner = path.replace(/\.(gz|gzip)$/i, '');
    yield { name, inner, bytes: new Peekable(gunzipped(packed, name)) };
  } else if (magic.toString('latin1') === 'PK\u0003\u0004') {
    for await (const entry of zipEntries(packed, name)) {
      yield { name: `${name}/${entry.name}`, inner: entry.name, bytes: new Peekable(entry.chunks) };
    }
  } else {
    yield { name, inner: path, bytes: packed };
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
  const gunzip = createGunzip();
  pipeline(Readable.from(chunks), gunzip, () => undefined);
  try {
    for await (const chunk of gunzip) yield chunk as Uint8Array;
  } catch (cause) {
    throw new MusterError('INCORRECT_DATA', `The gzip data of ${name} are damaged or cut off`, {
      cause,
    });
  }
}
