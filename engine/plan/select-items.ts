// The SELECT list with its stars written out, and the names of its columns: the alias, or what
// ClickHouse prints of the expression, where a column of the first table loses its qualifier.

import { MusterError } from '../../base/errors.ts';
import type { Expression, Query, Select } from '../sql/ast.ts';
import { columnName } from '../sql/column-name.ts';
import { bindExpression, findColumn } from './bind-expression.ts';
import type { BoundExpression } from './bound-expression.ts';
import type { Source } from './plan-from.ts';
import type { Binding, Planning } from './planning.ts';
import type { Scope, ScopeColumn } from './scope.ts';

export interface SelectItem {
  readonly name: string;
  bind(binding: Binding): BoundExpression;
}

export function expandItems(
  select: Select,
  source: Source,
  binding: Binding,
): readonly SelectItem[] {
  const items = select.items.flatMap((item) =>
    item.kind === 'star'
      ? starItems(item.qualifier, source, binding.scope)
      : [itemOf(item, binding)],
  );
  if (items.length > 0) return items;
  throw new MusterError('EMPTY_LIST_OF_COLUMNS_QUERIED', 'The SELECT list is empty');
}

function itemOf(item: Expression, binding: Binding): SelectItem {
  return {
    name: itemName(item, binding),
    bind: (current) => bindExpression(item, current),
  };
}

function itemName(item: Expression, binding: Binding): string {
  const { scope } = binding;
  if (item.kind === 'alias') return item.name;
  if (item.kind === 'name' && item.parts.length === 1) return item.parts[0]!;
  return columnName(item, {
    name: (parts) => shortName(parts, scope),
    subquery: (query) => subqueryName(query, binding.planning),
    parameter: (name) => parameterText(name, binding.planning),
  });
}

/** Numbered through the statement in order of appearance. */
function subqueryName(query: Query, planning: Planning): string {
  const { subqueryNumbers } = planning;
  const number = subqueryNumbers.get(query) ?? subqueryNumbers.size + 1;
  subqueryNumbers.set(query, number);
  return `_subquery_${number}`;
}

/** As the literal that stood in the parameter's place. */
function parameterText(name: string, planning: Planning): string {
  const text = planning.parameters.get(name) ?? '';
  return /^-?\d+(\.\d+)?$/.test(text) ? text : `'${text}'`;
}

function starItems(
  qualifier: readonly string[],
  source: Source,
  scope: Scope,
): readonly SelectItem[] {
  const wanted = qualifier.join('.');
  const items: SelectItem[] = [];
  scope.columns.forEach((column, index) => {
    if (column.name === '') return;
    if (wanted === '' ? source.hidden.has(index) : !column.qualifiers.includes(wanted)) return;
    const qualified = needsQualifier(index, scope.columns, source.hidden);
    items.push({
      name: qualified ? `${column.qualifiers.at(-1) ?? ''}.${column.name}` : column.name,
      bind: () => ({ kind: 'column', type: column.type, index }),
    });
  });
  if (items.length > 0 || wanted === '') return items;
  throw new MusterError('UNKNOWN_IDENTIFIER', `Unknown table ${wanted} before .*`);
}

function shortName(parts: readonly string[], scope: Scope): string {
  const name = parts[parts.length - 1]!;
  if (parts.length === 1) return name;
  const index = findColumn(scope.columns, name, parts.slice(0, -1).join('.'));
  return needsQualifier(index, scope.columns, new Set()) ? parts.join('.') : name;
}

/**
 * Whether a column keeps its table's name: of two tables' columns of one name the later does, of
 * three and more tables' all do. `hidden` columns do not count there.
 */
function needsQualifier(
  index: number,
  columns: readonly ScopeColumn[],
  hidden: ReadonlySet<number>,
): boolean {
  const name = columns[index]?.name;
  const isNamed = (column: ScopeColumn): boolean => column.name === name;
  if (columns.findIndex(isNamed) !== index) return true;
  if (!columns.some((column) => column.table > 1)) return false;
  return columns.some((column, i) => i > index && isNamed(column) && !hidden.has(i));
}
