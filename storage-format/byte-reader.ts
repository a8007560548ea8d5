// A cursor over bytes of unknown origin: every read is checked against the end, every variable
// length number against its canonical form. Throws INCORRECT_DATA, naming what was being read.

import { MusterError } from '../base/errors.ts';

export class ByteReader {
  readonly bytes: Uint8Array;
  at: number;
  readonly #view: DataView;
  readonly #what: string;

  /** `what` names the thing in errors: "not <what>: ...". */
  constructor(bytes: Uint8Array, what: string, at = 0) {
    this.bytes = bytes;
    this.at = at;
    this.#what = what;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get remaining(): number {
    return this.bytes.length - this.at;
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#advance(8), true);
  }

  /** LEB128 up to 2^53 - 1, in its shortest form only. */
  varuint(): number {
    let value = 0;
    for (let shift = 0; shift < 53; shift += 7) {
      const byte = this.u8();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) {
        if (byte === 0 && shift > 0) this.refuse('a number not in its shortest form');
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
    }
    return this.refuse('a number too large');
  }

  /** The next `length` bytes, as a view. */
  take(length: number): Uint8Array {
    const start = this.#advance(length);
    return this.bytes.subarray(start, start + length);
  }

  /** A byte string with its length before it. */
  text(): string {
    return Buffer.from(this.take(this.varuint())).toString('latin1');
  }

  refuse(why: string): never {
    throw new MusterError('INCORRECT_DATA', `not ${this.#what}: ${why}`);
  }

  #advance(length: number): number {
    const start = this.at;
    if (!(length <= this.remaining)) this.refuse(`${length} bytes wanted, ${this.remaining} left`);
    this.at = start + length;
    return start;
  }
}
