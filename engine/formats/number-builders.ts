// Builders of columns of numbers: integers to 32 bits, floats, and whatever is held as such
// (Bool, Date, DateTime, Enum8); and of 64-bit columns. What differs is how a text is read.

import { grownArray } from '../../base/grown-array.ts';
import type { NumberArray, WideArray } from '../../storage-format/column.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import type { InsertColumn } from '../ingest/insert-block.ts';
import { defaultNumber, numberArray } from '../values/column-shape.ts';
import type { PlainTaker, ScalarBuilder } from './input-builder.ts';
import { parseWideInteger, scanDigits } from './integer-text.ts';

export type NumberParser = (bytes: Buffer, start: number, end: number) => number;

interface NumberOptions {
  /** Of the shape 'number'. */
  readonly type: DataType;
  readonly parse: NumberParser;
  readonly json: 'number' | 'string' | 'bool';
  /** Of types of whole numbers. */
  readonly max?: number;
}

const firstCapacity = 1024;

export class NumberBuilder implements ScalarBuilder {
  readonly kind = 'scalar';
  readonly json: 'number' | 'string' | 'bool';
  readonly plain?: PlainTaker;
  readonly #parse: NumberParser;
  readonly #absent: number;
  readonly #max: number;
  #values: NumberArray;
  #length = 0;

  constructor(options: NumberOptions) {
    this.json = options.json;
    this.#parse = options.parse;
    this.#max = options.max ?? -1;
    this.#absent = defaultNumber(options.type);
    this.#values = numberArray(options.type, firstCapacity);
    const { max } = options;
    if (max !== undefined) this.plain = this.#plain(max);
  }

  get length(): number {
    return this.#length;
  }

  text(bytes: Buffer, start: number, end: number): void {
    this.#push(this.#parse(bytes, start, end));
  }

  binary(bytes: Buffer, at: number, end: number): number {
    const size = this.#values.BYTES_PER_ELEMENT;
    if (at + size > end) return -1;
    this.#push(readNumber(this.#values, bytes, at));
    return at + size;
  }

  digits(bytes: Buffer, start: number, end: number): number {
    const max = this.#max;
    let value = 0;
    for (let at = start; at < end; at++) {
      const digit = (bytes[at] as number) - 0x30;
      if (digit >>> 0 > 9) {
        if (at === start) return -1;
        this.#push(value);
        return at;
      }
      value = value * 10 + digit;
      if (value > max) return -1;
    }
    return -1;
  }

  null(): void {
    this.#push(this.#absent);
  }

  default(): void {
    this.#push(this.#absent);
  }

  truncate(length: number): void {
    this.#length = length;
  }

  finish(): InsertColumn {
    const values = this.#values.slice(0, this.#length);
    this.#length = 0;
    return { kind: 'number', values };
  }

  #plain(max: number): PlainTaker {
    const isSigned = isSignedArray(this.#values);
    return {
      shape: { kind: 'integer', isSigned, max },
      take: (parsed, field) => {
        const words = parsed.words(field);
        const length = this.#length + words.length;
        if (length > this.#values.length) this.#values = grownArray(this.#values, length);
        const { buffer, byteOffset } = words;
        const values = isSigned ? new Int32Array(buffer, byteOffset, words.length) : words;
        this.#values.set(values, this.#length);
        this.#length = length;
      },
    };
  }

  #push(value: number): void {
    if (this.#length === this.#values.length) {
      this.#values = grownArray(this.#values, this.#length + 1);
    }
    this.#values[this.#length++] = value;
  }
}

function isSignedArray(values: NumberArray): boolean {
  return [Int8Array, Int16Array, Int32Array].some((signed) => values instanceof signed);
}

/** Writes a 64-bit pattern as out[at] (low half), out[at + 1] (high half). */
export type WideParser = (
  bytes: Buffer,
  start: number,
  options: { readonly end: number; readonly out: Uint32Array; readonly at: number },
) => void;

export class WideBuilder implements ScalarBuilder {
  readonly kind = 'scalar';
  readonly json = 'number';
  readonly plain?: PlainTaker;
  readonly #signed: boolean;
  readonly #parse: WideParser | undefined;
  #halves = new Uint32Array(2 * firstCapacity);
  #length = 0;

  /** Without `parse` texts are whole numbers. */
  constructor(signed: boolean, parse?: WideParser) {
    this.#signed = signed;
    this.#parse = parse;
    if (parse !== undefined) return;
    this.plain = {
      shape: { kind: 'wide', isSigned: signed, max: 0 },
      take: (parsed, field) => this.#append(parsed.words(field)),
    };
  }

  get length(): number {
    return this.#length;
  }

  text(bytes: Buffer, start: number, end: number): void {
    this.#reserve();
    const out = this.#halves;
    const at = 2 * this.#length;
    if (this.#parse === undefined) {
      parseWideInteger(bytes, start, { end, signed: this.#signed, out, at });
    } else {
      this.#parse(bytes, start, { end, out, at });
    }
    this.#length++;
  }

  binary(bytes: Buffer, at: number, end: number): number {
    if (at + 8 > end) return -1;
    this.#reserve();
    this.#halves[2 * this.#length] = bytes.readUInt32LE(at);
    this.#halves[2 * this.#length + 1] = bytes.readUInt32LE(at + 4);
    this.#length++;
    return at + 8;
  }

  digits(bytes: Buffer, start: number, end: number): number {
    if (this.#parse !== undefined) return -1;
    this.#reserve();
    const at = 2 * this.#length;
    const stop = scanDigits(bytes, start, { end, out: this.#halves, at });
    if (stop === -1 || (this.#signed && this.#halves[at + 1]! >= 0x80000000)) return -1;
    this.#length++;
    return stop;
  }

  null(): void {
    this.default();
  }

  default(): void {
    this.#reserve();
    this.#halves.fill(0, 2 * this.#length, 2 * this.#length + 2);
    this.#length++;
  }

  truncate(length: number): void {
    this.#length = length;
  }

  finish(): InsertColumn {
    const copy = this.#halves.slice(0, 2 * this.#length);
    const values: WideArray = this.#signed
      ? new BigInt64Array(copy.buffer, 0, this.#length)
      : new BigUint64Array(copy.buffer, 0, this.#length);
    this.#length = 0;
    return { kind: 'wide', values };
  }

  #append(halves: Uint32Array): void {
    const end = 2 * this.#length + halves.length;
    if (end > this.#halves.length) this.#halves = grownArray(this.#halves, end);
    this.#halves.set(halves, 2 * this.#length);
    this.#length = end / 2;
  }

  #reserve(): void {
    if (2 * this.#length === this.#halves.length) {
      this.#halves = grownArray(this.#halves, 2 * this.#length + 2);
    }
  }
}

function readNumber(like: NumberArray, bytes: Buffer, at: number): number {
  if (like instanceof Float64Array) return bytes.readDoubleLE(at);
  if (like instanceof Float32Array) return bytes.readFloatLE(at);
  if (like instanceof Uint8Array) return bytes[at] as number;
  if (like instanceof Int8Array) return bytes.readInt8(at);
  if (like instanceof Uint16Array) return bytes.readUInt16LE(at);
  if (like instanceof Int16Array) return bytes.readInt16LE(at);
  return like instanceof Uint32Array ? bytes.readUInt32LE(at) : bytes.readInt32LE(at);
}
