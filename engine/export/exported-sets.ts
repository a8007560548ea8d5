// What an export is of: a SELECT, one of whose columns are sets. It is planned and run as any query;
// its sets stay symbolic until their ids are asked for, piece by piece (id-chunks.ts).

import { MusterError } from '../../base/errors.ts';
import type { DataType, NamedType } from '../../storage-format/data-type.ts';
import type { QueryContext } from '../query-context.ts';
import { PlanRun } from '../root/execute-plan.ts';
import { planFor } from '../root/run-select.ts';
import { fullColumn, fullSet, type Relation } from '../rows/relation.ts';
import { parseStatement } from '../sql/statement-parser.ts';
import type { Column } from '../../storage-format/column.ts';
import type { IdSource } from './id-chunks.ts';

export interface ExportedSets {
  readonly columns: readonly NamedType[];
  /** Position of the column of sets, and what its ids are. */
  readonly at: number;
  readonly id: DataType;
  readonly rows: number;
  readonly source: IdSource;
  /** The other columns; the one of sets is undefined. */
  readonly others: readonly (Column | undefined)[];
}

/** BAD_ARGUMENTS where the text is no query with exactly one column of sets. */
export async function exportedSets(text: string, context: QueryContext): Promise<ExportedSets> {
  const statement = parseStatement(text);
  if (statement.kind !== 'select') {
    throw new MusterError('BAD_ARGUMENTS', 'What is exported is a SELECT');
  }
  const request = { ...context.request, text };
  const plan = await planFor(statement.query, { ...context, request }, 'sets');
  const { at, id } = setColumn(plan.columns);
  const run = new PlanRun(plan, context);
  const relation = await run.run();
  return {
    columns: plan.columns,
    at,
    id,
    rows: relation.rows,
    source: {
      graph: run.graph,
      node: fullSet(setOf(relation, at), relation.rows, run.graph),
      context,
    },
    others: relation.columns.map((column, i) =>
      i === at ? undefined : fullColumn(column, relation.rows),
    ),
  };
}

function setColumn(columns: readonly NamedType[]): { readonly at: number; readonly id: DataType } {
  const sets = columns.flatMap(({ type }, at) =>
    type.kind === 'Bitmap' ? [{ at, id: type.id }] : [],
  );
  const [only] = sets;
  if (only !== undefined && sets.length === 1) return only;
  throw new MusterError(
    'BAD_ARGUMENTS',
    `An export is of one column of sets, and the SELECT gives ${sets.length}: groupBitmapState, groupBitmapMergeState and bitmap columns are sets`,
  );
}

function setOf(relation: Relation, at: number): Relation['columns'][number] {
  const column = relation.columns[at];
  if (column === undefined) throw new Error('the column of sets is gone');
  return column;
}
