// One value per group, kept out of the rows that went by: the storage of min, max, any, argMax.

import type { Column } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { columnBuilder, type Value, valueAt } from '../../values/column-builder.ts';

export class KeptRows {
  readonly #type: DataType;
  readonly #values: (Value | undefined)[] = [];

  constructor(type: DataType) {
    this.#type = type;
  }

  has(group: number): boolean {
    return this.#values[group] !== undefined;
  }

  get(group: number): Value | undefined {
    return this.#values[group];
  }

  /** Keeps the value at that row, in place of what was kept. */
  set(group: number, column: Column, row: number): void {
    while (this.#values.length < group) this.#values.push(undefined);
    this.#values[group] = valueAt(column, row);
  }

  /** The kept values, the type's default where nothing was. */
  finish(groupCount: number): Column {
    const builder = columnBuilder(this.#type, groupCount);
    for (let group = 0; group < groupCount; group++) {
      const value = this.#values[group];
      if (value === undefined) builder.appendNull();
      else builder.append(value);
    }
    return builder.finish();
  }

  bytes(): number {
    return this.#values.length * 24;
  }
}

/** SQL's order of two values of one type; NULLs and NaNs last. */
export function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === 'object' && typeof b === 'object') {
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      const difference = compareValues(a[i] ?? null, b[i] ?? null);
      if (difference !== 0) return difference;
    }
    return a.length - b.length;
  }
  if (a < b) return -1;
  return a > b ? 1 : 0;
}
