// What the second decoder of heads and pages stands on. It is written from catalog/SPEC.md alone and
// shares no code with catalog/. Byte strings are latin1 strings, types their names.

/** Section 2. */
export class Cursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(count: number): Uint8Array {
    const taken = this.#bytes.subarray(this.#at, this.#at + count);
    if (taken.length !== count) throw new Error(`${taken.length} of ${count} bytes`);
    this.#at += count;
    return taken;
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new Error('bytes are left');
  }

  byte(): number {
    return this.take(1)[0]!;
  }

  u32(): number {
    return Buffer.from(this.take(4)).readUInt32LE();
  }

  varuint(): number {
    let value = 0;
    for (let place = 1; ; place *= 128) {
      const byte = this.byte();
      value += (byte & 127) * place;
      if (byte < 128) return value;
    }
  }

  bytes(): Uint8Array {
    return this.take(this.varuint());
  }

  text(encoding: 'latin1' | 'utf8'): string {
    return Buffer.from(this.bytes()).toString(encoding);
  }

  hex(count: number): string {
    return Buffer.from(this.take(count)).toString('hex');
  }

  id(): string {
    return this.hex(16);
  }

  sequence() {
    return { version: this.varuint(), ordinal: this.varuint() };
  }

  suffix(before: string): string {
    return before.slice(0, this.varuint()) + this.text('latin1');
  }

  /** Each the suffix after the one before. */
  chain(count: number): string[] {
    let before = '';
    return this.times(count, () => (before = this.suffix(before)));
  }

  times<T>(count: number, read: () => T): T[] {
    return Array.from({ length: count }, read);
  }

  list<T>(read: () => T): T[] {
    return this.times(this.varuint(), read);
  }
}

export function named(names: readonly string[], number: number): string {
  const name = names[number];
  if (name === undefined) throw new Error(`number ${number} of ${names.join(', ')}`);
  return name;
}
