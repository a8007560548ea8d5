// One SELECT as plan nodes: FROM, ARRAY JOIN, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, DISTINCT.
// Questions to the workers are placed so that a SELECT costs one dispatch where that is possible:
// all that are ready are asked together, but after LIMIT when the order does not need them.

import { MusterError } from '../../base/errors.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import type { Expression, Select } from '../sql/ast.ts';
import { planAggregation } from './aggregation.ts';
import { aliasesOf } from './aliases.ts';
import { bindExpression } from './bind-expression.ts';
import {
  type BoundExpression,
  contains,
  fingerprint,
  isSet,
  operands,
} from './bound-expression.ts';
import { bindCondition } from './condition.ts';
import { hasArrayJoin, hasAsk, Rows } from './lift.ts';
import type { SortKey } from './physical-plan.ts';
import { planFrom, type Source } from './plan-from.ts';
import { addLimits, bindLimits, type Limits } from './plan-limits.ts';
import type { Binding, PlannedQuery, Planning } from './planning.ts';
import { giveKeys, pushDown } from './push-down.ts';
import { createScope, type Definitions, type Scope } from './scope.ts';
import { expandItems, type SelectItem } from './select-items.ts';

interface BoundSelect {
  readonly items: readonly BoundExpression[];
  readonly having: BoundExpression | undefined;
  readonly order: readonly SortKey[];
  readonly limits: Limits;
}

/** `definitions`: with those of the SELECT's own WITH list. */
export function planSelect(
  select: Select,
  planning: Planning,
  definitions: Definitions,
): PlannedQuery {
  refuseUnsupported(select);
  const source = planFrom(select.from, planning, definitions);
  const scope = createScope(source.columns, aliasesOf(select, planning), definitions);
  const binding: Binding = { planning, scope };
  const rows = new Rows(planning.builder, source.node);
  if (select.arrayJoin !== undefined) planArrayJoin(select.arrayJoin, rows, binding);
  const items = expandItems(select, source, binding);
  const bound = bindSelect(select, items, binding);
  const keys =
    select.groupModifier === 'all'
      ? bound.items.filter((item) => !hasAggregate(item))
      : select.groupBy.map((key) => bindKey(key, items, binding));
  planWhere(select, rows, { binding, bound, source, aggregated: isAggregated(select, scope) });
  const after = isAggregated(select, scope) ? aggregate(rows, keys, bound) : bound;
  planTail(select, rows, after);
  return { node: rows.node, names: items.map((item) => item.name) };
}

function refuseUnsupported(select: Select): void {
  if (select.groupModifier === undefined || select.groupModifier === 'all') return;
  const name = `WITH ${select.groupModifier.toUpperCase()}`;
  throw new MusterError('NOT_IMPLEMENTED', `GROUP BY ${name} is not supported`);
}

function planArrayJoin(
  clause: NonNullable<Select['arrayJoin']>,
  rows: Rows,
  binding: Binding,
): void {
  const { scope } = binding;
  const bound = clause.items.map((item) => bindExpression(item, binding));
  const arrays = rows.lift(bound);
  for (const array of arrays) {
    if (array.type.kind !== 'Array')
      throw new MusterError('TYPE_MISMATCH', 'ARRAY JOIN requires array arguments');
  }
  const types = arrays.map((array) => (array.type as { item: DataType }).item);
  const first = rows.types.length;
  const node = rows.builder.add({ op: 'array-join', input: rows.node, left: clause.left, arrays }, [
    ...rows.types,
    ...types,
  ]);
  rows.moveTo(node);
  let columns = [...scope.columns];
  while (columns.length < first) columns.push(unnamed(rows.types[columns.length]!));
  clause.items.forEach((item, i) => {
    const name = arrayJoinName(item);
    columns = columns.map((column) => (column.name === name ? { ...column, name: '' } : column));
    columns.push({ name, type: types[i]!, qualifiers: [], table: 0 });
  });
  scope.columns = columns;
  scope.bound.clear();
}

/** Columns that lifting appended: nothing can name them. */
function unnamed(type: DataType) {
  return { name: '', type, qualifiers: [], table: 0 };
}

