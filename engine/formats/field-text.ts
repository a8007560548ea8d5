// The text of one field after its format's quotes and escapes are gone: a range of the input window
// where nothing had to be undone, else a range of a scratch buffer that grows as needed.

export class FieldText {
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  end = 0;
  #scratch = Buffer.allocUnsafe(256);
  #length = 0;

  set(bytes: Buffer, start: number, end: number): void {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  /** Begins a text that is put together piece by piece. */
  begin(): void {
    this.#length = 0;
  }

  push(byte: number): void {
    if (this.#length === this.#scratch.length) this.#grow(1);
    this.#scratch[this.#length++] = byte;
  }

  append(bytes: Buffer, start: number, end: number): void {
    if (this.#length + end - start > this.#scratch.length) this.#grow(end - start);
    bytes.copy(this.#scratch, this.#length, start, end);
    this.#length += end - start;
  }

  /** Appends a code point as UTF-8. */
  pushCodePoint(point: number): void {
    if (point < 0x80) {
      this.push(point);
    } else if (point < 0x800) {
      this.push(0xc0 | (point >> 6));
      this.push(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
      this.push(0xe0 | (point >> 12));
      this.push(0x80 | ((point >> 6) & 0x3f));
      this.push(0x80 | (point & 0x3f));
    } else {
      this.push(0xf0 | (point >> 18));
      this.push(0x80 | ((point >> 12) & 0x3f));
      this.push(0x80 | ((point >> 6) & 0x3f));
      this.push(0x80 | (point & 0x3f));
    }
  }

  /** Ends the text that `begin` began. */
  finish(): void {
    this.set(this.#scratch, 0, this.#length);
  }

  latin1(): string {
    return this.bytes.toString('latin1', this.start, this.end);
  }

  utf8(): string {
    return this.bytes.toString('utf8', this.start, this.end);
  }

  #grow(more: number): void {
    const scratch = Buffer.allocUnsafe(Math.max(2 * this.#scratch.length, this.#length + more));
    this.#scratch.copy(scratch, 0, 0, this.#length);
    this.#scratch = scratch;
  }
}
