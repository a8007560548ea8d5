// count, sum, avg, and the variances.

import { grownArray } from '../../../base/grown-array.ts';
import { type Column, columnLength } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import type { AggregateFunction, Aggregation } from '../aggregate-function.ts';
import { illegalType } from '../function-errors.ts';
import { doubles } from '../number-lanes.ts';
import {
  float64,
  int64,
  isDateLike,
  isFloat,
  numericShape,
  storedShape,
  uint64,
} from '../numeric-types.ts';
import { groupsNeeded } from './group-count.ts';
import { isOneGroup } from './one-group.ts';
import { sumsOf } from './sums.ts';

class Counts {
  #counts = new Float64Array(0);

  add(groups: Uint32Array): void {
    this.#counts = grownArray(this.#counts, groupsNeeded(groups));
    const counts = this.#counts;
    if (isOneGroup(groups)) {
      if (groups.length > 0) counts[0] = counts[0]! + groups.length;
      return;
    }
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i] ?? 0;
      counts[group] = (counts[group] ?? 0) + 1;
    }
  }

  of(groupCount: number): Float64Array {
    return grownArray(this.#counts, groupCount).slice(0, groupCount);
  }

  bytes(): number {
    return this.#counts.byteLength;
  }
}

/** A UInt64 column of whole numbers below 2^53. */
export function countsColumn(counts: Float64Array): Column {
  const values = new BigUint64Array(counts.length);
  for (let i = 0; i < counts.length; i++) values[i] = BigInt(counts[i] ?? 0);
  return { kind: 'wide', values };
}

const count: AggregateFunction = {
  name: 'count',
  caseInsensitive: true,
  arity: [0, 1],
  ofNulls: 'empty',
  returnType: () => uint64,
  create: () => {
    const counts = new Counts();
    return {
      add: (_, groups) => counts.add(groups),
      finish: (groupCount) => countsColumn(counts.of(groupCount)),
      bytes: () => counts.bytes(),
    };
  },
};

function sumType(type: DataType): DataType {
  const shape = type.kind === 'Enum8' ? storedShape(type) : numericShape(type);
  if (shape === undefined) throw illegalType('sum', type, ' for aggregate function sum');
  if (shape.float) return float64;
  return shape.signed ? int64 : uint64;
}

const sum: AggregateFunction = {
  name: 'sum',
  caseInsensitive: true,
  arity: [1, 1],
  returnType: ([type]) => sumType(type!),
  create: ([type]) => {
    const returns = sumType(type!);
    const sums = sumsOf(type!, isFloat(type!));
    return {
      add: ([column], groups) => sums.add(column!, groups),
      finish: (groupCount) => {
        const integers = sums.integers(groupCount);
        if (integers === undefined) return { kind: 'number', values: sums.floats(groupCount) };
        const values =
          returns.kind === 'UInt64' ? new BigUint64Array(integers.buffer as ArrayBuffer) : integers;
        return { kind: 'wide', values };
      },
      bytes: () => sums.bytes(),
    };
  },
};

function averageType(type: DataType): DataType {
  if (isDateLike(type) || numericShape(type) === undefined) {
    throw illegalType('avg', type, ' for aggregate function avg');
  }
  return float64;
}

const average: AggregateFunction = {
  name: 'avg',
  caseInsensitive: true,
  arity: [1, 1],
  returnType: ([type]) => averageType(type!),
  create: ([type]) => {
    const sums = sumsOf(type!, isFloat(type!));
    const counts = new Counts();
    return {
      add: ([column], groups) => {
        sums.add(column!, groups);
        counts.add(groups);
      },
      finish: (groupCount) => {
        const numbers = counts.of(groupCount);
        const values = sums.floats(groupCount).map((total, i) => total / (numbers[i] ?? 0));
        return { kind: 'number', values };
      },
      bytes: () => sums.bytes() + counts.bytes(),
    };
  },
};

/** Welford's running mean and squared deviations. */
class Moments implements Aggregation {
  readonly #type: DataType;
  readonly #result: (deviations: number, count: number) => number;
  #counts = new Float64Array(0);
  #means = new Float64Array(0);
  #deviations = new Float64Array(0);

  constructor(type: DataType, result: (deviations: number, count: number) => number) {
    this.#type = type;
    this.#result = result;
  }

  add(columns: readonly Column[], groups: Uint32Array): void {
    const column = columns[0]!;
    const values = doubles({ type: this.#type, column, constant: false }, columnLength(column));
    const needed = groupsNeeded(groups);
    this.#counts = grownArray(this.#counts, needed);
    this.#means = grownArray(this.#means, needed);
    this.#deviations = grownArray(this.#deviations, needed);
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i] ?? 0;
      const value = values[i] ?? 0;
      const number = (this.#counts[group] ?? 0) + 1;
      const mean = this.#means[group] ?? 0;
      const moved = mean + (value - mean) / number;
      this.#counts[group] = number;
      this.#means[group] = moved;
      this.#deviations[group] = (this.#deviations[group] ?? 0) + (value - mean) * (value - moved);
    }
  }

  finish(groupCount: number): Column {
    const counts = grownArray(this.#counts, groupCount);
    const deviations = grownArray(this.#deviations, groupCount);
    const values = Float64Array.from({ length: groupCount }, (_, group) =>
      this.#result(deviations[group] ?? 0, counts[group] ?? 0),
    );
    return { kind: 'number', values };
  }

  bytes(): number {
    return this.#counts.byteLength * 3;
  }
}

function variance(
  name: string,
  aliases: readonly string[],
  result: (deviations: number, count: number) => number,
): AggregateFunction {
  return {
    name,
    aliases,
    caseInsensitive: true,
    arity: [1, 1],
    returnType: ([type]) => {
      if (numericShape(type!) === undefined) throw illegalType(name, type!);
      return float64;
    },
    create: ([type]) => new Moments(type!, result),
  };
}

const population = (deviations: number, n: number): number => deviations / n;
const sample = (deviations: number, n: number): number =>
  n < 2 ? Number.NaN : deviations / (n - 1);

export const sumAverageFunctions: readonly AggregateFunction[] = [
  count,
  sum,
  average,
  variance('varPop', ['var_pop'], population),
  variance('varSamp', ['var_samp'], sample),
  variance('stddevPop', ['stddev_pop'], (d, n) => Math.sqrt(population(d, n))),
  variance('stddevSamp', ['stddev_samp'], (d, n) => Math.sqrt(sample(d, n))),
];
