// EXPLAIN: the stages of a query with the root's operators and the questions of each stage's batch,
// from the plan alone; nothing is read but the catalog.

import { MusterError } from '../base/errors.ts';
import { encodeUtf8 } from '../base/utf8.ts';
import type { Column } from '../storage-format/column.ts';
import type { NamedType } from '../storage-format/data-type.ts';
import { printPlan } from './plan/plan-printer.ts';
import type { QueryContext } from './query-context.ts';
import { planFor } from './root/run-select.ts';
import type { Statement } from './sql/ast.ts';

export async function explainStatement(
  statement: Statement,
  context: QueryContext,
): Promise<{
  readonly columns: readonly NamedType[];
  readonly block: { readonly rows: number; readonly columns: readonly Column[] };
}> {
  if (statement.kind !== 'select') {
    throw new MusterError('NOT_IMPLEMENTED', 'EXPLAIN is supported for SELECT only');
  }
  const plan = await planFor(statement.query, context, 'state');
  const values = printPlan(plan).map((line) => encodeUtf8(line));
  return {
    columns: [{ name: 'explain', type: { kind: 'String' } }],
    block: { rows: values.length, columns: [{ kind: 'string', values }] },
  };
}
