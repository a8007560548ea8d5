// Which rows of a table that is read merged make which row: those of equal sorting keys within a
// partition, as its engine says. The root asks it over all stripes of a table, a worker over those of
// one group whose rows are whole there.

import { assert } from '../../base/assert.ts';
import type { TableSchema } from '../../catalog/schema.ts';
import type { Column } from '../../storage-format/column.ts';
import { arrangeRows, type MergedRows } from '../ingest/arrange-rows.ts';
import { keyColumns } from '../ingest/key-columns.ts';
import type { FunctionContext } from '../library/scalar-function.ts';
import type { Merging } from './scan-cache.ts';

interface MergeInput {
  readonly schema: TableSchema;
  readonly stripes: readonly { readonly rows: number; readonly partition: string }[];
  readonly functions: FunctionContext;
  /** All rows of a column of the schema. */
  column(at: number): Promise<Column>;
}

/** A partition of one stripe is merged already: its insert did that. */
export function mustMerge({ schema, stripes }: Pick<MergeInput, 'schema' | 'stripes'>): boolean {
  if (schema.engine === 'MergeTree') return false;
  return stripes.some((stripe, i) => i > 0 && stripe.partition === stripes[i - 1]!.partition);
}

export async function mergeRows(input: MergeInput): Promise<Merging> {
  const { schema, stripes, functions } = input;
  const { engine, orderBy, versionColumn, columns } = schema;
  const names = namesIn(
    orderBy,
    columns.map((column) => column.name),
  );
  const values = new Map<
    string,
    { type: TableSchema['columns'][number]['type']; values: Column }
  >();
  for (const [at, column] of columns.entries()) {
    if (!names.has(column.name) && column.name !== versionColumn) continue;
    values.set(column.name, { type: column.type, values: await input.column(at) });
  }
  const rows = stripes.reduce((sum, stripe) => sum + stripe.rows, 0);
  const sortingKey = keyColumns(orderBy, { columns: values, rows, context: { functions } });
  const version = versionColumn === undefined ? undefined : values.get(versionColumn)?.values;
  const arranged = arrangeRows({
    rows,
    engine,
    partition: { types: [{ kind: 'String' }], columns: [partitionColumn(stripes, rows)] },
    sortingKey,
    ...(version === undefined ? {} : { version }),
  });
  return mergingOf(
    arranged.map((partition) => partition.rows),
    engine === 'AggregatingMergeTree',
  );
}

function partitionColumn(stripes: MergeInput['stripes'], rows: number): Column {
  const values: string[] = [];
  for (const stripe of stripes) {
    for (let i = 0; i < stripe.rows; i++) values.push(stripe.partition);
  }
  assert(values.length === rows, 'a partition for each row');
  return { kind: 'string', values };
}

function mergingOf(partitions: readonly MergedRows[], folds: boolean): Merging {
  const count = partitions.reduce((sum, { starts }) => sum + Math.max(0, starts.length - 1), 0);
  const sources = partitions.reduce((sum, { order }) => sum + order.length, 0);
  const chosen = new Int32Array(count);
  const offsets = new Uint32Array(count + 1);
  const index = new Int32Array(sources);
  let row = 0;
  let at = 0;
  for (const { order, starts } of partitions) {
    for (let i = 0; i + 1 < starts.length; i++) {
      const end = starts[i + 1] as number;
      chosen[row] = order[starts[i] as number] as number;
      for (let j = starts[i] as number; j < end; j++) index[at++] = order[j] as number;
      offsets[++row] = at;
    }
  }
  return folds ? { chosen, lists: { offsets, index } } : { chosen };
}

/** Names of columns that occur in key expressions' text; a superset is enough. */
function namesIn(texts: readonly string[], names: readonly string[]): ReadonlySet<string> {
  return new Set(names.filter((name) => texts.some((text) => text.includes(name))));
}
