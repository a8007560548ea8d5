// The order of two rows by SQL's values: what sorting, min, max and comparison of composites use.

import { assert, defined } from '../../../base/assert.ts';
import type { Column } from '../../../storage-format/column.ts';

/** Where a NULL (and a NaN) goes: before or after every value, whatever the direction. */
interface RowOrder {
  readonly nullsFirst: boolean;
}

const nullsLast: RowOrder = { nullsFirst: false };

/** Negative, 0 or positive; NULLs and NaNs last. Both columns are of one type. */
export function compareRows(
  a: Column,
  b: Column,
  at: { readonly a: number; readonly b: number },
  order: RowOrder = nullsLast,
): number {
  if (a.kind === 'array') return compareArrays(a, b, at, order);
  if (a.kind === 'tuple') {
    assert(b.kind === 'tuple', 'rows of one type');
    for (let i = 0; i < a.fields.length; i++) {
      const difference = compareRows(field(a, i), field(b, i), at, order);
      if (difference !== 0) return difference;
    }
    return 0;
  }
  assert(b.kind === a.kind, 'rows of one type');
  const side = order.nullsFirst ? -1 : 1;
  const aNull = a.nulls?.[at.a] === 1;
  const bNull = b.nulls?.[at.b] === 1;
  if (aNull || bNull) return aNull === bNull ? 0 : aNull ? side : -side;
  return compareValues(defined(a.values[at.a], 'a row'), defined(b.values[at.b], 'b row'), side);
}

function compareValues(
  x: number | bigint | string,
  y: number | bigint | string,
  nanSide: number,
): number {
  if (x < y) return -1;
  if (x > y) return 1;
  if (x === y) return 0;
  const xNan = Number.isNaN(x);
  return xNan === Number.isNaN(y) ? 0 : xNan ? nanSide : -nanSide;
}

function compareArrays(
  a: Column & { readonly kind: 'array' },
  b: Column,
  at: { readonly a: number; readonly b: number },
  order: RowOrder,
): number {
  assert(b.kind === 'array', 'rows of one type');
  const aStart = a.offsets[at.a] ?? 0;
  const bStart = b.offsets[at.b] ?? 0;
  const aLength = (a.offsets[at.a + 1] ?? 0) - aStart;
  const bLength = (b.offsets[at.b + 1] ?? 0) - bStart;
  for (let i = 0; i < Math.min(aLength, bLength); i++) {
    const rows = { a: aStart + i, b: bStart + i };
    const difference = compareRows(a.items, b.items, rows, order);
    if (difference !== 0) return difference;
  }
  return aLength - bLength;
}

function field(column: Column & { readonly kind: 'tuple' }, i: number): Column {
  return defined(column.fields[i], 'tuple field');
}
