// Bytes written front to back into a buffer that grows. The inverse of byte-reader.ts.

export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
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
    const at = this.#advance(4);
    this.#view.setUint32(at, value, true);
  }

  u64(value: bigint): void {
    const at = this.#advance(8);
    this.#view.setBigUint64(at, value, true);
  }

  varuint(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.u8((rest % 128) | 128);
      rest = Math.floor(rest / 128);
    }
    this.u8(rest);
  }

  raw(bytes: Uint8Array): void {
    const at = this.#advance(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** A byte string with its length before it. */
  text(text: string): void {
    this.varuint(text.length);
    this.raw(Buffer.from(text, 'latin1'));
  }

  /** Zeros up to a multiple of `alignment`. */
  align(alignment: number): void {
    this.#advance((alignment - (this.#length % alignment)) % alignment);
  }

  /** Overwrites four bytes that were written before. */
  setU32(at: number, value: number): void {
    this.#view.setUint32(at, value, true);
  }

  /** What was written, as a view: write no more afterwards. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #advance(length: number): number {
    const start = this.#length;
    this.#length += length;
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#length, 2 * this.#bytes.length));
      grown.set(this.#bytes);
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    return start;
  }
}
