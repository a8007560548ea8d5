// uniqExact (and uniq, which is exact here), groupArray, groupUniqArray.

import { grownArray } from '../../../base/grown-array.ts';
import type { Column } from '../../../storage-format/column.ts';
import { concatColumns } from '../../../storage-format/column-rows.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { defaultColumn } from '../../values/column-shape.ts';
import type { AggregateFunction, Aggregation } from '../aggregate-function.ts';
import { GroupTable } from '../columns/group-table.ts';
import { take } from '../columns/take.ts';
import { uint64 } from '../numeric-types.ts';
import { groupsNeeded } from './group-count.ts';
import { countsColumn } from './sum-average.ts';

/** Which rows bring a (group, values) that was not there before. */
export class DistinctRows {
  readonly #table: GroupTable;

  constructor(types: readonly DataType[]) {
    this.#table = new GroupTable([{ kind: 'UInt32' }, ...types]);
  }

  firstRows(columns: readonly Column[], groups: Uint32Array): Int32Array {
    let next = this.#table.size;
    const numbers = this.#table.add(
      [{ kind: 'number', values: groups }, ...columns],
      groups.length,
    );
    const rows: number[] = [];
    for (let i = 0; i < numbers.length; i++) {
      if (numbers[i] !== next) continue;
      rows.push(i);
      next++;
    }
    return Int32Array.from(rows);
  }

  bytes(): number {
    return this.#table.bytes();
  }
}

class DistinctCount implements Aggregation {
  readonly #rows: DistinctRows;
  #counts = new Float64Array(0);

  constructor(types: readonly DataType[]) {
    this.#rows = new DistinctRows(types);
  }

  add(columns: readonly Column[], groups: Uint32Array): void {
    this.#counts = grownArray(this.#counts, groupsNeeded(groups));
    for (const row of this.#rows.firstRows(columns, groups)) {
      const group = groups[row] ?? 0;
      this.#counts[group] = (this.#counts[group] ?? 0) + 1;
    }
  }

  finish(groupCount: number): Column {
    return countsColumn(grownArray(this.#counts, groupCount).slice(0, groupCount));
  }

  bytes(): number {
    return this.#rows.bytes() + this.#counts.byteLength;
  }
}

/** All values of each group, in the order in which they came. */
class Collected implements Aggregation {
  readonly #type: DataType;
  readonly #distinct: DistinctRows | undefined;
  readonly #columns: Column[] = [];
  readonly #groups: Uint32Array[] = [];
  #rows = 0;

  constructor(type: DataType, distinct: boolean) {
    this.#type = type;
    this.#distinct = distinct ? new DistinctRows([type]) : undefined;
  }

  add(columns: readonly Column[], groups: Uint32Array): void {
    const column = columns[0]!;
    const rows = this.#distinct?.firstRows(columns, groups);
    this.#columns.push(rows === undefined ? column : take(column, rows));
    const kept =
      rows === undefined ? groups.slice() : Uint32Array.from(rows, (i) => groups[i] ?? 0);
    this.#groups.push(kept);
    this.#rows += kept.length;
  }

  /** A counting sort of all rows by group. */
  finish(groupCount: number): Column {
    const offsets = new Uint32Array(groupCount + 1);
    for (const groups of this.#groups) {
      for (const group of groups) offsets[group + 1] = (offsets[group + 1] ?? 0) + 1;
    }
    for (let g = 1; g <= groupCount; g++) offsets[g] = (offsets[g] ?? 0) + (offsets[g - 1] ?? 0);
    const next = offsets.slice();
    const index = new Int32Array(this.#rows);
    let row = 0;
    for (const groups of this.#groups) {
      for (const group of groups) {
        index[next[group] ?? 0] = row++;
        next[group] = (next[group] ?? 0) + 1;
      }
    }
    const all =
      this.#columns.length === 0 ? defaultColumn(this.#type, 0) : concatColumns(this.#columns);
    return { kind: 'array', offsets, items: take(all, index) };
  }

  bytes(): number {
    return this.#rows * 16 + (this.#distinct?.bytes() ?? 0);
  }
}

function distinctCount(name: string, aliases: readonly string[]): AggregateFunction {
  return {
    name,
    aliases,
    arity: [1, Number.POSITIVE_INFINITY],
    ofNulls: 'empty',
    returnType: () => uint64,
    create: (types) => new DistinctCount(types),
  };
}

function collector(name: string, aliases: readonly string[], distinct: boolean): AggregateFunction {
  return {
    name,
    aliases,
    caseInsensitive: aliases.length > 0,
    arity: [1, 1],
    ofNulls: 'empty',
    returnType: ([type]) => ({ kind: 'Array', item: type! }),
    create: ([type]) => new Collected(type!, distinct),
  };
}

export const distinctAggregates: readonly AggregateFunction[] = [
  distinctCount('uniqExact', []),
  distinctCount('uniq', ['approx_count_distinct']),
  collector('groupArray', ['array_agg'], false),
  collector('groupUniqArray', [], true),
];
