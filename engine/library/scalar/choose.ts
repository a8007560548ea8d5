// One column out of several: row i comes from branch choice[i]. What if, multiIf and coalesce share.

import { assert, defined } from '../../../base/assert.ts';
import { type Column, columnLength } from '../../../storage-format/column.ts';
import { concatColumns } from '../../../storage-format/column-rows.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { castColumn } from '../cast.ts';
import { take } from '../columns/take.ts';
import type { Argument, FunctionContext } from '../scalar-function.ts';

interface Choice {
  /** Branch number of each row. */
  readonly choice: Uint8Array | Int32Array;
  readonly type: DataType;
  readonly context: FunctionContext;
}

/** Branches are cast to the type; constant branches have one row. */
export function chooseRows(branches: readonly Argument[], wanted: Choice): Column {
  const { choice, type, context } = wanted;
  const columns = branches.map((branch) =>
    castColumn(branch.column, branch.type, { to: type, context }),
  );
  if (columns.every((c) => c.kind === 'string' && c.nulls === undefined)) {
    return chooseStrings(branches, columns, choice);
  }
  const starts: number[] = [];
  let total = 0;
  for (const column of columns) {
    starts.push(total);
    total += columnLength(column);
  }
  const index = new Int32Array(choice.length);
  for (let i = 0; i < choice.length; i++) {
    const branch = choice[i] ?? 0;
    index[i] = (starts[branch] ?? 0) + (branches[branch]?.constant === true ? 0 : i);
  }
  return take(concatColumns(unifyNulls(columns)), index);
}

function chooseStrings(
  branches: readonly Argument[],
  columns: readonly Column[],
  choice: Uint8Array | Int32Array,
): Column {
  const values = new Array<string>(choice.length);
  for (let i = 0; i < choice.length; i++) {
    const branch = choice[i] ?? 0;
    const column = defined(columns[branch], 'branch');
    assert(column.kind === 'string', 'string branches');
    values[i] = column.values[branches[branch]?.constant === true ? 0 : i] ?? '';
  }
  return { kind: 'string', values };
}

/** Columns that are made one must agree in having nulls. */
function unifyNulls(columns: readonly Column[]): Column[] {
  return columns.map((column) => {
    if (column.kind === 'array' || column.kind === 'tuple' || column.nulls !== undefined) {
      return column;
    }
    return { ...column, nulls: new Uint8Array(column.values.length) };
  });
}
