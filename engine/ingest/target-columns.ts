// From a source's columns to the table's: by position to the insert's columns, cast to their types;
// the table's other columns get their types' defaults.

import { domainOfIds, noKeys } from '../../storage-format/key-list.ts';
import { MusterError } from '../../base/errors.ts';
import type { DataType, NamedType } from '../../storage-format/data-type.ts';
import { emptyIdLists } from '../batch/id-list-builder.ts';
import type { QueryContext } from '../query-context.ts';
import { defaultColumn } from '../values/column-shape.ts';
import { convertColumn } from './column-conversion.ts';
import type { InsertBlock, InsertColumn } from './insert-block.ts';

interface FillOptions {
  /** What the rows become. */
  readonly table: { readonly columns: readonly NamedType[] };
  /** Of those, what the source gives. */
  readonly targets: readonly NamedType[];
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
    return convertColumn(given, from.type, { ...column, functions: context.functions });
  });
  return { rows: block.rows, columns };
}

function absentColumn(type: DataType, rows: number): InsertColumn {
  if (type.kind === 'Bitmap') {
    return { kind: 'ids', ids: emptyIdLists(noKeys(domainOfIds(type.id)), rows) };
  }
  return defaultColumn(type, rows);
}
