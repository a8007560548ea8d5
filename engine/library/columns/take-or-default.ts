// Rows by number where a row may be missing: left joins and LEFT ARRAY JOIN. Apart from take.ts, for
// a type's default (NULL of Nullable, an enum's first member) can't be told from the column alone.

import { type Column, columnLength } from '../../../storage-format/column.ts';
import { concatColumns } from '../../../storage-format/column-rows.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { defaultColumn } from '../../values/column-shape.ts';
import { take } from './take.ts';

/** Row i of the result is row index[i] of the column, the type's default where that is -1. */
export function takeOrDefault(column: Column, index: Int32Array, type: DataType): Column {
  if (!index.includes(-1)) return take(column, index);
  const length = columnLength(column);
  const withDefault = concatColumns([column, defaultColumn(type, 1)]);
  return take(
    withDefault,
    index.map((row) => (row < 0 ? length : row)),
  );
}
