// How many bytes a column or a relation holds, roughly: for the bounds of caches and memory budgets.

import type { Column } from '../../storage-format/column.ts';
import type { Relation } from './relation.ts';

export function columnBytes(column: Column): number {
  switch (column.kind) {
    case 'number':
    case 'wide':
      return column.values.byteLength + (column.nulls?.byteLength ?? 0);
    case 'string': {
      const sampled = column.values.slice(0, 100).reduce((sum, value) => sum + value.length, 0);
      const average =
        column.values.length === 0 ? 0 : sampled / Math.min(100, column.values.length);
      return Math.ceil(column.values.length * (24 + average));
    }
    case 'array':
      return column.offsets.byteLength + columnBytes(column.items);
    case 'tuple':
      return column.fields.reduce((sum, field) => sum + columnBytes(field), 0);
  }
}

export function relationBytes(relation: Relation): number {
  let bytes = 0;
  for (const column of relation.columns) {
    if (column.kind === 'plain') bytes += columnBytes(column.column);
    else if (column.kind === 'set') bytes += 8 * relation.rows;
  }
  return bytes;
}
