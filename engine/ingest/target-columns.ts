// From a source's columns to the table's: by position to the insert's columns, cast to their types;
// the table's other columns get their types' defaults.

import { domainOfIds, noKeys } from '../../storage-format/key-list.ts';
import { MusterError } from '../../base/errors.ts';
import type { ColumnSchema, TableSchema } from '../../catalog/schema.ts';
import {
  type DataType,
  formatType,
  isNullable,
  type NamedType,
  sameType,
  valueType,
} from '../../storage-format/data-type.ts';
import { emptyIdLists } from '../batch/id-list-builder.ts';
import { castColumn } from '../library/cast.ts';
import { nullMask, withoutNulls } from '../library/columns/nulls.ts';
import { takeOrDefault } from '../library/columns/take-or-default.ts';
import { maskIndex, placesIn, take } from '../library/columns/take.ts';
import type { QueryContext } from '../query-context.ts';
import { defaultColumn } from '../values/column-shape.ts';
import type { InsertBlock, InsertColumn } from './insert-block.ts';

interface FillOptions {
  readonly table: TableSchema;
  readonly targets: readonly ColumnSchema[];
  readonly context: QueryContext;
}

/** The block with one column per column of the table, in its order. */
export function fillColumns(
  block: InsertBlock,
  source: readonly NamedType[],
  options: FillOptions,
): InsertBlock {
  const { table, targets, context } = options;
  if (source.length !== targets.length) {
    throw new MusterError(
      'NUMBER_OF_COLUMNS_DOESNT_MATCH',
      `Number of columns doesn't match: the source has ${source.length}, the INSERT takes ${targets.length}`,
    );
  }
  const columns = table.columns.map((column): InsertColumn => {
    const at = targets.indexOf(column);
    const given = block.columns[at];
    const from = source[at];
    if (given === undefined || from === undefined) return absentColumn(column.type, block.rows);
    return convert(given, { from: from.type, column, context });
  });
  return { rows: block.rows, columns };
}

interface Conversion {
  readonly from: DataType;
  readonly column: ColumnSchema;
  readonly context: QueryContext;
}

/** A NULL for a column without NULL is its default, as ClickHouse's insert_null_as_default has it. */
function convert(given: InsertColumn, conversion: Conversion): InsertColumn {
  const { from, column, context } = conversion;
  if (sameType(from, column.type)) return given;
  if (given.kind === 'ids' || column.type.kind === 'Bitmap') {
    const hint = column.type.kind === 'Bitmap' ? idHint(from, column.type.id) : '';
    throw new MusterError(
      'CANNOT_CONVERT_TYPE',
      `Conversion from ${formatType(from)} to ${formatType(column.type)} is not supported: column ${column.name}${hint}`,
    );
  }
  const nulls = isNullable(column.type) ? undefined : nullMask(given);
  const to = { to: column.type, context: context.functions };
  if (nulls === undefined) return castColumn(given, from, to);
  const index = maskIndex(nulls.map((isNull) => 1 - isNull));
  const values = castColumn(withoutNulls(take(given, index)), valueType(from), to);
  return takeOrDefault(values, placesIn(index, nulls.length), column.type);
}

function idHint(from: DataType, id: DataType): string {
  return from.kind === 'Bitmap' ? `; make its ids ${id.kind} first, as in to${id.kind}(id)` : '';
}

function absentColumn(type: DataType, rows: number): InsertColumn {
  if (type.kind === 'Bitmap') {
    return { kind: 'ids', ids: emptyIdLists(noKeys(domainOfIds(type.id)), rows) };
  }
  return defaultColumn(type, rows);
}
