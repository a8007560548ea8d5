// Operands of AND, OR, if and multiIf are evaluated only on the rows that need them, as in ClickHouse:
// `label = 'age' AND toUInt8(value) > 20` must not fail on the values of other labels. Operands that
// can't fail are evaluated whole, which is cheaper.

import { maskIndex, placesIn, take } from '../library/columns/take.ts';
import type { Argument } from '../library/scalar-function.ts';
import type { BoundExpression } from '../plan/bound-expression.ts';
import { plain, type Relation } from './relation.ts';

type Call = Extract<BoundExpression, { kind: 'call' }>;
type EvaluateOperand = (operand: BoundExpression, relation: Relation) => Argument;

const branching: ReadonlySet<string> = new Set(['and', 'or', 'if', 'multiIf']);
const neverFails: ReadonlySet<string> = new Set([
  'equals',
  'notEquals',
  'less',
  'lessOrEquals',
  'greater',
  'greaterOrEquals',
  'and',
  'or',
  'not',
  'xor',
  'isNull',
  'isNotNull',
  'plus',
  'minus',
  'multiply',
  'divide',
]);

/** Whether the call must go through `lazyOperands`. */
export function isLazyCall(call: Call): boolean {
  return branching.has(call.name) && call.arguments.slice(1).some(mayFail);
}

/** The operands, each with the relation's rows; where a row did not need one it holds a default. */
export function lazyOperands(
  call: Call,
  relation: Relation,
  evaluate: EvaluateOperand,
): readonly Argument[] {
  const on = (operand: BoundExpression, rows: Uint8Array | undefined): Argument =>
    evaluateOn(operand, relation, { rows, evaluate });
  if (call.name === 'and' || call.name === 'or') return chainOperands(call, relation, on);
  return branchOperands(call, relation, on);
}

type EvaluateRows = (operand: BoundExpression, rows: Uint8Array | undefined) => Argument;

/** AND goes on where all so far were not false, OR where none so far was true. */
function chainOperands(call: Call, relation: Relation, on: EvaluateRows): readonly Argument[] {
  const decides = call.name === 'or';
  const { rows } = relation;
  let open: Uint8Array | undefined;
  return call.arguments.map((operand) => {
    const value = on(operand, open);
    open = rowsWhere(value, { rows, open }, (truth) => (decides ? truth !== 1 : truth !== 0));
    return value;
  });
}

/** c1, v1, c2, v2, ..., otherwise: a value where its condition is the first true one. */
function branchOperands(call: Call, relation: Relation, on: EvaluateRows): readonly Argument[] {
  const values: Argument[] = [];
  const { rows } = relation;
  let open: Uint8Array | undefined;
  const last = call.arguments.length - 1;
  for (let i = 0; i < last; i += 2) {
    const condition = on(call.arguments[i]!, open);
    const chosen = rowsWhere(condition, { rows, open }, (truth) => truth === 1);
    values.push(condition, on(call.arguments[i + 1]!, chosen));
    open = rowsWhere(condition, { rows, open }, (truth) => truth !== 1);
  }
  return [...values, on(call.arguments[last]!, open)];
}

/** Open rows (all, if undefined) whose truth passes: 1 true, 0 false, 2 NULL. */
function rowsWhere(
  condition: Argument,
  { rows, open }: { readonly rows: number; readonly open: Uint8Array | undefined },
  passes: (truth: 0 | 1 | 2) => boolean,
): Uint8Array {
  const { column, constant } = condition;
  const mask = new Uint8Array(rows);
  if (column.kind !== 'number' && column.kind !== 'wide') return mask.fill(1);
  for (let row = 0; row < rows; row++) {
    if (open?.[row] === 0) continue;
    const at = constant ? 0 : row;
    const value = column.values[at];
    const truth = column.nulls?.[at] === 1 ? 2 : value === 0 || value === 0n ? 0 : 1;
    mask[row] = passes(truth) ? 1 : 0;
  }
  return mask;
}

function evaluateOn(
  operand: BoundExpression,
  relation: Relation,
  options: { readonly rows: Uint8Array | undefined; readonly evaluate: EvaluateOperand },
): Argument {
  const { rows, evaluate } = options;
  if (rows === undefined || !mayFail(operand)) return evaluate(operand, relation);
  const index = maskIndex(rows);
  if (index.length === relation.rows) return evaluate(operand, relation);
  const value = evaluate(operand, takeColumnsOf(operand, relation, index));
  if (value.constant) return value;
  return { ...value, column: take(value.column, placesIn(index, relation.rows)) };
}

/** The rows at `index`, of the columns that the operand reads. */
function takeColumnsOf(operand: BoundExpression, relation: Relation, index: Int32Array): Relation {
  const read = new Set(columnsOf(operand));
  const columns = relation.columns.map((column, i) => {
    if (!read.has(i) || column.kind !== 'plain' || column.constant) return column;
    return plain(take(column.column, index));
  });
  return { rows: index.length, columns };
}

function columnsOf(expression: BoundExpression): readonly number[] {
  switch (expression.kind) {
    case 'column':
      return [expression.index];
    case 'call':
      return expression.arguments.flatMap(columnsOf);
    case 'cast':
      return columnsOf(expression.value);
    case 'in-node':
      return expression.value.flatMap(columnsOf);
    default:
      return [];
  }
}

/** Whether evaluating it on a row can throw. */
export function mayFail(expression: BoundExpression): boolean {
  switch (expression.kind) {
    case 'cast':
      return true;
    case 'call':
      return !neverFails.has(expression.name) || expression.arguments.some(mayFail);
    case 'in-node':
      return expression.value.some(mayFail);
    default:
      return false;
  }
}
