// From syntax to bound expressions: literals, names, parameters, IN, subqueries. Calls are bound in
// bind-call.ts. Constant parts are folded as they are bound.

import { MusterError } from '../../base/errors.ts';
import { suggestion } from '../../base/nearest-name.ts';
import { decodeUtf8 } from '../../base/utf8.ts';
import { parseType } from '../../storage-format/data-type-parser.ts';
import type { Expression, Query } from '../sql/ast.ts';
import { bindCall } from './bind-call.ts';
import { bindIn } from './bind-in.ts';
import { type BoundExpression, isSet } from './bound-expression.ts';
import { makeCall, makeCast } from './function-calls.ts';
import { literalConstant, parameterConstant } from './literal.ts';
import { type Binding, located } from './planning.ts';
import { definitionsAround, type Scope, type ScopeColumn } from './scope.ts';

/** Throws UNKNOWN_IDENTIFIER (47) and whatever the functions say, with line and column. */
export function bindExpression(expression: Expression, binding: Binding): BoundExpression {
  try {
    return bind(expression, binding);
  } catch (error) {
    throw located(binding.planning, expression.at, error);
  }
}

function bind(expression: Expression, binding: Binding): BoundExpression {
  const { planning } = binding;
  switch (expression.kind) {
    case 'literal':
      return literalConstant(expression.literal);
    case 'name':
      return bindName(expression.parts, binding);
    case 'parameter':
      return parameterConstant(expression, planning);
    case 'alias':
      return bindAlias(expression.name, expression.value, binding);
    case 'call':
      return bindCall(expression, binding);
    case 'cast':
      return makeCast(bindExpression(expression.value, binding), expression.type, planning);
    case 'array':
      return bindItems('array', expression.items, binding);
    case 'tuple':
      return bindItems('tuple', expression.items, binding);
    case 'in':
      return bindIn(expression, binding);
    case 'subquery':
      return bindScalar(expression.query, binding);
    case 'star':
      throw new MusterError('UNKNOWN_IDENTIFIER', 'An asterisk stands only in a SELECT list');
    case 'lambda':
      throw new MusterError('NOT_IMPLEMENTED', 'Lambda functions are not supported');
    case 'interval':
      return makeCall(
        `toInterval${expression.unit[0]!.toUpperCase()}${expression.unit.slice(1)}`,
        [bindExpression(expression.value, binding)],
        planning,
      );
  }
}

function bindItems(
  name: 'array' | 'tuple',
  items: readonly Expression[],
  binding: Binding,
): BoundExpression {
  const bound = items.map((item) => bindExpression(item, binding));
  if (bound.some(isSet)) {
    throw new MusterError(
      'NOT_IMPLEMENTED',
      `Sets in ${name === 'array' ? 'arrays' : 'tuples'} are not supported`,
    );
  }
  return makeCall(name, bound, binding.planning);
}

function bindAlias(name: string, value: Expression, binding: Binding): BoundExpression {
  const { scope } = binding;
  if (scope.aliases.get(name) === value) return aliasValue(name, value, binding);
  return bindExpression(value, binding);
}

/**
 * Binds an alias once; later uses share the result, unless another alias being bound has its say in it:
 * in `SELECT b AS a, a AS b` each is a column of its own name.
 */
function aliasValue(name: string, value: Expression, binding: Binding): BoundExpression {
  const { scope } = binding;
  const known = scope.bound.get(name);
  if (known !== undefined && ![...known.through].some((one) => scope.resolving.has(one))) {
    for (const one of known.through) scope.through.add(one);
    return known.value;
  }
  const { met, through } = scope;
  scope.met = new Set();
  scope.through = new Set([name]);
  scope.resolving.add(name);
  try {
    const bound = bindExpression(value, binding);
    scope.met.delete(name);
    if (scope.met.size === 0) scope.bound.set(name, { value: bound, through: scope.through });
    return bound;
  } finally {
    scope.resolving.delete(name);
    scope.met = new Set([...met, ...scope.met]);
    scope.through = new Set([...through, ...scope.through]);
  }
}

