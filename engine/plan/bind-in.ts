// IN: membership in a list of constants, in an array, or in the rows of a subquery. As in
// ClickHouse a listed value that the left type cannot hold is in no row, and a listed NULL neither.

import { MusterError } from '../../base/errors.ts';
import {
  type DataType,
  formatType,
  isNullable,
  valueType,
} from '../../storage-format/data-type.ts';
import { leastSupertype } from '../library/common-type.ts';
import type { Expression, Query } from '../sql/ast.ts';
import { columnOf, type Value, valueAt } from '../values/column-builder.ts';
import { bindExpression } from './bind-expression.ts';
import { type BoundExpression, isSet } from './bound-expression.ts';
import { makeCall, makeCast } from './function-calls.ts';
import { constantOf, nullType } from './literal.ts';
import type { NodeId } from './physical-plan.ts';
import type { Binding } from './planning.ts';
import { definitionsAround } from './scope.ts';

type InSyntax = Extract<Expression, { kind: 'in' }>;

export function bindIn(expression: InSyntax, binding: Binding): BoundExpression {
  const { planning } = binding;
  const value = bindExpression(expression.value, binding);
  if (isSet(value))
    throw new MusterError('NOT_IMPLEMENTED', 'Sets on the left of IN are not supported');
  const found = bindMembership(value, expression.set, binding);
  return expression.negated ? makeCall('not', [found], planning) : found;
}

function bindMembership(
  value: BoundExpression,
  set: Expression,
  binding: Binding,
): BoundExpression {
  const query = queryOf(set, binding);
  if (query !== undefined) return bindInQuery(value, query, binding);
  if (value.type.kind === 'Array') {
    return anyEqual(value, arrayItems(value.type, set, binding), binding);
  }
  const isTuple = value.type.kind === 'Tuple';
  const lists =
    set.kind === 'tuple' && !(isTuple && set.items.every((one) => one.kind !== 'tuple'));
  const items = lists
    ? set.items.map((item) => bindExpression(item, binding))
    : listItems(bindExpression(set, binding), isTuple);
  if (isTuple || items.some((item) => item.kind !== 'constant')) {
    return anyEqual(value, items, binding);
  }
  return inConstants(value, items as Constant[], binding);
}

type Constant = Extract<BoundExpression, { kind: 'constant' }>;

/** A subquery, a common table or a stored table's name on the right. */
function queryOf(set: Expression, binding: Binding): Query | undefined {
  if (set.kind === 'subquery') return set.query;
  if (set.kind !== 'name') return undefined;
  const { scope } = binding;
  const name = set.parts[set.parts.length - 1]!;
  if (set.parts.length === 1 && !scope.definitions.tables.has(name)) return undefined;
  const { at } = set;
  const table =
    set.parts.length > 1 ? { at, database: set.parts[0]!, table: name } : { at, table: name };
  const select = {
    at,
    with: [],
    distinct: false,
    items: [{ at, kind: 'star' as const, qualifier: [] }],
    from: { at, kind: 'table' as const, name: table, final: false },
    groupBy: [],
    orderBy: [],
    settings: [],
  };
  return { at, selects: [select], union: 'all' };
}

/** The items of a constant array or tuple on the right; a single value is a list of one. */
function listItems(set: BoundExpression, isTuple: boolean): readonly BoundExpression[] {
  if (set.kind !== 'constant') return [set];
  const { type, value } = set;
  if (type.kind === 'Array' && value.kind === 'array') {
    const start = value.offsets[0] ?? 0;
    const end = value.offsets[1] ?? 0;
    return Array.from({ length: end - start }, (_, i) => ({
      kind: 'constant',
      type: type.item,
      value: columnOf(type.item, [valueAt(value.items, start + i)]),
    }));
  }
  if (type.kind === 'Tuple' && value.kind === 'tuple' && !isTuple) {
    return type.fields.map((field, i) => ({
      kind: 'constant',
      type: field.type,
      value: value.fields[i]!,
    }));
  }
  return [set];
}

/** Beside an array on the left: the listed arrays, or one; a listed NULL is in no row. */
function arrayItems(type: DataType, set: Expression, binding: Binding): readonly BoundExpression[] {
  const bound = set.kind === 'tuple' ? undefined : bindExpression(set, binding);
  const listed = bound !== undefined && depthOf(bound.type) > depthOf(type);
  const items =
    set.kind === 'tuple'
      ? set.items.map((item) => bindExpression(item, binding))
      : listed
        ? listItems(bound, false)
        : [bound!];
  const arrays = items.filter((item) => valueType(item.type).kind !== 'Nothing');
  const odd = arrays.find((item) => depthOf(item.type) === 0);
  if (odd === undefined) return arrays;
  throw new MusterError(
    set.kind === 'tuple' ? 'TYPE_MISMATCH' : 'ILLEGAL_TYPE_OF_ARGUMENT',
    `Type mismatch in IN: ${formatType(odd.type)} beside ${formatType(type)}`,
  );
}

/** How many arrays are around the innermost values. */
function depthOf(type: DataType): number {
  return type.kind === 'Array' ? 1 + depthOf(type.item) : 0;
}

