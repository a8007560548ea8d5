// A place in the bytes of a Native block that may not have come whole: reading past what is there
// throws `needMoreBytes`, and the block is read again when there is more.

import { MusterError } from '../../base/errors.ts';
import { readVaruint } from '../formats/varuint.ts';

class NeedMoreBytes extends Error {
  override readonly name = 'NeedMoreBytes';
}

export const needMoreBytes = new NeedMoreBytes('the block goes on');

export class NativeCursor {
  readonly bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  varuint(): number {
    const found = readVaruint(this.bytes, this.at, this.bytes.length);
    if (found === undefined) throw needMoreBytes;
    this.at = found.end;
    return found.value;
  }

  /** A view. */
  take(length: number): Buffer {
    const end = this.at + length;
    if (end > this.bytes.length) throw needMoreBytes;
    const taken = this.bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }

  /** A copy of its own, for typed arrays. */
  copy(length: number): ArrayBuffer {
    const taken = this.take(length);
    const out = new Uint8Array(length);
    out.set(taken);
    return out.buffer;
  }

  byteString(): string {
    return this.take(this.varuint()).toString('latin1');
  }

  text(): string {
    return this.take(this.varuint()).toString('utf8');
  }

  /** Less than 2^53. */
  u64(): number {
    const value = this.take(8).readBigUInt64LE();
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
      throw new MusterError('INCORRECT_DATA', `a count of ${value} in a Native block`);
    }
    return Number(value);
  }
}
