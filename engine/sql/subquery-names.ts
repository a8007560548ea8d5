// Numbers for the names that ClickHouse gives to scalar subqueries (`_subquery_2`): all queries of
// a SELECT that are not the outermost count, in the order WITH, FROM, items, the later clauses, an
// outer query before those inside it.

import type { Expression, Query, Select, TableExpression } from './ast.ts';

/** Each query inside `query` with its number, from 1. */
export function numberSubqueries(query: Query): ReadonlyMap<Query, number> {
  const numbers = new Map<Query, number>();
  for (const select of query.selects) visitSelect(select, numbers);
  return numbers;
}

type Numbers = Map<Query, number>;

function visitQuery(query: Query, numbers: Numbers): void {
  numbers.set(query, numbers.size + 1);
  for (const select of query.selects) visitSelect(select, numbers);
}

function visitSelect(select: Select, numbers: Numbers): void {
  for (const item of select.with) {
    if (item.kind === 'query') visitQuery(item.query, numbers);
    else visit(item.value, numbers);
  }
  if (select.from !== undefined) visitTable(select.from, numbers);
  const { items, arrayJoin, prewhere, where, groupBy, having, orderBy } = select;
  const expressions = [items, arrayJoin?.items ?? [], [prewhere, where], groupBy, [having]].flat();
  for (const expression of expressions) if (expression !== undefined) visit(expression, numbers);
  for (const { value } of orderBy) visit(value, numbers);
}

function visitTable(table: TableExpression, numbers: Numbers): void {
  if (table.kind === 'subquery') visitQuery(table.query, numbers);
  if (table.kind === 'function') for (const item of table.arguments) visit(item, numbers);
  if (table.kind !== 'join') return;
  visitTable(table.left, numbers);
  visitTable(table.right, numbers);
  if (table.on !== undefined) visit(table.on, numbers);
}

function visit(expression: Expression, numbers: Numbers): void {
  switch (expression.kind) {
    case 'subquery':
      visitQuery(expression.query, numbers);
      break;
    case 'call':
      for (const item of expression.arguments) visit(item, numbers);
      break;
    case 'array':
    case 'tuple':
      for (const item of expression.items) visit(item, numbers);
      break;
    case 'in':
      visit(expression.value, numbers);
      visit(expression.set, numbers);
      break;
    case 'lambda':
      visit(expression.body, numbers);
      break;
    case 'cast':
    case 'alias':
    case 'interval':
      visit(expression.value, numbers);
      break;
    default:
      break;
  }
}
