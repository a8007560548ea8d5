// A cursor over bytes of unknown origin, in the primitives of the SPECs: every read is checked
// against the end, every number against its shortest form. What the bytes should have been, and so
// which error refuses them, is said by who reads: an input that is no such thing, or a stored object
// that was damaged.

import { type ErrorName, MusterError } from './errors.ts';

/** The error of bytes that are not what they should be. `how` goes on after "it": "ends early". */
export type Refusal = (how: string) => MusterError;

/** For bytes that somebody sends: "not a state of UInt8: it ends early". */
export function isNot(what: string): Refusal {
  return refusalOf('INCORRECT_DATA', `not ${what}`);
}

/** For bytes that this code once wrote: "corrupt head 7: it ends early". */
export function isCorrupt(what: string): Refusal {
  return refusalOf('CORRUPTED_DATA', `corrupt ${what}`);
}

function refusalOf(name: ErrorName, prefix: string): Refusal {
  return (how) => new MusterError(name, `${prefix}: it ${how}`);
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #refusal: Refusal;
  /** Where the next read begins. */
  at: number;

  constructor(bytes: Uint8Array, refusal: Refusal, at = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#refusal = refusal;
    this.at = at;
  }

  get remaining(): number {
    return this.#bytes.length - this.at;
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
    let scale = 1;
    for (let i = 0; i < 8; i++) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      scale *= 0x80;
      if (byte >= 0x80) continue;
      if (byte === 0 && i > 0) this.refuse('holds a number that is not in its shortest form');
      if (value > Number.MAX_SAFE_INTEGER) break;
      return value;
    }
    return this.refuse('holds a number past 2^53');
  }

  /** A count of things that take at least a byte each, so that damage cannot ask for much memory. */
  count(): number {
    const count = this.varuint();
    if (count > this.remaining) this.refuse(`counts ${count} in ${this.remaining} bytes`);
    return count;
  }

  /** A list: its count, then each item. */
  list<T>(readItem: (index: number) => T): T[] {
    return Array.from({ length: this.count() }, (_, i) => readItem(i));
  }

  /** The next `length` bytes, as a view. */
  raw(length: number): Uint8Array {
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** Length and bytes, as a view. */
  bytes(): Uint8Array {
    return this.raw(this.varuint());
  }

  /** Length and bytes, as a byte string (char codes 0..255). */
  byteString(): string {
    return bufferOf(this.bytes()).toString('latin1');
  }

  /** Length and bytes in UTF-8, as ordinary text. */
  text(): string {
    return bufferOf(this.bytes()).toString('utf8');
  }

  /** 16 bytes, as 32 hex digits. */
  hexId(): string {
    return bufferOf(this.raw(16)).toString('hex');
  }

  /** The rest must have been read: what is left over would be silently lost. */
  end(): void {
    if (this.remaining > 0) this.refuse(`has ${this.remaining} bytes too many`);
  }

  refuse(how: string): never {
    throw this.#refusal(how);
  }

  #advance(length: number): number {
    const start = this.at;
    if (!(length <= this.remaining)) this.refuse('ends early');
    this.at = start + length;
    return start;
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
