// Finding a table by name in a snapshot, with ClickHouse's error and the nearest name.

import { MusterError } from '../../base/errors.ts';
import { suggestion } from '../../base/nearest-name.ts';
import type { TableSchema } from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';

/** Throws UNKNOWN_TABLE (60). */
export function requireTable(snapshot: Snapshot, table: string): TableSchema {
  const found = snapshot.tables.get(table);
  if (found !== undefined) return found;
  throw new MusterError(
    'UNKNOWN_TABLE',
    `Table ${snapshot.database}.${table} does not exist${suggestion(table, snapshot.tables.keys())}`,
  );
}
