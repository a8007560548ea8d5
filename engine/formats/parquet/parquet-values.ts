// Physical values of pages become a column of values: typed arrays are copied whole where the values
// are what the column holds, everything else goes value by value.

import { grownArray } from '../../../base/grown-array.ts';
import type { Column, NumberArray, WideArray } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { nilUuid, swapUuidHalves } from '../../../storage-format/uuid.ts';
import { numberArray, wideArray } from '../../values/column-shape.ts';
import type { LeafReading, ParquetColumn } from './parquet-schema.ts';

export abstract class Sink {
  count = 0;
  #nulls: Uint8Array | undefined;

  abstract addAll(values: ArrayLike<unknown>, from: number, to: number): void;

  /** The entries of `dictionary` with these numbers. */
  abstract addNumbered(dictionary: ArrayLike<unknown>, numbers: ArrayLike<number>): void;

  /** NULLs are the type's default where the column can't hold them. */
  abstract finish(nullable: boolean): Column;

  protected markNull(row: number): void {
    this.#nulls = grownArray(this.#nulls ?? new Uint8Array(1024), row + 1);
    this.#nulls[row] = 1;
  }

  protected nulls(nullable: boolean): { nulls?: Uint8Array } {
    if (!nullable || this.#nulls === undefined) return {};
    const nulls = new Uint8Array(this.count);
    nulls.set(this.#nulls.subarray(0, this.count));
    return { nulls };
  }
}

export function sinkOf(column: Pick<ParquetColumn, 'leaf' | 'valueType'>, rows: number): Sink {
  const { leaf, valueType } = column;
  switch (leaf.shape) {
    case 'wide':
      return new WideSink(valueType, leaf, rows);
    case 'bytes':
      return new StringSink('', latin1);
    case 'uuid':
      return new StringSink(nilUuid, (bytes) => swapUuidHalves(latin1(bytes)));
    default:
      return new NumberSink(valueType, leaf, rows);
  }
}

class NumberSink extends Sink {
  #values: NumberArray;
  #dictionary: ArrayLike<unknown> | undefined;
  #known = new Float64Array(0);
  readonly #read: ((value: never) => number) | undefined;

  constructor(type: DataType, leaf: LeafReading, rows: number) {
    super();
    this.#values = numberArray(type, Math.max(16, rows));
    this.#read = leaf.shape === 'bool' ? Number : 'from' in leaf ? (leaf.from as never) : undefined;
  }

  addAll(values: ArrayLike<unknown>, from: number, to: number): void {
    this.#values = grownArray(this.#values, this.count + to - from);
    const out = this.#values;
    const read = this.#read;
    if (isWide(values)) {
      const halves = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
      for (let at = from; at < to; at++) out[this.count++] = halves[2 * at] as number;
      return;
    }
    if (read === undefined && ArrayBuffer.isView(values)) {
      out.set((values as unknown as NumberArray).subarray(from, to), this.count);
      this.count += to - from;
      return;
    }
    for (let at = from; at < to; at++) {
      const value = values[at];
      if (value === null || value === undefined) {
        this.markNull(this.count);
        out[this.count++] = 0;
      } else {
        out[this.count++] = read === undefined ? plainNumber(value) : read(value as never);
      }
    }
  }

  addNumbered(dictionary: ArrayLike<unknown>, numbers: ArrayLike<number>): void {
    this.#values = grownArray(this.#values, this.count + numbers.length);
    const read = this.#read ?? plainNumber;
    const known = this.#numbersOf(dictionary, read);
    for (let at = 0; at < numbers.length; at++) {
      this.#values[this.count++] = known[numbers[at] as number] as number;
    }
  }

  /** Made once: a page's values come in as many pieces as it has NULLs. */
  #numbersOf(dictionary: ArrayLike<unknown>, read: (value: never) => number): Float64Array {
    if (this.#dictionary !== dictionary) {
      this.#dictionary = dictionary;
      this.#known = Float64Array.from({ length: dictionary.length }, (_, i) =>
        read(dictionary[i] as never),
      );
    }
    return this.#known;
  }

  finish(nullable: boolean): Column {
    const values = this.#values.slice(0, this.count);
    return { kind: 'number', values, ...this.nulls(nullable) };
  }
}

