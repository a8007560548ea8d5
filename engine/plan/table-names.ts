// Which databases a query reads, and which table functions, found in its syntax tree before anything
// is planned: one snapshot is taken of each database, and files are looked at. Names of common tables
// are no tables; system tables need no snapshot.

import type { Expression, Query, Select, TableExpression } from '../sql/ast.ts';
import { partsOf } from './scope.ts';

export function databasesOf(query: Query, defaultDatabase: string): ReadonlySet<string> {
  const found = new Set<string>();
  new Walk({ found, defaultDatabase, functions: [] }).query(query, new Set());
  return found;
}

type TableFunction = Extract<TableExpression, { readonly kind: 'function' }>;

export function tableFunctionsOf(query: Query): readonly TableFunction[] {
  const functions: TableFunction[] = [];
  new Walk({ found: new Set(), defaultDatabase: '', functions }).query(query, new Set());
  return functions;
}

type Names = ReadonlySet<string>;

interface Findings {
  readonly found: Set<string>;
  readonly defaultDatabase: string;
  readonly functions: TableFunction[];
}

class Walk {
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  query(query: Query, common: Names): void {
    let shared = common;
    query.selects.forEach((select, i) => {
      const own = this.#select(select, shared);
      if (i === 0) shared = own;
    });
  }

  /** Gives the names of common tables that its WITH list adds to. */
  #select(select: Select, outer: Names): Names {
    const common = new Set(outer);
    for (const item of select.with) {
      if (item.kind === 'query') {
        this.query(item.query, common);
        common.add(item.name);
      } else this.#expression(item.value, common);
    }
    if (select.from !== undefined) this.#table(select.from, common);
    const expressions = [
      ...select.items,
      ...(select.arrayJoin?.items ?? []),
      ...select.groupBy,
      ...select.orderBy.map((item) => item.value),
      ...(select.limitBy?.by ?? []),
      ...[select.prewhere, select.where, select.having, select.limit, select.offset].filter(
        (one) => one !== undefined,
      ),
    ];
    for (const expression of expressions) this.#expression(expression, common);
    return common;
  }

  #table(table: TableExpression, common: Names): void {
    switch (table.kind) {
      case 'join':
        this.#table(table.left, common);
        this.#table(table.right, common);
        if (table.on !== undefined) this.#expression(table.on, common);
        return;
      case 'subquery':
        this.query(table.query, common);
        return;
      case 'table':
        if (table.name.database === undefined && common.has(table.name.table)) return;
        this.#add(table.name.database);
        return;
      case 'function':
        this.#findings.functions.push(table);
        for (const argument of table.arguments) this.#expression(argument, common);
        return;
    }
  }

  #add(database: string | undefined): void {
    const { found, defaultDatabase } = this.#findings;
    if (database !== 'system') found.add(database ?? defaultDatabase);
  }

  #expression(expression: Expression, common: Names): void {
    if (expression.kind === 'subquery') this.query(expression.query, common);
    if (expression.kind === 'in' && expression.set.kind === 'name') {
      const { parts } = expression.set;
      if (parts.length > 1) this.#add(parts[0]);
    }
    for (const part of partsOf(expression)) this.#expression(part, common);
  }
}
