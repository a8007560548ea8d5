// Validity of columns: which rows are NULL, and the same values with other nulls.

import type { Column } from '../../../storage-format/column.ts';

/** A byte per row, 1 = NULL; undefined when no row is NULL. */
export function nullMask(column: Column): Uint8Array | undefined {
  if (column.kind === 'array' || column.kind === 'tuple') return undefined;
  return column.nulls?.includes(1) === true ? column.nulls : undefined;
}

/** The same values, none of them NULL. */
export function withoutNulls(column: Column): Column {
  switch (column.kind) {
    case 'number':
      return column.nulls === undefined ? column : { kind: 'number', values: column.values };
    case 'wide':
      return column.nulls === undefined ? column : { kind: 'wide', values: column.values };
    case 'string':
      return column.nulls === undefined ? column : { kind: 'string', values: column.values };
    default:
      return column;
  }
}

/** The same values with these nulls; the values of null rows become the default. */
export function withNulls(column: Column, nulls: Uint8Array): Column {
  if (column.kind === 'array' || column.kind === 'tuple') return column;
  if (!nulls.includes(1)) return { ...column, nulls };
  if (column.kind === 'number') {
    const values = column.values.slice();
    for (let i = 0; i < nulls.length; i++) if (nulls[i] === 1) values[i] = 0;
    return { kind: 'number', values, nulls };
  }
  if (column.kind === 'wide') {
    const values = column.values.slice();
    const halves = new Int32Array(values.buffer);
    for (let i = 0; i < nulls.length; i++) {
      if (nulls[i] === 1) halves[2 * i] = halves[2 * i + 1] = 0;
    }
    return { kind: 'wide', values, nulls };
  }
  return { kind: 'string', values: column.values.map((v, i) => (nulls[i] === 1 ? '' : v)), nulls };
}

/** The rows that are NULL in any of the columns; undefined when none is. */
export function anyNull(columns: readonly Column[], rows: number): Uint8Array | undefined {
  let result: Uint8Array | undefined;
  for (const column of columns) {
    const mask = nullMask(column);
    if (mask === undefined) continue;
    if (result === undefined) result = mask.slice(0, rows);
    else for (let i = 0; i < rows; i++) if (mask[i] === 1) result[i] = 1;
  }
  return result;
}
