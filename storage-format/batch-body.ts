// The body of one record batch while it is being put together: buffers one after the other, each
// padded to 8, with Arrow's nodes and places for the message, and checksummed extents for our index.

import { type ArrowBuffer, type ArrowNode, arrowBatchMessage } from './arrow-envelope.ts';
import { crc32c } from './crc32c.ts';
import type { Extent } from './part-directory.ts';

const zeros = new Uint8Array(8);

export class BatchBody {
  readonly #nodes: ArrowNode[] = [];
  readonly #buffers: ArrowBuffer[] = [];
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #extentStart = 0;
  #extentChunks = 0;

  get length(): number {
    return this.#length;
  }

  node(length: number, nulls: number): void {
    this.#nodes.push({ length, nulls });
  }

  /** Adds a buffer (absent when empty) and returns where it starts. */
  buffer(...pieces: readonly Uint8Array[]): number {
    const start = this.#length;
    for (const piece of pieces) this.#push(piece);
    this.#buffers.push({ offset: start, length: this.#length - start });
    this.#push(zeros.subarray(0, (8 - (this.#length % 8)) % 8));
    return start;
  }

  /** From here on, until `endExtent`, is one extent. */
  beginExtent(): void {
    this.#extentStart = this.#length;
    this.#extentChunks = this.#chunks.length;
  }

  endExtent(): Extent {
    let checksum = 0;
    for (const chunk of this.#chunks.slice(this.#extentChunks)) checksum = crc32c(chunk, checksum);
    return { at: this.#extentStart, bytes: this.#length - this.#extentStart, checksum };
  }

  /** The bytes of an extent that was just ended. */
  extentBytes(): Uint8Array {
    return Buffer.concat(this.#chunks.slice(this.#extentChunks));
  }

  /** Arrow's message that goes before the body. */
  message(rows: number): Uint8Array {
    const [nodes, buffers] = [this.#nodes, this.#buffers];
    return arrowBatchMessage({ rows, nodes, buffers, bodyLength: this.#length });
  }

  finish(): readonly Uint8Array[] {
    return this.#chunks;
  }

  #push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#chunks.push(bytes);
    this.#length += bytes.length;
  }
}
