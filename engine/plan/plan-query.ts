// From a query's syntax tree to its physical plan: the entry of the planner, and UNION.

import { MusterError } from '../../base/errors.ts';
import { type DataType, formatType, sameType } from '../../storage-format/data-type.ts';
import { leastSupertype } from '../library/common-type.ts';
import type { FunctionContext } from '../library/scalar-function.ts';
import type { QuerySettings } from '../settings.ts';
import type { Query, TableExpression, TableName } from '../sql/ast.ts';
import { type AskExpression, askSize, askState, type BoundExpression } from './bound-expression.ts';
import { intoFragments } from './fragments.ts';
import { makeCast } from './function-calls.ts';
import { markNeeded } from './needed-columns.ts';
import type { Plan, ScannedTable } from './physical-plan.ts';
import { PlanBuilder } from './plan-builder.ts';
import { planSelect } from './plan-select.ts';
import { intoPlacedScans } from './placed-steps.ts';
import type { PlannedFiles, PlannedQuery, Planning } from './planning.ts';
import { type Definitions, definitionsOf, noDefinitions } from './scope.ts';

/** Bytes of states, their sizes, or they stay sets. */
export type AnsweredSets = 'state' | 'size' | 'sets';

interface PlanOptions {
  readonly text: string;
  readonly settings: QuerySettings;
  readonly functions: FunctionContext;
  readonly parameters: ReadonlyMap<string, string>;
  /** What sets become in the answer. */
  readonly sets: AnsweredSets;
  /** Columns of input() without a structure; gives undefined outside an INSERT. */
  readonly inputColumns: Planning['inputColumns'];
  /** What the query's table functions found. */
  readonly files?: ReadonlyMap<TableExpression, PlannedFiles>;
  table(name: TableName): ScannedTable;
}

/** Pure: all I/O it may cause is behind `table`. Throws what is wrong with the query. */
export function planStatement(query: Query, options: PlanOptions): Plan {
  const builder = new PlanBuilder();
  const planning: Planning = {
    ...options,
    builder,
    files: options.files ?? new Map(),
    table: (name) => options.table(name),
    planQuery: (inner, definitions) => planQuery(inner, planning, definitions),
    scalars: new Map(),
    membership: new Map(),
    subqueryNumbers: new Map(),
  };
  const planned = planQuery(query, planning, noDefinitions);
  const types = builder.node(planned.node).types;
  const ask = options.sets === 'size' ? askSize : askState;
  const node = options.sets === 'sets' ? planned.node : answerSets(planned.node, ask, planning);
  const columns = planned.names.map((name, i) => ({ name, type: types[i]! }));
  const plan = intoFragments(builder.finish(node, columns), planning);
  // What is written or exported is ids, all of them: they are gathered as rows.
  const givesSets = options.sets === 'sets' && types.some((type) => type.kind === 'Bitmap');
  return markNeeded(intoPlacedScans(plan, !givesSets));
}

/** The WITH list of the first SELECT is known to all that UNION adds to it. */
function planQuery(query: Query, planning: Planning, definitions: Definitions): PlannedQuery {
  const shared = definitionsOf(query.selects[0]!, definitions);
  const branches = query.selects.map((select, i) =>
    planSelect(select, planning, i === 0 ? shared : definitionsOf(select, shared)),
  );
  const first = branches[0]!;
  if (branches.length === 1) return first;
  const types = unionTypes(branches, planning);
  const inputs = branches.map((branch) => castBranch(branch, types, planning));
  const union = planning.builder.add({ op: 'union', inputs }, types);
  if (query.union === 'all') return { node: union, names: first.names };
  if (types.some((type) => type.kind === 'Bitmap')) {
    throw new MusterError('NOT_IMPLEMENTED', 'UNION DISTINCT over sets is not supported');
  }
  const node = planning.builder.add({ op: 'distinct', input: union, columns: types.length }, types);
  return { node, names: first.names };
}

function unionTypes(branches: readonly PlannedQuery[], planning: Planning): readonly DataType[] {
  const lists = branches.map((branch) => planning.builder.node(branch.node).types);
  const width = lists[0]!.length;
  if (lists.some((types) => types.length !== width)) {
    throw new MusterError(
      'UNION_ALL_RESULT_STRUCTURES_MISMATCH',
      `Different number of columns in UNION ALL elements: ${lists.map((types) => types.length).join(', ')}`,
    );
  }
  return Array.from({ length: width }, (_, i) => unionType(lists.map((types) => types[i]!)));
}

function unionType(types: readonly DataType[]): DataType {
  const first = types[0]!;
  if (types.every((type) => sameType(type, first))) return first;
  if (types.some((type) => type.kind === 'Bitmap')) {
    throw new MusterError(
      'TYPE_MISMATCH',
      `UNION ALL of different types: ${types.map(formatType).join(', ')}`,
    );
  }
  return leastSupertype(types);
}

function castBranch(
  branch: PlannedQuery,
  types: readonly DataType[],
  planning: Planning,
): PlannedQuery['node'] {
  const from = planning.builder.node(branch.node).types;
  if (from.every((type, i) => sameType(type, types[i]!))) return branch.node;
  const columns = from.map((type, index): BoundExpression => {
    const column: BoundExpression = { kind: 'column', type, index };
    return sameType(type, types[index]!) ? column : makeCast(column, types[index]!, planning);
  });
  return planning.builder.add({ op: 'project', input: branch.node, columns }, types);
}

/** The last question of a query, about the sets in its answer. */
function answerSets(node: number, askOf: typeof askState, planning: Planning): number {
  const { types } = planning.builder.node(node);
  const asks: AskExpression[] = [];
  const columns = types.map((type, index): BoundExpression => {
    const column: BoundExpression = { kind: 'column', type, index };
    if (type.kind !== 'Bitmap') return column;
    const ask = askOf(column);
    asks.push(ask);
    return { kind: 'column', type: ask.type, index: types.length + asks.length - 1 };
  });
  if (asks.length === 0) return node;
  const asked = planning.builder.add({ op: 'ask', input: node, asks }, [
    ...types,
    ...asks.map((ask) => ask.type),
  ]);
  return planning.builder.add(
    { op: 'project', input: asked, columns },
    columns.map((column) => column.type),
  );
}
