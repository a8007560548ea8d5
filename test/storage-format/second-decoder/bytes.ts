// What the second decoder of parts and segments stands on: integers and texts, checksums, the index at the
// end. It is written from SPEC.md alone: it imports nothing of storage-format, is slow and plain, checks
// every checksum that it meets, and reads whole files.

export class Cursor {
  readonly bytes: Uint8Array;
  at: number;
  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  u8(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new Error('end of bytes');
    return byte;
  }
  u16(): number {
    return this.u8() + 256 * this.u8();
  }
  u32(): number {
    return this.u16() + 65536 * this.u16();
  }
  u64(): bigint {
    return BigInt(this.u32()) + (BigInt(this.u32()) << 32n);
  }
  varuint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.u8();
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  }
  text(): string {
    const length = this.varuint();
    this.at += length;
    return Buffer.from(this.bytes.subarray(this.at - length, this.at)).toString('utf8');
  }
  list<T>(next: () => T): T[] {
    return range(this.varuint()).map(next);
  }
  expectEnd(): void {
    if (this.at !== this.bytes.length) throw new Error('bytes left in the directory');
  }
}

export function openIndex(file: Uint8Array, end: number, kind: number) {
  const trailer = new Cursor(file, end - 32);
  const length = trailer.u32();
  const directoryLength = trailer.u32();
  const [version, minReader] = [trailer.u16(), trailer.u16()];
  if (version !== 1 || minReader !== 1) throw new Error('version');
  if (trailer.u32() !== kind || trailer.u32() !== 0) throw new Error('kind');
  const bytes = file.subarray(end - length, end);
  checked(bytes, 0, length - 12, trailer.u32());
  if (Buffer.from(bytes.subarray(length - 8)).toString() !== 'MUSTERIX') throw new Error('magic');
  const start = length - 32 - pad8(directoryLength);
  return { bytes, directory: new Cursor(bytes.subarray(start, start + directoryLength)) };
}

export function checked(
  bytes: Uint8Array,
  at: number,
  length: number,
  checksum: number,
): Uint8Array {
  const found = bytes.subarray(at, at + length);
  if (found.length !== length) throw new Error('end of file');
  let crc = 0xffff_ffff;
  for (const byte of found) {
    crc = (crc ^ byte) >>> 0;
    for (let i = 0; i < 8; i++) crc = ((crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0)) >>> 0;
  }
  if ((crc ^ 0xffff_ffff) >>> 0 !== checksum) throw new Error(`checksum at ${at}`);
  return found;
}

export const pad8 = (n: number) => Math.ceil(n / 8) * 8;
export const range = (n: number) => Array.from({ length: n }, (_, i) => i);
