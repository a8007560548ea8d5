// Bytes written front to back into a buffer that grows by doubling. The inverse of byte-reader.ts;
// every number is little end first. Checks make their messages only when they fail: states are
// written a number at a time.

import { assert } from './assert.ts';
import { grownArray } from './grown-array.ts';

export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #length = 0;

  constructor(bytesGuess = 256) {
    this.#bytes = new Uint8Array(bytesGuess);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  u8(value: number): void {
    const at = this.#advance(1);
    this.#bytes[at] = value;
  }

  u16(value: number): void {
    const at = this.#advance(2);
    this.#view.setUint16(at, value, true);
  }

  u32(value: number): void {
    if (value >>> 0 !== value) assert(false, `u32 of ${value}`);
    const at = this.#advance(4);
    this.#view.setUint32(at, value, true);
  }

  u64(value: bigint): void {
    const at = this.#advance(8);
    this.#view.setBigUint64(at, value, true);
  }

  /** LEB128 of any safe integer from 0, in its shortest form. */
  varuint(value: number): void {
    if (!(Number.isSafeInteger(value) && value >= 0)) assert(false, `varuint of ${value}`);
    let rest = value;
    while (rest >= 0x80) {
      this.u8((rest % 0x80) | 0x80);
      rest = rest < 0x80000000 ? rest >>> 7 : Math.floor(rest / 0x80);
    }
    this.u8(rest);
  }

  /** A list: its count, then each item. */
  list<T>(items: readonly T[], writeItem: (item: T) => void): void {
    this.varuint(items.length);
    for (const item of items) writeItem(item);
  }

  raw(bytes: Uint8Array): void {
    const at = this.#advance(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** Length and bytes. */
  bytes(bytes: Uint8Array): void {
    this.varuint(bytes.length);
    this.raw(bytes);
  }

  /** A byte string (char codes 0..255): length and bytes. */
  byteString(text: string): void {
    this.varuint(text.length);
    const at = this.#advance(text.length);
    for (let i = 0; i < text.length; i++) this.#bytes[at + i] = text.charCodeAt(i);
  }

  /** Ordinary text, in UTF-8: length and bytes. */
  text(text: string): void {
    this.bytes(Buffer.from(text, 'utf8'));
  }

  /** An id of 32 hex digits: 16 bytes. */
  hexId(id: string): void {
    assert(/^[0-9a-f]{32}$/.test(id), `id ${JSON.stringify(id)} is 32 hex digits`);
    this.raw(Buffer.from(id, 'hex'));
  }

  /** Zeros up to a multiple of `alignment`. */
  align(alignment: number): void {
    this.#advance((alignment - (this.#length % alignment)) % alignment);
  }

  /** Overwrites four bytes that were written before. */
  setU32(at: number, value: number): void {
    this.#view.setUint32(at, value, true);
  }

  /** What was written so far, as a view that later writes leave as it is. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #advance(length: number): number {
    const start = this.#length;
    this.#length += length;
    if (this.#length > this.#bytes.length) this.#grow();
    return start;
  }

  #grow(): void {
    this.#bytes = grownArray(this.#bytes, this.#length);
    this.#view = new DataView(this.#bytes.buffer);
  }
}
