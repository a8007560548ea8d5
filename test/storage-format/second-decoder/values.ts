// Values of Arrow's buffers, by their type's name as the directory writes it.

import { Cursor, pad8, range } from './bytes.ts';

export type Value = null | number | bigint | string | boolean | readonly Value[];

export class Buffers {
  readonly #extent: Uint8Array;
  readonly #lengths: readonly number[];
  #next = 0;
  #at = 0;
  constructor(extent: Uint8Array, lengths: readonly number[]) {
    this.#extent = extent;
    this.#lengths = lengths;
  }
  next(): Uint8Array {
    const length = this.#lengths[this.#next++]!;
    const buffer = this.#extent.subarray(this.#at, this.#at + length);
    this.#at += pad8(length);
    return buffer;
  }
}

export function column(buffers: Buffers, written: string, count: number): Value[] {
  const type = written
    .replace(/^LowCardinality\((.*)\)$/, '$1')
    .replace(/^Nullable\((.*)\)$/, '$1');
  const validity = buffers.next();
  const isValid = (row: number) => validity.length === 0 || bit(validity, row);
  const values = plainColumn(buffers, type, count);
  return values.map((value, row) => (isValid(row) ? value : null));
}

function plainColumn(buffers: Buffers, type: string, count: number): Value[] {
  const rows = range(count);
  if (type.startsWith('Array(')) {
    const offsets = new Cursor(buffers.next());
    const ends = range(count + 1).map(() => offsets.u32());
    const items = column(buffers, type.slice(6, -1), ends[count]!);
    return rows.map((row) => items.slice(ends[row], ends[row + 1]));
  }
  if (type === 'String') {
    const offsets = new Cursor(buffers.next());
    const ends = range(count + 1).map(() => offsets.u32());
    const bytes = Buffer.from(buffers.next());
    return rows.map((row) => bytes.subarray(ends[row], ends[row + 1]).toString('latin1'));
  }
  const bytes = Buffer.from(buffers.next());
  if (type === 'UUID') {
    const half = (from: number) => bytes.subarray(from, from + 8).toString('latin1');
    return rows.map((r) => half(16 * r + 8) + half(16 * r));
  }
  if (type === 'Bool') return rows.map((row) => (bit(bytes, row) ? 1 : 0));
  if (type === 'Float32') return rows.map((row) => bytes.readFloatLE(4 * row));
  if (type === 'Float64') return rows.map((row) => bytes.readDoubleLE(8 * row));
  if (type === 'UInt8') return rows.map((row) => bytes.readUInt8(row));
  if (/^(Int8|Enum8)/.test(type)) return rows.map((row) => bytes.readInt8(row));
  if (/^(UInt16|Date$)/.test(type)) return rows.map((row) => bytes.readUInt16LE(2 * row));
  if (type === 'Int16') return rows.map((row) => bytes.readInt16LE(2 * row));
  if (/^(UInt32|DateTime($|\())/.test(type)) return rows.map((row) => bytes.readUInt32LE(4 * row));
  if (type === 'Int32') return rows.map((row) => bytes.readInt32LE(4 * row));
  if (type === 'UInt64') return rows.map((row) => bytes.readBigUInt64LE(8 * row));
  return rows.map((row) => bytes.readBigInt64LE(8 * row));
}

const bit = (bytes: Uint8Array, n: number) => (bytes[n >> 3]! & (1 << (n & 7))) !== 0;
