// Exact numbers of bytes out of a stream of chunks.

import { MusterError } from '../../base/errors.ts';

/** CANNOT_READ_ALL_DATA where fewer come than are asked for. */
export class ByteStream {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async hasMore(): Promise<boolean> {
    return await this.#fill(1);
  }

  async take(length: number): Promise<Buffer> {
    if (!(await this.#fill(length))) throw endsEarly();
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; ) left -= (await this.takeSome(left)).length;
  }

  /** What has come already, at most `length` bytes, at least one. */
  async takeSome(length: number): Promise<Buffer> {
    if (!(await this.hasMore())) throw endsEarly();
    return await this.take(Math.min(length, this.#rest.length));
  }

  /** `text`: of Latin-1 characters. Takes nothing. */
  async startsWith(text: string): Promise<boolean> {
    await this.#fill(text.length);
    return this.#rest.toString('latin1', 0, text.length) === text;
  }

  async #fill(length: number): Promise<boolean> {
    const pieces = [this.#rest];
    let have = this.#rest.length;
    while (have < length) {
      const next = await this.#chunks.next();
      if (next.done === true) break;
      pieces.push(Buffer.from(next.value));
      have += next.value.length;
    }
    if (pieces.length > 1) this.#rest = Buffer.concat(pieces);
    return have >= length;
  }
}

function endsEarly(): MusterError {
  return new MusterError('CANNOT_READ_ALL_DATA', 'the data ends early');
}
