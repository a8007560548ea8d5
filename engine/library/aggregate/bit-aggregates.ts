// groupBitAnd, groupBitOr, groupBitXor over integers.

import { type Column, columnLength } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import type { AggregateFunction, Aggregation } from '../aggregate-function.ts';
import { illegalType } from '../function-errors.ts';
import { columnFromPatterns, patterns } from '../number-lanes.ts';
import { numericShape } from '../numeric-types.ts';
import { groupsNeeded } from './group-count.ts';

class BitFold implements Aggregation {
  readonly #type: DataType;
  readonly #start: number;
  readonly #combine: (a: number, b: number) => number;
  #halves = new Int32Array(0);

  constructor(type: DataType, start: number, combine: (a: number, b: number) => number) {
    this.#type = type;
    this.#start = start;
    this.#combine = combine;
  }

  add(columns: readonly Column[], groups: Uint32Array): void {
    const column = columns[0]!;
    const values = patterns({ type: this.#type, column, constant: false }, columnLength(column));
    this.#grow(groupsNeeded(groups));
    for (let i = 0; i < groups.length; i++) {
      const at = 2 * (groups[i] ?? 0);
      this.#halves[at] = this.#combine(this.#halves[at] ?? 0, values[2 * i] ?? 0);
      this.#halves[at + 1] = this.#combine(this.#halves[at + 1] ?? 0, values[2 * i + 1] ?? 0);
    }
  }

  finish(groupCount: number): Column {
    this.#grow(groupCount);
    return columnFromPatterns(this.#type, this.#halves.slice(0, groupCount * 2));
  }

  bytes(): number {
    return this.#halves.byteLength;
  }

  #grow(groupCount: number): void {
    if (groupCount * 2 <= this.#halves.length) return;
    const larger = new Int32Array(Math.max(groupCount, this.#halves.length) * 2).fill(this.#start);
    larger.set(this.#halves);
    this.#halves = larger;
  }
}

/** Bools fold as numbers. */
function foldType(type: DataType): DataType {
  return type.kind === 'Bool' ? { kind: 'UInt8' } : type;
}

function bitFold(
  name: string,
  start: number,
  combine: (a: number, b: number) => number,
): AggregateFunction {
  return {
    name,
    arity: [1, 1],
    returnType: ([type]) => {
      if (numericShape(type!)?.float !== false) throw illegalType(name, type!);
      return foldType(type!);
    },
    create: ([type]) => new BitFold(foldType(type!), start, combine),
  };
}

export const bitAggregates: readonly AggregateFunction[] = [
  bitFold('groupBitAnd', -1, (a, b) => a & b),
  bitFold('groupBitOr', 0, (a, b) => a | b),
  bitFold('groupBitXor', 0, (a, b) => a ^ b),
];
