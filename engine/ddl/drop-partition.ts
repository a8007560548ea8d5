// ALTER TABLE t DROP PARTITION p: the partition's rows go, and with them what its inserts' tokens said,
// so that the same tokens load again. The partition is named by the value of its key, or by several for
// a key of several: `'2026-01-01'`, `202601`, `(202601, 'de')`.

import { MusterError } from '../../base/errors.ts';
import type { Change } from '../../catalog/commit.ts';
import type { TableSchema } from '../../catalog/schema.ts';
import type { Column } from '../../storage-format/column.ts';
import { type DataType, formatType } from '../../storage-format/data-type.ts';
import { encodeKeyTuple, keyValueAt } from '../../storage-format/key-tuple.ts';
import { checkIntegersFit } from '../formats/parquet/integer-fit.ts';
import { convertColumn } from '../ingest/column-conversion.ts';
import { keyColumns } from '../ingest/key-columns.ts';
import type { FunctionContext } from '../library/scalar-function.ts';
import type { Expression } from '../sql/ast.ts';
import { printExpression } from '../sql/expression-printer.ts';
import { defaultColumn } from '../values/column-shape.ts';

/** Keys are read in UTC, as they are written. */
const functions: FunctionContext = { timeZone: 'UTC', now: 0, database: '', user: '' };

export function dropPartition(table: TableSchema, partition: Expression | 'all'): Change {
  const kind = 'truncate-table';
  if (partition === 'all') return { kind, table: table.id };
  return { kind, table: table.id, partition: partitionKey(table, partition) };
}

/** As stripes name their partition. */
export function partitionKey(table: TableSchema, partition: Expression): string {
  const types = partitionTypes(table);
  const given = keyColumns([printExpression(partition)], {
    columns: new Map(),
    rows: 1,
    context: { functions },
  });
  if (given.types.length !== types.length) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      `The partition key of ${table.name} has ${types.length} elements (${types.map(formatType).join(', ')}), ${printExpression(partition)} has ${given.types.length}`,
    );
  }
  const values = types.map((type, i) => {
    const [column, from] = [given.columns[i] as Column, given.types[i] as DataType];
    checkIntegersFit(column, from, type);
    const converted = convertColumn(column, from, { name: 'of the partition', type, functions });
    if (converted.kind === 'ids' || converted.kind === 'lists')
      throw new Error('bitmaps are in no key');
    return keyValueAt(converted, 0);
  });
  return Buffer.from(encodeKeyTuple(values, types)).toString('latin1');
}

/** Of the elements of its partition key. */
export function partitionTypes(table: TableSchema): readonly DataType[] {
  if (table.partitionBy === undefined) return [];
  const plain = table.columns.filter((column) => column.type.kind !== 'Bitmap');
  const columns = new Map(
    plain.map(({ name, type }) => [name, { type, values: defaultColumn(type, 1) }]),
  );
  return keyColumns([table.partitionBy], { columns, rows: 1, context: { functions } }).types;
}
