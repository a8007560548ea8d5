// GROUP BY: what is computed before, the aggregate node itself, and the expressions of the SELECT
// rewritten over its columns.

import { MusterError } from '../../base/errors.ts';
import {
  type AggregateExpression,
  type BoundExpression,
  contains,
  fingerprint,
  operands,
  withOperands,
} from './bound-expression.ts';
import type { Rows } from './lift.ts';

/** Moves `rows` past the aggregation; throws NOT_AN_AGGREGATE (215). */
export function planAggregation(
  rows: Rows,
  keys: readonly BoundExpression[],
  expressions: readonly BoundExpression[],
): readonly BoundExpression[] {
  const distinctKeys = new Map(keys.map((key) => [fingerprint(key), key]));
  const found = new Map<string, AggregateExpression>();
  for (const expression of expressions) collectAggregates(expression, distinctKeys, found);
  const keyList = [...distinctKeys.values()];
  const aggregates = [...found.values()];
  const before = rows.lift([...keyList, ...aggregates.flatMap(operands)]);
  let at = keyList.length;
  const lifted = aggregates.map((aggregate) => {
    const count = operands(aggregate).length;
    at += count;
    return withOperands(aggregate, before.slice(at - count, at)) as AggregateExpression;
  });
  const types = [...keyList, ...aggregates].map((column) => column.type);
  const columns = new Map<string, number>();
  [...distinctKeys.keys(), ...found.keys()].forEach((print, index) => columns.set(print, index));
  rows.restart(
    rows.builder.add(
      {
        op: 'aggregate',
        input: rows.node,
        keys: before.slice(0, keyList.length),
        aggregates: lifted,
      },
      types,
    ),
  );
  return expressions.map((expression) => overGroups(expression, columns));
}

function collectAggregates(
  expression: BoundExpression,
  keys: ReadonlyMap<string, BoundExpression>,
  found: Map<string, AggregateExpression>,
): void {
  if (expression.kind === 'aggregate') {
    const print = fingerprint(expression);
    if (!keys.has(print)) found.set(print, expression);
    return;
  }
  if (!contains(expression, (node) => node.kind === 'aggregate')) return;
  for (const operand of operands(expression)) collectAggregates(operand, keys, found);
}

/** Top-down: the largest parts that are keys or aggregates become columns of the groups. */
function overGroups(
  expression: BoundExpression,
  columns: ReadonlyMap<string, number>,
): BoundExpression {
  const index = columns.get(fingerprint(expression));
  if (index !== undefined) return { kind: 'column', type: expression.type, index };
  if (expression.kind === 'column') {
    throw new MusterError(
      'NOT_AN_AGGREGATE',
      'A column is neither under an aggregate function nor in GROUP BY',
    );
  }
  const before = operands(expression);
  if (before.length === 0) return expression;
  return withOperands(
    expression,
    before.map((operand) => overGroups(operand, columns)),
  );
}