function bindName(parts: readonly string[], binding: Binding): BoundExpression {
  const { scope, planning } = binding;
  const name = parts[parts.length - 1]!;
  const qualifier = parts.slice(0, -1).join('.');
  const preferColumn = planning.settings.preferColumnNameToAlias;
  const index = findColumn(scope.columns, name, qualifier);
  if (qualifier === '') {
    const alias = scope.aliases.get(name) ?? definition(name, index >= 0, scope);
    const free = alias !== undefined && !scope.resolving.has(name);
    if (alias !== undefined && !free) scope.met.add(name);
    if (free && !(preferColumn && index >= 0)) return aliasValue(name, alias, binding);
    if (index < 0 && alias !== undefined) {
      throw new MusterError('UNKNOWN_IDENTIFIER', `Cyclic alias ${name}`);
    }
  }
  if (index >= 0) return { kind: 'column', type: scope.columns[index]!.type, index };
  throw unknownIdentifier(parts.join('.'), binding);
}

/** What a WITH list says; those of queries around this one say nothing where it has such a column. */
function definition(name: string, isColumn: boolean, scope: Scope): Expression | undefined {
  const { expressions, own } = scope.definitions;
  return isColumn && !own.has(name) ? undefined : expressions.get(name);
}

/** The position of a column, or -1. Among two tables the left one wins, as ClickHouse prefers. */
export function findColumn(
  columns: readonly ScopeColumn[],
  name: string,
  qualifier: string,
): number {
  let found = -1;
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i]!;
    if (column.name !== name) continue;
    if (qualifier !== '' && !column.qualifiers.includes(qualifier)) continue;
    if (found < 0) found = i;
    else if (column.table > 1 && column.table !== columns[found]!.table) {
      throw new MusterError('AMBIGUOUS_COLUMN_NAME', `Column ${name} is in more than one table`);
    }
  }
  return found;
}

function unknownIdentifier(name: string, binding: Binding): MusterError {
  const { scope } = binding;
  const known = [
    ...scope.columns.map((column) => column.name),
    ...scope.aliases.keys(),
    ...scope.definitions.expressions.keys(),
  ];
  return new MusterError(
    'UNKNOWN_IDENTIFIER',
    `Unknown expression identifier '${name}'${suggestion(name, known)}`,
  );
}

/** A subquery as a value: its one row's one column. */
function bindScalar(query: Query, binding: Binding): BoundExpression {
  const { planning, scope } = binding;
  let node = planning.scalars.get(query);
  if (node === undefined) {
    const planned = planning.planQuery(query, definitionsAround(scope));
    const types = planning.builder.node(planned.node).types;
    if (types.length !== 1) {
      throw new MusterError(
        'NOT_IMPLEMENTED',
        'A scalar subquery must give exactly one column here',
      );
    }
    const type = types[0]!;
    const wrapped =
      type.kind === 'Bitmap' ||
      type.kind === 'Array' ||
      type.kind === 'Tuple' ||
      type.kind === 'Nullable'
        ? type
        : parseNullable(type);
    node = planning.builder.add({ op: 'single-row', input: planned.node }, [wrapped]);
    planning.scalars.set(query, node);
  }
  return { kind: 'scalar', type: planning.builder.node(node).types[0]!, node, column: 0 };
}

function parseNullable(type: BoundExpression['type']): BoundExpression['type'] {
  const inner = type.kind === 'LowCardinality' ? type.inner : type;
  return inner.kind === 'Nullable' ? inner : { kind: 'Nullable', inner };
}

/** The data type that a string constant names, for CAST(x, 'T'). */
export function typeFromText(text: string): BoundExpression['type'] {
  return parseType(decodeUtf8(text));
}