function anyEqual(
  value: BoundExpression,
  items: readonly BoundExpression[],
  binding: Binding,
): BoundExpression {
  const { planning } = binding;
  if (items.length === 0) return constantOf({ kind: 'UInt8' }, 0);
  const equal = items.map((item) => makeCall('equals', [value, item], planning));
  return equal.reduce((a, b) => makeCall('or', [a, b], planning));
}

function inConstants(
  value: BoundExpression,
  items: readonly Constant[],
  binding: Binding,
): BoundExpression {
  const { planning } = binding;
  const type = valueType(value.type);
  if (type.kind === 'Nothing') return constantOf(nullType, null);
  const values: Value[] = [];
  for (const item of items) {
    const fitted = fit(item, type, binding);
    if (fitted !== undefined && fitted !== null) values.push(fitted);
  }
  const array: DataType = { kind: 'Array', item: type };
  const list: BoundExpression = { kind: 'constant', type: array, value: columnOf(array, [values]) };
  const bare = isNullable(value.type) ? value : makeCast(value, type, planning);
  return makeCall('_in', [bare, list], planning);
}

/** The item as a value of the left type; undefined where that type cannot hold it. */
function fit(item: Constant, type: DataType, binding: Binding): Value | undefined {
  const from = valueType(item.type);
  const value = valueAt(item.value, 0);
  if (value === null || from.kind === type.kind) return value;
  const integer = integerBounds(type);
  if (integer !== undefined && (typeof value === 'number' || typeof value === 'bigint')) {
    if (!Number.isInteger(Number(value))) return undefined;
    const exact = BigInt(value);
    if (exact < integer.low || exact > integer.high) return undefined;
    return type.kind.endsWith('64') ? exact : Number(exact);
  }
  if (type.kind.startsWith('Float') && typeof value !== 'string') return Number(value);
  if (type.kind === 'Enum8' && from.kind === 'String') {
    return type.members.find(({ name }) => name === value)?.value;
  }
  if (type.kind === 'String') {
    throw new MusterError(
      'TYPE_MISMATCH',
      `Type mismatch in IN: a value of type ${formatType(item.type)} among values of type String`,
    );
  }
  const cast = makeCast(item, type, binding.planning);
  return cast.kind === 'constant' ? valueAt(cast.value, 0) : undefined;
}

function integerBounds(
  type: DataType,
): { readonly low: bigint; readonly high: bigint } | undefined {
  const match = /^(U?)Int(8|16|32|64)$/.exec(type.kind);
  if (match === null) return undefined;
  const bits = BigInt(match[2]!);
  if (match[1] === 'U') return { low: 0n, high: 2n ** bits - 1n };
  return { low: -(2n ** (bits - 1n)), high: 2n ** (bits - 1n) - 1n };
}

function bindInQuery(value: BoundExpression, query: Query, binding: Binding): BoundExpression {
  const { planning, scope } = binding;
  let node = planning.membership.get(query);
  if (node === undefined) {
    node = planning.planQuery(query, definitionsAround(scope)).node;
    planning.membership.set(query, node);
  }
  const { types } = planning.builder.node(node);
  const parts = tupleParts(value, types.length, binding);
  const common = parts.map((part, i) =>
    leastSupertype([valueType(part.type), valueType(types[i]!)]),
  );
  const converted = convertRows(node, common, binding);
  const nullable = parts.some((part) => isNullable(part.type));
  return {
    kind: 'in-node',
    type: nullable ? { kind: 'Nullable', inner: { kind: 'UInt8' } } : { kind: 'UInt8' },
    value: parts.map((part, i) => castKeepingNull(part, common[i]!, binding)),
    node: converted,
  };
}

function tupleParts(
  value: BoundExpression,
  count: number,
  binding: Binding,
): readonly BoundExpression[] {
  if (count === 1) return [value];
  if (value.type.kind !== 'Tuple' || value.type.fields.length !== count) {
    throw new MusterError(
      'NUMBER_OF_COLUMNS_DOESNT_MATCH',
      `Number of columns in section IN doesn't match: the subquery gives ${count}`,
    );
  }
  if (value.kind === 'call' && value.name === 'tuple') return value.arguments;
  return value.type.fields.map((_, i) =>
    makeCall(
      'tupleElement',
      [
        value,
        { kind: 'constant', type: { kind: 'UInt8' }, value: columnOf({ kind: 'UInt8' }, [i + 1]) },
      ],
      binding.planning,
    ),
  );
}

function convertRows(node: NodeId, to: readonly DataType[], binding: Binding): NodeId {
  const { builder } = binding.planning;
  const { types } = builder.node(node);
  if (types.some((type) => type.kind === 'Bitmap')) {
    throw new MusterError('NOT_IMPLEMENTED', 'IN over a subquery that gives sets is not supported');
  }
  if (types.every((type, i) => formatType(valueType(type)) === formatType(to[i]!))) return node;
  const columns = types.map((type, index) =>
    castKeepingNull({ kind: 'column', type, index }, to[index]!, binding),
  );
  return builder.add(
    { op: 'project', input: node, columns },
    columns.map((column) => column.type),
  );
}

function castKeepingNull(value: BoundExpression, to: DataType, binding: Binding): BoundExpression {
  const type: DataType = isNullable(value.type) ? { kind: 'Nullable', inner: to } : to;
  return makeCast(value, type, binding.planning);
}
