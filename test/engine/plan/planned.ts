// Plans of SELECTs over tables that are nothing but schemas.

import type { ColumnSchema, TableSchema } from '../../../catalog/schema.ts';
import type { Plan } from '../../../engine/plan/physical-plan.ts';
import { planStatement } from '../../../engine/plan/plan-query.ts';
import { readSettings } from '../../../engine/settings.ts';
import { parseStatement } from '../../../engine/sql/statement-parser.ts';
import { parseType } from '../../../storage-format/data-type-parser.ts';

export const column = (id: number, name: string, type: string) =>
  ({ id, name, type: parseType(type), dictionary: 1 }) as unknown as ColumnSchema;

/** `t` is the one table, `d` the other. */
export function planned(
  text: string,
  tables: { readonly t: TableSchema; readonly d: TableSchema },
): Plan {
  const statement = parseStatement(text);
  if (statement.kind !== 'select') throw new Error('a SELECT');
  return planStatement(statement.query, {
    text,
    settings: readSettings(new Map()),
    functions: { timeZone: 'UTC', now: 0, database: 'd', user: 'u' },
    parameters: new Map(),
    sets: 'state',
    inputColumns: () => undefined,
    table: ({ table }) => ({ database: 'd', schema: table === 'd' ? tables.d : tables.t }),
  });
}
