// Joins: cross, inner and left, on equality of expressions over either side.

import { MusterError } from '../../base/errors.ts';
import {
  type DataType,
  formatType,
  isNullable,
  valueType,
} from '../../storage-format/data-type.ts';
import { leastSupertype } from '../library/common-type.ts';
import type { TableExpression } from '../sql/ast.ts';
import { findColumn } from './bind-expression.ts';
import { type BoundExpression, contains, isSet, rewrite } from './bound-expression.ts';
import { bindOn } from './condition.ts';
import { makeCall, makeCast } from './function-calls.ts';
import { planFrom, type Source } from './plan-from.ts';
import type { Planning } from './planning.ts';
import { createScope, type Definitions, type ScopeColumn } from './scope.ts';

type JoinSyntax = Extract<TableExpression, { kind: 'join' }>;

interface JoinKeys {
  readonly left: readonly BoundExpression[];
  readonly right: readonly BoundExpression[];
  /** Conjuncts that are no equality of the two sides. */
  readonly rest: readonly BoundExpression[];
}

export function planJoin(join: JoinSyntax, planning: Planning, definitions: Definitions): Source {
  const { how } = join;
  if (how !== 'cross' && how !== 'inner' && how !== 'left') {
    throw new MusterError('NOT_IMPLEMENTED', `${how.toUpperCase()} JOIN is not supported`);
  }
  const left = planFrom(join.left, planning, definitions);
  const right = planFrom(join.right, planning, definitions);
  const nulls = how === 'left' && planning.settings.joinUseNulls;
  const columns = joinedColumns(left, right, nulls);
  const keys = joinKeys(join, { left, right, columns }, { planning, definitions });
  if (how === 'left' && keys.rest.length > 0) {
    throw new MusterError(
      'NOT_IMPLEMENTED',
      'LEFT JOIN takes equalities of the two sides in ON only',
    );
  }
  if (how === 'left' && keys.left.length === 0) {
    throw new MusterError(
      'NOT_IMPLEMENTED',
      'LEFT JOIN needs an equality of the two sides in ON or USING',
    );
  }
  const node = planning.builder.add(
    {
      op: 'join',
      how: keys.left.length === 0 ? 'cross' : how,
      left: left.node,
      right: right.node,
      leftKeys: keys.left,
      rightKeys: keys.right,
      missesAreNull: nulls,
    },
    columns.map((column) => column.type),
  );
  const hidden = new Set([...left.hidden, ...usingColumns(join, left, right)]);
  const filtered = keys.rest.reduce(
    (input, condition) =>
      planning.builder.add(
        { op: 'filter', input, condition },
        columns.map((column) => column.type),
      ),
    node,
  );
  return { node: filtered, columns, hidden };
}

/** Splits conjuncts over the joined columns; `leftCount` columns come from the left. */
export function splitEqualities(
  conjuncts: readonly BoundExpression[],
  leftCount: number,
  planning: Planning,
): JoinKeys {
  const keys = { left: [] as BoundExpression[], right: [] as BoundExpression[] };
  const rest: BoundExpression[] = [];
  for (const conjunct of conjuncts) {
    const sides = conjunct.kind === 'call' && conjunct.name === 'equals' ? conjunct.arguments : [];
    const [a, b] = sides;
    const order = a === undefined || b === undefined ? undefined : orient(a, b, leftCount);
    if (order === undefined) {
      rest.push(conjunct);
      continue;
    }
    const type = keyType(order.left.type, order.right.type);
    keys.left.push(castKey(order.left, type, planning));
    keys.right.push(castKey(shift(order.right, leftCount), type, planning));
  }
  return { ...keys, rest };
}

/** The operands of nested ANDs. */
export function conjunctsOf(condition: BoundExpression): readonly BoundExpression[] {
  if (condition.kind !== 'call' || condition.name !== 'and') return [condition];
  return condition.arguments.flatMap(conjunctsOf);
}

