// min, max, argMin, argMax, any, anyLast.

import { grownArray } from '../../../base/grown-array.ts';
import type { Column } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import type { Value } from '../../values/column-builder.ts';
import { columnShape, defaultNumber } from '../../values/column-shape.ts';
import type { AggregateFunction, Aggregation } from '../aggregate-function.ts';
import { columnFromDoubles } from '../number-lanes.ts';
import { groupsNeeded } from './group-count.ts';
import { compareValues, KeptRows } from './kept-rows.ts';

/** Sign 1: the least; -1: the greatest. */
type Sign = 1 | -1;

/** Of values that are exact as doubles: typed arrays, a few nanoseconds a row. */
class NumberExtreme implements Aggregation {
  readonly #type: DataType;
  readonly #sign: Sign;
  #best = new Float64Array(0);
  #seen = new Uint8Array(0);

  constructor(type: DataType, sign: Sign) {
    this.#type = type;
    this.#sign = sign;
  }

  add(columns: readonly Column[], groups: Uint32Array): void {
    const column = columns[0]!;
    if (column.kind !== 'number') throw new Error('assertion failed: numbers');
    const { values } = column;
    const needed = groupsNeeded(groups);
    this.#best = grownArray(this.#best, needed);
    this.#seen = grownArray(this.#seen, needed);
    const [best, seen, sign] = [this.#best, this.#seen, this.#sign];
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i] ?? 0;
      const value = values[i] ?? 0;
      const current = best[group] ?? 0;
      if (seen[group] === 0 || sign * value < sign * current || Number.isNaN(current)) {
        best[group] = value;
        seen[group] = 1;
      }
    }
  }

  finish(groupCount: number): Column {
    const best = grownArray(this.#best, groupCount).slice(0, groupCount);
    const absent = defaultNumber(this.#type);
    if (absent !== 0) {
      for (let group = 0; group < groupCount; group++) {
        if (this.#seen[group] !== 1) best[group] = absent;
      }
    }
    return columnFromDoubles(this.#type, best);
  }

  bytes(): number {
    return this.#best.byteLength + this.#seen.byteLength;
  }
}

/** Keeps the first column's row where the last column's value is the extreme. */
class RowExtreme implements Aggregation {
  readonly #kept: KeptRows;
  readonly #keys: KeptRows;
  readonly #sign: Sign;

  constructor(type: DataType, keyType: DataType, sign: Sign) {
    this.#kept = new KeptRows(type);
    this.#keys = new KeptRows(keyType);
    this.#sign = sign;
  }

  add(columns: readonly Column[], groups: Uint32Array): void {
    const column = columns[0]!;
    const key = columns[columns.length - 1]!;
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i] ?? 0;
      const current = this.#keys.get(group);
      if (current !== undefined && !this.#beats(key, i, current)) continue;
      this.#keys.set(group, key, i);
      if (column !== key) this.#kept.set(group, column, i);
    }
  }

  finish(groupCount: number): Column {
    return this.#kept.finish(groupCount);
  }

  finishKeys(groupCount: number): Column {
    return this.#keys.finish(groupCount);
  }

  bytes(): number {
    return this.#kept.bytes() + this.#keys.bytes();
  }

  #beats(key: Column, row: number, current: Value): boolean {
    if (key.kind === 'array' || key.kind === 'tuple') {
      return compareValues(rowValue(key, row), current) * this.#sign < 0;
    }
    const value = key.values[row] ?? 0;
    if (current === null || typeof current === 'object') return false;
    if (Number.isNaN(current)) return !Number.isNaN(value);
    return this.#sign === 1 ? value < current : value > current;
  }
}

function rowValue(column: Column, row: number): Value {
  const kept = new KeptRows({ kind: 'Nothing' });
  kept.set(0, column, row);
  return kept.get(0) ?? null;
}

function extreme(name: string, sign: Sign): AggregateFunction {
  return {
    name,
    caseInsensitive: true,
    arity: [1, 1],
    returnType: ([type]) => type!,
    create: ([type]) => {
      if (columnShape(type!) === 'number') return new NumberExtreme(type!, sign);
      const rows = new RowExtreme(type!, type!, sign);
      return {
        add: (columns, groups) => rows.add(columns, groups),
        finish: (groupCount) => rows.finishKeys(groupCount),
        bytes: () => rows.bytes(),
      };
    },
  };
}

function argument(name: string, sign: Sign): AggregateFunction {
  return {
    name,
    arity: [2, 2],
    returnType: ([type]) => type!,
    create: ([type, keyType]) => new RowExtreme(type!, keyType!, sign),
  };
}

function anyOf(name: string, aliases: readonly string[], last: boolean): AggregateFunction {
  return {
    name,
    aliases,
    caseInsensitive: true,
    arity: [1, 1],
    returnType: ([type]) => type!,
    create: ([type]) => {
      const kept = new KeptRows(type!);
      return {
        add: ([column], groups) => {
          for (let i = 0; i < groups.length; i++) {
            const group = groups[i] ?? 0;
            if (last || !kept.has(group)) kept.set(group, column!, i);
          }
        },
        finish: (groupCount) => kept.finish(groupCount),
        bytes: () => kept.bytes(),
      };
    },
  };
}

export const extremeAggregates: readonly AggregateFunction[] = [
  extreme('min', 1),
  extreme('max', -1),
  argument('argMin', 1),
  argument('argMax', -1),
  anyOf('any', ['any_value', 'first_value'], false),
  anyOf('anyLast', ['last_value'], true),
];
