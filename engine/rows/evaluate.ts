// Evaluates bound expressions over a relation, column at a time: at the root, and in workers over the
// rows of a fragment. Set-valued expressions are the root's (root/set-expressions.ts); no set is ever
// looked into here.

import { assert } from '../../base/assert.ts';
import { type Column, columnLength } from '../../storage-format/column.ts';
import { isNullable, valueType } from '../../storage-format/data-type.ts';
import { applyFunction } from '../library/apply-function.ts';
import { castColumn } from '../library/cast.ts';
import { GroupTable } from '../library/columns/group-table.ts';
import { anyNull } from '../library/columns/nulls.ts';
import type { Argument, FunctionContext } from '../library/scalar-function.ts';
import type { BoundExpression } from '../plan/bound-expression.ts';
import { resolvedCall } from '../plan/function-calls.ts';
import { fullColumn, plain, type Relation, type RelationColumn } from './relation.ts';
import { isLazyCall, lazyOperands } from './short-circuit.ts';

/** What expressions may read beside their relation. */
export interface RowScope {
  readonly functions: FunctionContext;
  /** The relation of a node that has run. */
  result(node: number): Relation;
  /** Rows of IN (SELECT), by node. */
  readonly members: Map<number, GroupTable>;
  set(expression: SetExpression, relation: Relation): RelationColumn;
}

export type SetExpression = Extract<BoundExpression, { kind: 'set' }>;

export function evaluate(
  expression: BoundExpression,
  relation: Relation,
  scope: RowScope,
): RelationColumn {
  switch (expression.kind) {
    case 'column':
      return relation.columns[expression.index]!;
    case 'constant':
      return { kind: 'plain', column: expression.value, constant: true };
    case 'scalar':
      return {
        ...scope.result(expression.node).columns[expression.column]!,
        constant: true,
      } as RelationColumn;
    case 'call':
      return evaluateCall(expression, relation, scope);
    case 'cast':
      return evaluateCast(expression, relation, scope);
    case 'in-node':
      return evaluateMembership(expression, relation, scope);
    case 'set':
      return scope.set(expression, relation);
    default:
      assert(false, `${expression.kind} was lifted out of expressions`);
  }
}

/** A plain column with all its rows. */
export function evaluateFull(
  expression: BoundExpression,
  relation: Relation,
  scope: RowScope,
): Column {
  return fullColumn(evaluate(expression, relation, scope), relation.rows);
}

/** A byte per row: 1 where the condition is true; NULL is not. A constant condition gives one byte. */
export function evaluateCondition(
  condition: BoundExpression,
  relation: Relation,
  scope: RowScope,
): { readonly mask: Uint8Array; readonly constant: boolean } {
  const value = evaluate(condition, relation, scope);
  assert(value.kind === 'plain', 'a condition is a plain column');
  return { mask: truthOf(value.column), constant: value.constant };
}

function truthOf(column: Column): Uint8Array {
  assert(column.kind === 'number' || column.kind === 'wide', 'a condition is a number');
  if (column.values instanceof Uint8Array && column.nulls === undefined) return column.values;
  const mask = new Uint8Array(column.values.length);
  for (let i = 0; i < mask.length; i++) {
    const value = column.values[i]!;
    mask[i] = column.nulls?.[i] === 1 || value === 0 || value === 0n ? 0 : 1;
  }
  return mask;
}

function argumentOf(expression: BoundExpression, relation: Relation, scope: RowScope): Argument {
  const value = evaluate(expression, relation, scope);
  assert(value.kind === 'plain', 'an argument of a function is a plain column');
  return { type: expression.type, column: value.column, constant: value.constant };
}

function evaluateCall(
  expression: Extract<BoundExpression, { kind: 'call' }>,
  relation: Relation,
  scope: RowScope,
): RelationColumn {
  const context = scope.functions;
  const operands = isLazyCall(expression)
    ? lazyOperands(expression, relation, (one, rows) => argumentOf(one, rows, scope))
    : expression.arguments.map((one) => argumentOf(one, relation, scope));
  const resolved = resolvedCall(expression, context);
  const { rows } = relation;
  const result = applyFunction(resolved, { arguments: operands, rows, context });
  return { kind: 'plain', column: result.column, constant: result.constant };
}

function evaluateCast(
  expression: Extract<BoundExpression, { kind: 'cast' }>,
  relation: Relation,
  scope: RowScope,
): RelationColumn {
  const value = argumentOf(expression.value, relation, scope);
  const context = scope.functions;
  const column = castColumn(value.column, value.type, { to: expression.type, context });
  return { kind: 'plain', column, constant: value.constant };
}

function evaluateMembership(
  expression: Extract<BoundExpression, { kind: 'in-node' }>,
  relation: Relation,
  scope: RowScope,
): RelationColumn {
  const { rows } = relation;
  const values = expression.value.map((one) => evaluateFull(one, relation, scope));
  const found = membersOf(expression, scope).find(values, rows);
  const mask = new Uint8Array(rows);
  for (let i = 0; i < rows; i++) mask[i] = (found[i] as number) >= 0 ? 1 : 0;
  const nulls = anyNull(values, rows);
  if (nulls === undefined) return plain({ kind: 'number', values: mask });
  for (let i = 0; i < rows; i++) if (nulls[i] === 1) mask[i] = 0;
  return plain({ kind: 'number', values: mask, ...(isNullable(expression.type) ? { nulls } : {}) });
}

function membersOf(
  expression: Extract<BoundExpression, { kind: 'in-node' }>,
  scope: RowScope,
): GroupTable {
  const known = scope.members.get(expression.node);
  if (known !== undefined) return known;
  const relation = scope.result(expression.node);
  const types = expression.value.map((value) => valueType(value.type));
  const table = new GroupTable(types);
  const columns = relation.columns.map((column) => fullColumn(column, relation.rows));
  table.add(columns, columns.length === 0 ? 0 : columnLength(columns[0]!));
  scope.members.set(expression.node, table);
  return table;
}
