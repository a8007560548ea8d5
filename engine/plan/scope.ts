// Where names are looked up while one SELECT is bound: the columns of its FROM, the aliases of its
// expressions, and what WITH lists around it define. As in ClickHouse an alias wins over a column,
// except inside its own definition, or always with prefer_column_name_to_alias = 1; what queries
// around this one define wins over nothing.

import type { DataType } from '../../storage-format/data-type.ts';
import type { Expression, Query, Select } from '../sql/ast.ts';
import type { BoundExpression } from './bound-expression.ts';
import type { NodeId } from './physical-plan.ts';

export interface ScopeColumn {
  readonly name: string;
  readonly type: DataType;
  /** Names that may stand before it: the table's alias, or its name and `database.name`. */
  readonly qualifiers: readonly string[];
  /** Which table of the FROM it comes from, counted from the left. */
  readonly table: number;
}

/** A query that a WITH list names; planned once, where it is first used. */
interface CommonTable {
  readonly name: string;
  readonly query: Query;
  readonly definitions: Definitions;
  planned?: { readonly node: NodeId; readonly names: readonly string[] };
}

/** What WITH lists define, the innermost first. */
export interface Definitions {
  readonly tables: ReadonlyMap<string, CommonTable>;
  readonly expressions: ReadonlyMap<string, Expression>;
  /** Those of `expressions` that the SELECT's own list defines. */
  readonly own: ReadonlySet<string>;
}

export const noDefinitions: Definitions = {
  tables: new Map(),
  expressions: new Map(),
  own: new Set(),
};

interface BoundAlias {
  readonly value: BoundExpression;
  /** Aliases that took part: while one of them is being bound, this would be another value. */
  readonly through: ReadonlySet<string>;
}

export interface Scope {
  /** Positions are those of the relation's columns. */
  columns: readonly ScopeColumn[];
  readonly aliases: ReadonlyMap<string, Expression>;
  readonly definitions: Definitions;
  /** Aliases that are being bound, so that `toDate(ts) AS ts` finds the column. */
  readonly resolving: Set<string>;
  /** Names that meant their column because they were being bound; what is bound then holds there alone. */
  met: Set<string>;
  /** Aliases that took part in what is being bound. */
  through: Set<string>;
  readonly bound: Map<string, BoundAlias>;
  /** Whether an aggregate was bound, even one that folding made disappear: toTypeName(count()). */
  sawAggregate: boolean;
}

export function createScope(
  columns: readonly ScopeColumn[],
  aliases: ReadonlyMap<string, Expression>,
  definitions: Definitions,
): Scope {
  return {
    columns,
    aliases,
    definitions,
    resolving: new Set(),
    met: new Set(),
    through: new Set(),
    bound: new Map(),
    sawAggregate: false,
  };
}

/** Adds the WITH list of a SELECT to what surrounds it. */
export function definitionsOf(select: Select, outer: Definitions): Definitions {
  if (select.with.length === 0) return { ...outer, own: noDefinitions.own };
  const tables = new Map(outer.tables);
  const expressions = new Map(outer.expressions);
  const own = new Set<string>();
  for (const item of select.with) {
    if (item.kind === 'expression') {
      expressions.set(item.name, item.value);
      own.add(item.name);
      tables.delete(item.name);
      continue;
    }
    const definitions = { tables: new Map(tables), expressions: new Map(expressions), own };
    tables.set(item.name, { name: item.name, query: item.query, definitions });
  }
  return { tables, expressions, own };
}

/** What a subquery sees: a definition doesn't see itself, however deep its subqueries are. */
export function definitionsAround({ definitions, resolving }: Scope): Definitions {
  if (resolving.size === 0) return definitions;
  const expressions = new Map(definitions.expressions);
  for (const name of resolving) expressions.delete(name);
  return { ...definitions, expressions };
}

/** Direct parts of an expression; none for subqueries. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'call':
      return expression.arguments;
    case 'array':
    case 'tuple':
      return expression.items;
    case 'cast':
    case 'interval':
    case 'alias':
      return [expression.value];
    case 'lambda':
      return [expression.body];
    case 'in':
      return [expression.value, expression.set];
    default:
      return [];
  }
}