function orient(a: BoundExpression, b: BoundExpression, leftCount: number) {
  const sideOfA = sideOf(a, leftCount);
  const sideOfB = sideOf(b, leftCount);
  if (sideOfA === 'left' && sideOfB === 'right') return { left: a, right: b };
  if (sideOfA === 'right' && sideOfB === 'left') return { left: b, right: a };
  return undefined;
}

/** The side whose columns alone it reads; sets and questions about them are on neither. */
export function sideOf(expression: BoundExpression, leftCount: number): 'left' | 'right' | 'other' {
  let left = false;
  let right = false;
  const odd = contains(expression, (node) => {
    if (node.kind === 'column') {
      if (node.index < leftCount) left = true;
      else right = true;
    }
    return (
      isSet(node) || node.kind === 'ask' || node.kind === 'array-join' || node.kind === 'aggregate'
    );
  });
  if (odd || left === right) return 'other';
  return left ? 'left' : 'right';
}

/** The same over columns that begin `by` earlier. */
export function shift(expression: BoundExpression, by: number): BoundExpression {
  return rewrite(expression, (node) =>
    node.kind === 'column' ? { ...node, index: node.index - by } : node,
  );
}

function keyType(a: DataType, b: DataType): DataType {
  const plain = leastSupertype([valueType(a), valueType(b)]);
  return isNullable(a) || isNullable(b) ? { kind: 'Nullable', inner: plain } : plain;
}

function castKey(key: BoundExpression, type: DataType, planning: Planning): BoundExpression {
  return formatType(key.type) === formatType(type) ? key : makeCast(key, type, planning);
}

function joinedColumns(left: Source, right: Source, nulls: boolean): readonly ScopeColumn[] {
  const tables = left.columns.reduce((most, column) => Math.max(most, column.table + 1), 0);
  return [
    ...left.columns,
    ...right.columns.map((column) => ({
      ...column,
      table: column.table + Math.max(1, tables),
      type: nulls ? nullableType(column.type) : column.type,
    })),
  ];
}

/** Sets, arrays and tuples stay what they are: a miss is the empty one. */
function nullableType(type: DataType): DataType {
  if (type.kind === 'Bitmap' || type.kind === 'Array' || type.kind === 'Tuple') return type;
  return isNullable(type) ? type : { kind: 'Nullable', inner: valueType(type) };
}

interface Sides {
  readonly left: Source;
  readonly right: Source;
  readonly columns: readonly ScopeColumn[];
}

function joinKeys(
  join: JoinSyntax,
  sides: Sides,
  options: { readonly planning: Planning; readonly definitions: Definitions },
): JoinKeys {
  const { planning, definitions } = options;
  const leftCount = sides.left.columns.length;
  const conjuncts: BoundExpression[] = [];
  if (join.on !== undefined) {
    const scope = createScope(sides.columns, new Map(), definitions);
    conjuncts.push(...conjunctsOf(bindOn(join.on, { planning, scope })));
  }
  for (const name of join.using ?? []) {
    const [left, right] = usingPair(name, sides.left, sides.right);
    const a: BoundExpression = { kind: 'column', type: sides.columns[left]!.type, index: left };
    const index = leftCount + right;
    const b: BoundExpression = { kind: 'column', type: sides.columns[index]!.type, index };
    conjuncts.push(makeCall('equals', [a, b], planning));
  }
  return splitEqualities(conjuncts, leftCount, planning);
}

function usingColumns(join: JoinSyntax, left: Source, right: Source): readonly number[] {
  const shared = (join.using ?? []).map((name) => usingPair(name, left, right)[1]);
  return [...shared, ...right.hidden].map((index) => left.columns.length + index);
}

function usingPair(name: string, left: Source, right: Source): readonly [number, number] {
  const pair = [findColumn(left.columns, name, ''), findColumn(right.columns, name, '')] as const;
  if (pair[0] < 0 || pair[1] < 0) {
    throw new MusterError('UNKNOWN_IDENTIFIER', `Column ${name} of USING is not on both sides`);
  }
  return pair;
}
