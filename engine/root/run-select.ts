// Runs a query: the snapshots it reads are taken first, then it is planned, then executed.

import { MusterError } from '../../base/errors.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { Column } from '../../storage-format/column.ts';
import { sliceRows } from '../../storage-format/column-rows.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import { idColumn, idDictionary } from '../ddl/grouping.ts';
import { requireTable } from '../ddl/table-lookup.ts';
import type { InsertBlock, InsertColumn } from '../ingest/insert-block.ts';
import type { Plan, ScannedTable } from '../plan/physical-plan.ts';
import { type AnsweredSets, planStatement } from '../plan/plan-query.ts';
import { openTableFunctions } from '../files/table-functions.ts';
import { databasesOf } from '../plan/table-names.ts';
import type { ResultBlock } from '../query.ts';
import type { QueryContext } from '../query-context.ts';
import { fullColumn } from '../rows/relation.ts';
import type { Query, TableName } from '../sql/ast.ts';
import { PlanRun } from './execute-plan.ts';

interface SelectRun {
  readonly columns: readonly NamedType[];
  readonly blocks: AsyncIterable<InsertBlock>;
}

/** For INSERT SELECT: sets come as lists of ids. */
export async function runSelect(
  query: Query,
  context: QueryContext,
  _options: { readonly sets: 'ids' },
): Promise<SelectRun> {
  const plan = await planFor(query, context, 'sets');
  const run = new PlanRun(plan, context, 'insert');
  return { columns: plan.columns, blocks: insertBlocks(run) };
}

async function* insertBlocks(run: PlanRun): AsyncGenerator<InsertBlock> {
  for await (const relation of run.stream()) {
    const sets = await run.gatherSets(relation);
    const columns = relation.columns.map(
      (column, i): InsertColumn => sets.get(i) ?? fullColumn(column, relation.rows),
    );
    yield { rows: relation.rows, columns };
  }
}

interface SelectResult {
  readonly columns: readonly NamedType[];
  readonly block: ResultBlock;
}

/** For INSERT INTO FUNCTION: sets come as the bytes of their states. */
export async function streamSelect(query: Query, context: QueryContext): Promise<StateRun> {
  const plan = await planFor(query, context, 'state');
  const run = new PlanRun(plan, context);
  return { columns: plan.columns, blocks: stateBlocks(run) };
}

interface StateRun {
  readonly columns: readonly NamedType[];
  readonly blocks: AsyncIterable<ResultBlock>;
}

async function* stateBlocks(run: PlanRun): AsyncGenerator<ResultBlock> {
  for await (const { rows, columns } of run.stream()) {
    yield { rows, columns: columns.map((column) => fullColumn(column, rows)) };
  }
}

/** Sets come as the bytes of ClickHouse's states, or as their sizes if no more is printed of them. */
export async function executeSelect(
  query: Query,
  context: QueryContext,
  sets: 'state' | 'size',
): Promise<SelectResult> {
  return await runPlan(await planFor(query, context, sets), context);
}

/** Of a plan whose sets are answered. */
export async function runPlan(plan: Plan, context: QueryContext): Promise<SelectResult> {
  const relation = await new PlanRun(plan, context).run();
  const rows = resultRows(relation.rows, context);
  const columns = relation.columns.map((column): Column => {
    const full = fullColumn(column, relation.rows);
    return rows < relation.rows ? sliceRows(full, 0, rows) : full;
  });
  return { columns: plan.columns, block: { rows, columns } };
}

export async function planFor(
  query: Query,
  context: QueryContext,
  sets: AnsweredSets,
): Promise<Plan> {
  const snapshots = await takeSnapshots(query, context);
  const files = await openTableFunctions(query, context);
  const table = (name: TableName): ScannedTable => {
    const database = name.database ?? context.request.database;
    const snapshot = snapshots.get(database);
    if (snapshot === undefined)
      throw new MusterError('LOGICAL_ERROR', `no snapshot of ${database}`);
    const schema = requireTable(snapshot, name.table);
    if (idColumn(schema) === undefined) return { database, schema };
    return { database, schema, idDictionary: idDictionary(schema, snapshot).id };
  };
  return planStatement(query, {
    text: context.request.text,
    settings: context.settings,
    functions: context.functions,
    parameters: context.request.parameters,
    sets,
    files,
    inputColumns: () => context.input?.open(undefined).columns,
    table,
  });
}

async function takeSnapshots(
  query: Query,
  context: QueryContext,
): Promise<ReadonlyMap<string, Snapshot>> {
  const names = [...databasesOf(query, context.request.database)];
  const snapshots = await Promise.all(names.map((name) => context.snapshot(name)));
  return new Map(names.map((name, i) => [name, snapshots[i]!]));
}

/** How many of the rows are given: with result_overflow_mode = 'break' the first of too many. */
function resultRows(rows: number, context: QueryContext): number {
  const { maxResultRows, resultOverflowMode } = context.settings;
  if (maxResultRows === 0 || rows <= maxResultRows) return rows;
  if (resultOverflowMode === 'break') return maxResultRows;
  throw new MusterError(
    'TOO_MANY_ROWS_OR_BYTES',
    `Limit for result exceeded: ${rows} rows, maximum: ${maxResultRows} (setting max_result_rows)`,
  );
}
