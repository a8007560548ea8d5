// Reads the catalog's compact binary form (SPEC.md, "Primitives"). Every read is checked against
// the end: damaged bytes give one error that names the object, never a wrong value past the end.

import { MusterError } from '../base/errors.ts';

export class ByteReader {
  readonly #bytes: Uint8Array;
  /** What is read, for messages: `head catalog/1/heads/...`. */
  readonly #what: string;
  #at = 0;

  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = bytes;
    this.#what = what;
  }

  get what(): string {
    return this.#what;
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw this.corrupt('ends early');
    this.#at++;
    return value;
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 8; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        if (!Number.isSafeInteger(value)) break;
        return value;
      }
      scale *= 0x80;
    }
    throw this.corrupt('holds a number past 2^53');
  }

  /** A count of things that take at least a byte each, so that damage cannot ask for much memory. */
  count(): number {
    const count = this.varint();
    if (count > this.remaining) throw this.corrupt(`counts ${count} in ${this.remaining} bytes`);
    return count;
  }

  uint32(): number {
    const bytes = this.raw(4);
    return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  }

  raw(length: number): Uint8Array {
    if (length > this.remaining) throw this.corrupt('ends early');
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return bytes;
  }

  bytes(): Uint8Array {
    return this.raw(this.varint());
  }

  byteString(): string {
    const bytes = this.bytes();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  }

  text(): string {
    const bytes = this.bytes();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  }

  hexId(): string {
    const bytes = this.raw(16);
    return Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex');
  }

  /** The rest must have been read: what is left over would be silently lost. */
  end(): void {
    if (this.remaining > 0) throw this.corrupt(`has ${this.remaining} bytes too many`);
  }

  corrupt(how: string): MusterError {
    return new MusterError('CORRUPTED_DATA', `corrupt ${this.#what}: it ${how}`);
  }
}
