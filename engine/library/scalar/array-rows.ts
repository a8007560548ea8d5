// What array functions share: arrays of an argument, arrays made of other arrays' items, and items
// numbered by value so that equality inside rows is equality of small integers.

import { assert } from '../../../base/assert.ts';
import type { Column } from '../../../storage-format/column.ts';
import { concatColumns } from '../../../storage-format/column-rows.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { fullColumn } from '../apply-function.ts';
import { castColumn } from '../cast.ts';
import { keyTable } from '../columns/key-table.ts';
import { take } from '../columns/take.ts';
import { illegalType } from '../function-errors.ts';
import type { Argument, FunctionCall } from '../scalar-function.ts';

export type ArrayColumn = Column & { readonly kind: 'array' };
type ArrayType = DataType & { readonly kind: 'Array' };

export function requireArray(name: string, type: DataType | undefined): ArrayType {
  if (type?.kind === 'Array') return type;
  throw illegalType(name, type ?? { kind: 'Nothing' }, '. Must be array');
}

/** The arrays of an argument, constants repeated. */
export function arrays(argument: Argument, rows: number): ArrayColumn {
  const column = fullColumn(argument, rows);
  assert(column.kind === 'array', 'an array argument');
  return column;
}

/** The arrays of an argument with items of another type. */
export function arraysOf(argument: Argument, item: DataType, call: FunctionCall): ArrayColumn {
  const to: DataType = { kind: 'Array', item };
  const column = castColumn(argument.column, argument.type, { to, context: call.context });
  return arrays({ type: to, column, constant: argument.constant }, call.rows);
}

export function startOf(column: ArrayColumn, row: number): number {
  return column.offsets[row] ?? 0;
}

export function endOf(column: ArrayColumn, row: number): number {
  return column.offsets[row + 1] ?? 0;
}

/** Arrays whose items are chosen, per row, from the items of one column. */
export function pickItems(
  column: ArrayColumn,
  rows: number,
  pick: (row: number, push: (item: number) => void) => void,
): ArrayColumn {
  const offsets = new Uint32Array(rows + 1);
  const chosen: number[] = [];
  const push = (item: number): void => {
    chosen.push(item);
  };
  for (let row = 0; row < rows; row++) {
    pick(row, push);
    offsets[row + 1] = chosen.length;
  }
  return { kind: 'array', offsets, items: take(column.items, Int32Array.from(chosen)) };
}

/** Items of several columns as one, and where each column's items begin. */
export function joinItems(columns: readonly Column[]): {
  readonly items: Column;
  readonly starts: readonly number[];
} {
  const starts: number[] = [];
  let total = 0;
  for (const column of columns) {
    starts.push(total);
    total += column.kind === 'tuple' ? column.length : lengthOf(column);
  }
  return { items: concatColumns(withEqualNulls(columns)), starts };
}

function lengthOf(column: Column): number {
  if (column.kind === 'array') return column.offsets.length - 1;
  return column.kind === 'tuple' ? column.length : column.values.length;
}

function withEqualNulls(columns: readonly Column[]): readonly Column[] {
  const some = columns.some(
    (c) => c.kind !== 'array' && c.kind !== 'tuple' && c.nulls !== undefined,
  );
  if (!some) return columns;
  return columns.map((c) =>
    c.kind === 'array' || c.kind === 'tuple' || c.nulls !== undefined
      ? c
      : { ...c, nulls: new Uint8Array(c.values.length) },
  );
}

/** Equal items of the columns (all of one type) get equal numbers. */
export function numberItems(type: DataType, columns: readonly Column[]): readonly Int32Array[] {
  const table = keyTable(type);
  return columns.map((column) => table.add(column, lengthOf(column)));
}