/** What comes as 64 bits are 32 (see parquet-file.ts); typed arrays of 32 bits wrap by themselves. */
function plainNumber(value: unknown): number {
  return typeof value === 'bigint' ? Number(BigInt.asIntN(32, value)) : (value as number);
}

class WideSink extends Sink {
  #values: WideArray;
  #dictionary: ArrayLike<unknown> | undefined;
  #known = new BigInt64Array(0);
  readonly #read: ((value: unknown) => bigint) | undefined;

  constructor(type: DataType, leaf: LeafReading, rows: number) {
    super();
    this.#values = wideArray(type, Math.max(16, rows));
    this.#read = leaf.shape === 'wide' ? leaf.from : undefined;
  }

  addAll(values: ArrayLike<unknown>, from: number, to: number): void {
    this.#values = grownArray(this.#values, this.count + to - from);
    const out = this.#values;
    const read = this.#read;
    if (read === undefined && isWide(values)) {
      // As patterns: Int64 and UInt64 differ in nothing else.
      const bits = new BigInt64Array(out.buffer, out.byteOffset, out.length);
      bits.set(
        new BigInt64Array(values.buffer, values.byteOffset, values.length).subarray(from, to),
        this.count,
      );
      this.count += to - from;
      return;
    }
    for (let at = from; at < to; at++) {
      const value = values[at];
      if (value === null || value === undefined) {
        this.markNull(this.count);
        out[this.count++] = 0n;
      } else {
        out[this.count++] = read === undefined ? (value as bigint) : read(value);
      }
    }
  }

  addNumbered(dictionary: ArrayLike<unknown>, numbers: ArrayLike<number>): void {
    this.#values = grownArray(this.#values, this.count + numbers.length);
    const read = this.#read;
    const known = this.#patternsOf(dictionary, read);
    // By halves: no object is made for a value.
    const from = new Int32Array(known.buffer);
    const out = new Int32Array(
      this.#values.buffer,
      this.#values.byteOffset,
      2 * this.#values.length,
    );
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at] as number;
      out[2 * this.count] = from[2 * number] as number;
      out[2 * this.count++ + 1] = from[2 * number + 1] as number;
    }
  }

  #patternsOf(
    dictionary: ArrayLike<unknown>,
    read: ((value: unknown) => bigint) | undefined,
  ): BigInt64Array {
    if (this.#dictionary !== dictionary) {
      this.#dictionary = dictionary;
      this.#known = BigInt64Array.from({ length: dictionary.length }, (_, i) =>
        read === undefined ? (dictionary[i] as bigint) : read(dictionary[i]),
      );
    }
    return this.#known;
  }

  finish(nullable: boolean): Column {
    const values = this.#values.slice(0, this.count);
    return { kind: 'wide', values, ...this.nulls(nullable) };
  }
}

function isWide(values: ArrayLike<unknown>): values is BigInt64Array {
  return values instanceof BigInt64Array || values instanceof BigUint64Array;
}

class StringSink extends Sink {
  readonly #values: string[] = [];
  readonly #absent: string;
  readonly #read: (bytes: Uint8Array) => string;
  /** Values of a dictionary come as the same arrays again and again. */
  readonly #known = new Map<Uint8Array, string>();

  constructor(absent: string, read: (bytes: Uint8Array) => string) {
    super();
    this.#absent = absent;
    this.#read = read;
  }

  addAll(values: ArrayLike<unknown>, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const value = values[at] as Uint8Array | null | undefined;
      if (value === null || value === undefined) {
        this.markNull(this.count);
        this.#values.push(this.#absent);
      } else {
        this.#values.push(this.#text(value));
      }
      this.count++;
    }
  }

  addNumbered(dictionary: ArrayLike<unknown>, numbers: ArrayLike<number>): void {
    for (let at = 0; at < numbers.length; at++) {
      this.#values.push(this.#text(dictionary[numbers[at] as number] as Uint8Array));
    }
    this.count += numbers.length;
  }

  finish(nullable: boolean): Column {
    return { kind: 'string', values: this.#values, ...this.nulls(nullable) };
  }

  #text(bytes: Uint8Array): string {
    const known = this.#known.get(bytes);
    if (known !== undefined) return known;
    const text = this.#read(bytes);
    if (this.#known.size < dictionaryMax) this.#known.set(bytes, text);
    return text;
  }
}

/** Where values aren't shared the look-up helps nothing, and must not grow with them. */
const dictionaryMax = 4096;

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
