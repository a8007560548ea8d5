// Writes the catalog's compact binary form into one growing buffer (SPEC.md, "Primitives").

import { assert } from '../base/assert.ts';

/** Grows by doubling; `take` gives the bytes written so far as a view that nobody else changes. */
export class ByteWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(bytesGuess = 256) {
    this.#bytes = new Uint8Array(bytesGuess);
  }

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** Little-endian base 128; any safe integer from 0. */
  varint(value: number): void {
    assert(Number.isSafeInteger(value) && value >= 0, `varint of ${value}`);
    this.#reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = rest < 0x80000000 ? rest >>> 7 : Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  uint32(value: number): void {
    assert(value >>> 0 === value, `uint32 of ${value}`);
    this.#reserve(4);
    for (let shift = 0; shift < 32; shift += 8) {
      this.#bytes[this.#length++] = (value >>> shift) & 0xff;
    }
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Length and bytes. */
  bytes(bytes: Uint8Array): void {
    this.varint(bytes.length);
    this.raw(bytes);
  }

  /** A byte string (char codes 0..255): length and bytes. */
  byteString(text: string): void {
    this.varint(text.length);
    this.#reserve(text.length);
    for (let i = 0; i < text.length; i++) this.#bytes[this.#length++] = text.charCodeAt(i);
  }

  /** Ordinary text, in UTF-8. */
  text(text: string): void {
    this.bytes(Buffer.from(text, 'utf8'));
  }

  /** An id of 32 hex digits: 16 bytes. */
  hexId(id: string): void {
    assert(/^[0-9a-f]{32}$/.test(id), `id ${JSON.stringify(id)} is 32 hex digits`);
    this.raw(Buffer.from(id, 'hex'));
  }

  take(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(extra: number): void {
    if (this.#length + extra <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + extra));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
