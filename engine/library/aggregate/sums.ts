// Exact sums of numbers per group. Integers up to 32 bits add as doubles and spill into 64-bit words
// before they could lose a bit; 64-bit integers add as halves modulo 2^64; floats add as doubles.

import { assert } from '../../../base/assert.ts';
import { grownArray } from '../../../base/grown-array.ts';
import { type Column, columnLength } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { wideHalves } from '../columns/halves.ts';
import { doubles } from '../number-lanes.ts';
import { groupsNeeded } from './group-count.ts';

const spillAt = 2 ** 52;

interface Sums {
  add(column: Column, groups: Uint32Array): void;
  /** 64-bit patterns of integer sums; undefined for floats. */
  integers(groupCount: number): BigInt64Array | undefined;
  floats(groupCount: number): Float64Array;
  bytes(): number;
}

/** `type` is a number, or stored as one. */
export function sumsOf(type: DataType, isFloat: boolean): Sums {
  if (isFloat) return new FloatSums(type);
  return type.kind === 'Int64' || type.kind === 'UInt64' || type.kind === 'DateTime64'
    ? new WideSums(type.kind === 'UInt64')
    : new SmallSums(type);
}

class FloatSums implements Sums {
  readonly #type: DataType;
  #sums = new Float64Array(0);

  constructor(type: DataType) {
    this.#type = type;
  }

  add(column: Column, groups: Uint32Array): void {
    const values = doubles({ type: this.#type, column, constant: false }, columnLength(column));
    this.#sums = grownArray(this.#sums, groupsNeeded(groups));
    const sums = this.#sums;
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i] ?? 0;
      sums[group] = (sums[group] ?? 0) + (values[i] ?? 0);
    }
  }

  integers(): undefined {
    return undefined;
  }

  floats(groupCount: number): Float64Array {
    return grownArray(this.#sums, groupCount).slice(0, groupCount);
  }

  bytes(): number {
    return this.#sums.byteLength;
  }
}

class SmallSums implements Sums {
  readonly #type: DataType;
  #sums = new Float64Array(0);
  #spilled: bigint[] = [];

  constructor(type: DataType) {
    this.#type = type;
  }

  add(column: Column, groups: Uint32Array): void {
    const values = doubles({ type: this.#type, column, constant: false }, columnLength(column));
    this.#sums = grownArray(this.#sums, groupsNeeded(groups));
    const sums = this.#sums;
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i] ?? 0;
      const sum = (sums[group] ?? 0) + (values[i] ?? 0);
      sums[group] = sum;
      if (sum > spillAt || sum < -spillAt) this.#spill(group);
    }
  }

  integers(groupCount: number): BigInt64Array {
    const sums = grownArray(this.#sums, groupCount);
    const result = new BigInt64Array(groupCount);
    for (let group = 0; group < groupCount; group++) {
      result[group] = BigInt(sums[group] ?? 0) + (this.#spilled[group] ?? 0n);
    }
    return result;
  }

  floats(groupCount: number): Float64Array {
    return Float64Array.from(this.integers(groupCount), Number);
  }

  bytes(): number {
    return this.#sums.byteLength;
  }

  #spill(group: number): void {
    while (this.#spilled.length <= group) this.#spilled.push(0n);
    this.#spilled[group] = (this.#spilled[group] ?? 0n) + BigInt(this.#sums[group] ?? 0);
    this.#sums[group] = 0;
  }
}

class WideSums implements Sums {
  readonly #unsigned: boolean;
  #halves = new Int32Array(0);

  constructor(unsigned: boolean) {
    this.#unsigned = unsigned;
  }

  add(column: Column, groups: Uint32Array): void {
    assert(column.kind === 'wide', '64-bit integers are wide');
    const values = wideHalves(column.values);
    this.#halves = grownArray(this.#halves, groupsNeeded(groups) * 2);
    const sums = this.#halves;
    for (let i = 0; i < groups.length; i++) {
      const at = 2 * (groups[i] ?? 0);
      const low = ((sums[at] ?? 0) >>> 0) + ((values[2 * i] ?? 0) >>> 0);
      sums[at] = low;
      sums[at + 1] = (sums[at + 1] ?? 0) + (values[2 * i + 1] ?? 0) + (low > 0xffffffff ? 1 : 0);
    }
  }

  integers(groupCount: number): BigInt64Array {
    const halves = grownArray(this.#halves, groupCount * 2).slice(0, groupCount * 2);
    return new BigInt64Array(halves.buffer);
  }

  floats(groupCount: number): Float64Array {
    const sums = this.integers(groupCount);
    if (!this.#unsigned) return Float64Array.from(sums, Number);
    return Float64Array.from(new BigUint64Array(sums.buffer as ArrayBuffer), Number);
  }

  bytes(): number {
    return this.#halves.byteLength;
  }
}
