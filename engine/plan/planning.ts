// What planning one statement shares: its text and parameters, the tables of its snapshots, the
// plan under construction, and the subqueries that are already in it.

import { MusterError } from '../../base/errors.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import type { FunctionContext } from '../library/scalar-function.ts';
import type { QuerySettings } from '../settings.ts';
import type { Query, TableExpression, TableName } from '../sql/ast.ts';
import { statementError } from '../sql/syntax-error.ts';
import type { NodeId, ScannedTable } from './physical-plan.ts';
import type { PlanBuilder } from './plan-builder.ts';
import type { Definitions, Scope } from './scope.ts';

export interface PlannedQuery {
  readonly node: NodeId;
  readonly names: readonly string[];
}

export interface PlannedFiles {
  readonly label: string;
  /** The last ones, which a star leaves out, are virtual. */
  readonly columns: readonly NamedType[];
  readonly virtualColumns: number;
  /** By which the executor finds the source. */
  readonly source: number;
}

export interface Planning {
  readonly text: string;
  readonly settings: QuerySettings;
  readonly functions: FunctionContext;
  readonly parameters: ReadonlyMap<string, string>;
  readonly builder: PlanBuilder;
  /** Columns of input() without a structure; undefined outside an INSERT. */
  inputColumns(): readonly NamedType[] | undefined;
  /** What file(), s3() and url() of this query found, by their syntax trees. */
  readonly files: ReadonlyMap<TableExpression, PlannedFiles>;
  /** Throws 60 and 81. */
  table(name: TableName): ScannedTable;
  /** Plans a subquery (plan-query.ts); given here so that expressions can hold queries. */
  planQuery(query: Query, definitions: Definitions): PlannedQuery;
  /** Scalar subqueries and sets of IN by their syntax tree: used twice, evaluated once. */
  readonly scalars: Map<Query, NodeId>;
  readonly membership: Map<Query, NodeId>;
  /** For the names that ClickHouse gives to columns with subqueries in them. */
  readonly subqueryNumbers: Map<Query, number>;
}

/** Binding one expression: the SELECT's scope and what may appear here. */
export interface Binding {
  readonly planning: Planning;
  readonly scope: Scope;
}

/** Adds line and column to an error that has no place yet. */
export function located(planning: Planning, at: number, error: unknown): unknown {
  if (!(error instanceof MusterError) || error.position !== undefined) return error;
  return statementError(error.errorName, planning.text, { offset: at, message: error.message });
}
