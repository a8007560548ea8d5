// A row of any column as a string that is equal exactly for equal rows: the hash key of arrays and
// tuples. Not an order and not a format: it lives in memory only.

import { defined } from '../../../base/assert.ts';
import type { Column } from '../../../storage-format/column.ts';

export function rowKey(column: Column, row: number): string {
  switch (column.kind) {
    case 'array': {
      const start = column.offsets[row] ?? 0;
      const end = column.offsets[row + 1] ?? 0;
      let key = `${end - start}[`;
      for (let i = start; i < end; i++) key += rowKey(column.items, i);
      return key;
    }
    case 'tuple':
      return column.fields.map((field) => rowKey(field, row)).join('');
    case 'string': {
      if (column.nulls?.[row] === 1) return 'N;';
      const text = defined(column.values[row], 'string row');
      return `${text.length}:${text}`;
    }
    default:
      return column.nulls?.[row] === 1 ? 'N;' : `${String(column.values[row])};`;
  }
}
