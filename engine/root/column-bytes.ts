// How many bytes a column holds, roughly: for the bounds of caches and memory budgets.

import type { Column } from '../../storage-format/column.ts';

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
