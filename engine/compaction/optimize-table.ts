// OPTIMIZE TABLE: compaction when it is asked for, in the statement itself. Of what was there when it
// began: rows that come meanwhile are left to the next one.

import { partitionKey } from '../ddl/drop-partition.ts';
import { requireTable } from '../ddl/table-lookup.ts';
import { checkRunning, type QueryContext } from '../query-context.ts';
import type { Statement } from '../sql/ast.ts';
import { askedWork, compactOnce } from './compact-table.ts';

/** With FINAL as few stripes for each partition as may be; without it, what inserts would do. */
export async function optimizeTable(
  { name, partition, final }: Extract<Statement, { readonly kind: 'optimize' }>,
  context: QueryContext,
): Promise<void> {
  const database = name.database ?? context.request.database;
  const snapshot = await context.snapshot(database);
  const table = requireTable(snapshot, name.table);
  const through = snapshot.version;
  const all = { database, table, through };
  const target =
    partition === undefined
      ? all
      : { ...all, partitions: new Set([partitionKey(table, partition)]) };
  const plan = final ? 'whole' : 'due';
  do checkRunning(context);
  while (await compactOnce(target, { plan, ...askedWork }, context));
}