function arrayJoinName(item: Expression): string {
  if (item.kind === 'alias') return item.name;
  return item.kind === 'name' ? item.parts[item.parts.length - 1]! : '';
}

/** A key of GROUP BY: an expression, an alias, or the number of an item. */
function bindKey(key: Expression, items: readonly SelectItem[], binding: Binding): BoundExpression {
  const bound = positional(key, items, binding) ?? bindExpression(key, binding);
  if (isSet(bound)) throw new MusterError('NOT_IMPLEMENTED', 'GROUP BY over sets is not supported');
  if (hasAggregate(bound)) {
    throw new MusterError(
      'ILLEGAL_AGGREGATION',
      'Aggregate function is found in GROUP BY in query',
    );
  }
  return bound;
}

function positional(
  expression: Expression,
  items: readonly SelectItem[],
  binding: Binding,
): BoundExpression | undefined {
  if (expression.kind !== 'literal' || expression.literal.kind !== 'integer') return undefined;
  const position = Number(expression.literal.value);
  const item = items[position - 1];
  if (item !== undefined) return item.bind(binding);
  throw new MusterError(
    'BAD_ARGUMENTS',
    `Positional argument out of bounds: ${position} (expected in range [1, ${items.length}])`,
  );
}

function bindSelect(select: Select, items: readonly SelectItem[], binding: Binding): BoundSelect {
  const order = select.orderBy.map((item): SortKey => {
    const value = positional(item.value, items, binding) ?? bindExpression(item.value, binding);
    if (isSet(value))
      throw new MusterError('NOT_IMPLEMENTED', 'ORDER BY over sets is not supported');
    return { value, descending: item.descending, nullsFirst: item.nullsFirst };
  });
  return {
    items: items.map((item) => item.bind(binding)),
    having:
      select.having === undefined ? undefined : bindCondition(select.having, 'HAVING', binding),
    order,
    limits: bindLimits(
      select,
      (by) => positional(by, items, binding) ?? bindExpression(by, binding),
      binding,
    ),
  };
}

function isAggregated(select: Select, scope: Scope): boolean {
  return select.groupBy.length > 0 || select.groupModifier === 'all' || scope.sawAggregate;
}

function allOf(bound: BoundSelect): readonly BoundExpression[] {
  return [
    ...bound.items,
    ...(bound.having === undefined ? [] : [bound.having]),
    ...bound.order.map((key) => key.value),
    ...bound.limits.by,
  ];
}

function hasAggregate(expression: BoundExpression): boolean {
  return contains(expression, (node) => node.kind === 'aggregate');
}

interface WhereOptions {
  readonly binding: Binding;
  readonly bound: BoundSelect;
  readonly source: Source;
  readonly aggregated: boolean;
}

function planWhere(select: Select, rows: Rows, options: WhereOptions): void {
  const { binding, bound, source, aggregated } = options;
  const clauses = [
    ['PREWHERE', select.prewhere],
    ['WHERE', select.where],
  ] as const;
  for (const [name, clause] of clauses) {
    if (clause === undefined) continue;
    const condition = bindCondition(clause, name, binding);
    if (hasAggregate(condition)) {
      throw new MusterError('ILLEGAL_AGGREGATION', 'Aggregate function is found in WHERE in query');
    }
    pushToSource(condition, rows, { source, planning: binding.planning });
    const early = hasAsk(condition) && !aggregated ? cheapAsks(allOf(bound)) : [];
    const [lifted] = rows.lift([condition, ...early]);
    rows.moveTo(
      rows.builder.add({ op: 'filter', input: rows.node, condition: lifted! }, rows.types),
    );
  }
}

/** A scan prunes by the condition; below joins it filters, and a comma join gets keys. */
function pushToSource(
  condition: BoundExpression,
  rows: Rows,
  options: { readonly source: Source; readonly planning: Planning },
): void {
  const { builder } = rows;
  const { source, planning } = options;
  const { operator } = builder.node(source.node);
  if (operator.op === 'scan') builder.replace(source.node, { ...operator, where: condition });
  else if (rows.node === source.node) rows.moveTo(pushDown(source.node, condition, planning));
  else giveKeys(source.node, condition, planning);
}

