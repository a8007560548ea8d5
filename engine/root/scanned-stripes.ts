// The stripes that a scan reads: live ones of the statement's snapshot, without those that its
// condition leaves out, within the limit of rows to read.

import { MusterError } from '../../base/errors.ts';
import type { StripeEntry } from '../../catalog/entry.ts';
import type { TableSchema } from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { Operator } from '../plan/physical-plan.ts';
import type { QueryContext } from '../query-context.ts';
import { type StripeFilter, stripeFilter } from './stripe-pruning.ts';

type ScanOperator = Extract<Operator, { op: 'scan' }>;

export interface ScannedStripes {
  readonly snapshot: Snapshot;
  readonly stripes: readonly StripeEntry[];
}

/** TOO_MANY_ROWS where max_rows_to_read is exceeded. Counts the rows as read. */
export async function scannedStripes(
  operator: ScanOperator,
  context: QueryContext,
): Promise<ScannedStripes> {
  const { database, schema } = operator.table;
  const snapshot = await context.snapshot(database);
  const filter = stripeFilter(operator, context.functions);
  const found = await snapshot.stripes(schema.id, filter?.prunesPages ? filter.keeps : undefined);
  const stripes = filter === undefined ? found : found.filter((stripe) => keeps(filter, stripe));
  const rows = stripes.reduce((sum, stripe) => sum + stripe.rows, 0);
  checkRows(rows, schema, context);
  context.progress.readRows += rows;
  return { snapshot, stripes };
}

function keeps(filter: StripeFilter, stripe: StripeEntry): boolean {
  const { partition, keyMin, keyMax, zones } = stripe;
  return filter.keeps({
    partitionMin: partition,
    partitionMax: partition,
    keyMin,
    keyMax,
    zones,
  });
}

function checkRows(rows: number, schema: TableSchema, context: QueryContext): void {
  const { maxRowsToRead } = context.settings;
  if (maxRowsToRead === 0 || context.progress.readRows + rows <= maxRowsToRead) return;
  throw new MusterError(
    'TOO_MANY_ROWS',
    `Limit for rows to read exceeded: table ${schema.name} has ${rows} rows to read, maximum: ${maxRowsToRead} (setting max_rows_to_read)`,
  );
}