function aggregate(rows: Rows, keys: readonly BoundExpression[], bound: BoundSelect): BoundSelect {
  const after = planAggregation(rows, keys, allOf(bound));
  let at = 0;
  const next = (): BoundExpression => after[at++]!;
  const items = bound.items.map(next);
  const having = bound.having === undefined ? undefined : next();
  const order = bound.order.map((key) => ({ ...key, value: next() }));
  return { items, having, order, limits: { ...bound.limits, by: bound.limits.by.map(next) } };
}

function planTail(select: Select, rows: Rows, bound: BoundSelect): void {
  if (bound.having !== undefined) {
    const early = hasAsk(bound.having) ? cheapAsks(allOf(bound)) : [];
    const [condition] = rows.lift([bound.having, ...early]);
    rows.moveTo(
      rows.builder.add({ op: 'filter', input: rows.node, condition: condition! }, rows.types),
    );
  }
  if (select.distinct) {
    planDistinct(rows, bound);
    return;
  }
  const order = bound.order.map((key) => key.value);
  const by = bound.limits.by;
  const early = bound.items.some(hasArrayJoin)
    ? bound.items
    : [...order, ...by].some(hasAsk)
      ? cheapAsks(bound.items)
      : [];
  const lifted = rows.lift([...order, ...by, ...early]);
  addSort(
    rows,
    bound.order.map((key, i) => ({ ...key, value: lifted[i]! })),
  );
  addLimits(rows, { ...bound.limits, by: lifted.slice(order.length, order.length + by.length) });
  project(rows, rows.lift(bound.items));
}

function planDistinct(rows: Rows, bound: BoundSelect): void {
  if (bound.items.some(isSet)) {
    throw new MusterError('NOT_IMPLEMENTED', 'DISTINCT over sets is not supported');
  }
  const items = rows.lift([...bound.items, ...bound.order.map((key) => key.value)]);
  const width = bound.items.length;
  const position = new Map(items.slice(0, width).map((item, i) => [fingerprint(item), i]));
  const place = (value: BoundExpression): BoundExpression => {
    const index = position.get(fingerprint(value));
    if (index !== undefined) return { kind: 'column', type: value.type, index };
    throw new MusterError(
      'NOT_IMPLEMENTED',
      'With DISTINCT, ORDER BY and LIMIT BY take expressions of the SELECT list only',
    );
  };
  project(rows, items.slice(0, width));
  rows.moveTo(rows.builder.add({ op: 'distinct', input: rows.node, columns: width }, rows.types));
  addSort(
    rows,
    bound.order.map((key, i) => ({ ...key, value: place(items[width + i]!) })),
  );
  addLimits(rows, { ...bound.limits, by: bound.limits.by.map(place) });
}

function addSort(rows: Rows, keys: readonly SortKey[]): void {
  const varying = keys.filter((key) => key.value.kind !== 'constant');
  if (varying.length === 0) return;
  rows.moveTo(rows.builder.add({ op: 'sort', input: rows.node, keys: varying }, rows.types));
}

function project(rows: Rows, columns: readonly BoundExpression[]): void {
  const types = columns.map((column) => column.type);
  rows.restart(rows.builder.add({ op: 'project', input: rows.node, columns }, types));
}

/** Questions whose answers are a number a row: asking them of more rows than needed costs little. */
function cheapAsks(expressions: readonly BoundExpression[]): readonly BoundExpression[] {
  const found: BoundExpression[] = [];
  const visit = (node: BoundExpression): void => {
    const cheap = node.kind === 'ask' && (node.ask === 'card' || node.ask === 'any');
    if (
      cheap &&
      !operands(node).some((operand) =>
        contains(operand, (n) => n.kind === 'ask' || n.kind === 'array-join'),
      )
    ) {
      found.push(node);
    }
    operands(node).forEach(visit);
  };
  expressions.forEach(visit);
  return found;
}
