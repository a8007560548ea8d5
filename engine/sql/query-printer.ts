// Queries and what they read as SQL text, one line, clauses in ClickHouse's order.

import { assertNever } from '../../base/assert.ts';
import type {
  Expression,
  OrderItem,
  Query,
  Select,
  Setting,
  TableExpression,
  TableName,
  WithItem,
} from './ast.ts';
import { printExpression, printExpressions } from './expression-printer.ts';
import { printFunctionName, printLiteral, printName } from './literal-printer.ts';

type Join = Extract<TableExpression, { readonly kind: 'join' }>;

export function printQuery(query: Query): string {
  return query.selects.map(printSelect).join(` UNION ${query.union.toUpperCase()} `);
}

function printSelect(select: Select): string {
  const { items, from, arrayJoin, prewhere, where, having, orderBy, settings } = select;
  const clauses = [
    select.with.length === 0 ? '' : `WITH ${select.with.map(printWith).join(', ')}`,
    `SELECT ${select.distinct ? 'DISTINCT ' : ''}${printExpressions(items)}`,
    from === undefined ? '' : `FROM ${printTable(from)}`,
    arrayJoin === undefined
      ? ''
      : `${arrayJoin.left ? 'LEFT ' : ''}ARRAY JOIN ${printExpressions(arrayJoin.items)}`,
    prewhere === undefined ? '' : `PREWHERE ${printExpression(prewhere)}`,
    where === undefined ? '' : `WHERE ${printExpression(where)}`,
    printGroupBy(select),
    having === undefined ? '' : `HAVING ${printExpression(having)}`,
    orderBy.length === 0 ? '' : `ORDER BY ${orderBy.map(printOrder).join(', ')}`,
    ...printLimits(select),
    printSettings(settings),
  ];
  return clauses.filter((clause) => clause !== '').join(' ');
}

function printWith(item: WithItem): string {
  if (item.kind === 'query') return `${printName(item.name)} AS (${printQuery(item.query)})`;
  const { value, name, at } = item;
  return printExpression({ kind: 'alias', at, value, name });
}

function printGroupBy({ groupBy, groupModifier }: Select): string {
  if (groupModifier === 'all') return 'GROUP BY ALL';
  const modifier = groupModifier === undefined ? '' : `WITH ${groupModifier.toUpperCase()}`;
  if (groupBy.length === 0) return modifier;
  return `GROUP BY ${printExpressions(groupBy)} ${modifier}`.trimEnd();
}

function printOrder({ value, descending, nullsFirst }: OrderItem): string {
  const direction = descending ? 'DESC' : 'ASC';
  return `${printExpression(value)} ${direction}${nullsFirst ? ' NULLS FIRST' : ''}`;
}

function printLimits({ limitBy, limit, offset }: Select): string[] {
  const clauses: string[] = [];
  if (limitBy !== undefined) {
    const from = limitBy.offset === undefined ? '' : `${printExpression(limitBy.offset)}, `;
    const by = printExpressions(limitBy.by);
    clauses.push(`LIMIT ${from}${printExpression(limitBy.limit)} BY ${by}`);
  }
  if (limit !== undefined) clauses.push(`LIMIT ${printExpression(limit)}`);
  if (offset !== undefined) clauses.push(`OFFSET ${printExpression(offset)}`);
  return clauses;
}

/** With its keyword; empty when there are none. */
export function printSettings(settings: readonly Setting[]): string {
  return settings.length === 0 ? '' : `SETTINGS ${printAssignments(settings)}`;
}

export function printAssignments(settings: readonly Setting[]): string {
  return settings
    .map(({ name, value }) => `${printName(name)} = ${printLiteral(value)}`)
    .join(', ');
}

export function printTableName({ database, table }: TableName): string {
  return database === undefined ? printName(table) : `${printName(database)}.${printName(table)}`;
}

export function printTable(table: TableExpression): string {
  const { kind } = table;
  switch (kind) {
    case 'table': {
      const name = `${printTableName(table.name)}${printAlias(table.alias)}`;
      return table.final ? `${name} FINAL` : name;
    }
    case 'subquery':
      return `(${printQuery(table.query)})${printAlias(table.alias)}`;
    case 'function':
      return printTableFunction(table.name, table.arguments) + printAlias(table.alias);
    case 'join':
      return printJoin(table);
    default:
      return assertNever(kind);
  }
}

/** The arguments of s3() behind its address may be keys: they are never shown. */
export function printTableFunction(name: string, operands: readonly Expression[]): string {
  const shown =
    name === 's3'
      ? operands.map((operand, i) => (i > 0 && operand.kind === 'literal' ? hidden : operand))
      : operands;
  return `${printFunctionName(name)}(${printExpressions(shown)})`;
}

const hidden: Expression = {
  kind: 'literal',
  at: 0,
  literal: { kind: 'string', value: '[HIDDEN]' },
};

function printAlias(alias: string | undefined): string {
  return alias === undefined ? '' : ` AS ${printName(alias)}`;
}

const joins: Readonly<Record<Join['how'], string>> = {
  cross: 'CROSS JOIN',
  inner: 'INNER JOIN',
  left: 'LEFT JOIN',
  right: 'RIGHT JOIN',
  full: 'FULL OUTER JOIN',
  semi: 'SEMI LEFT JOIN',
  anti: 'ANTI LEFT JOIN',
};

function printJoin({ left, right, how, on, using }: Join): string {
  const both = `${printTable(left)} ${joins[how]} ${printTable(right)}`;
  if (using !== undefined) return `${both} USING (${using.map(printName).join(', ')})`;
  return on === undefined ? both : `${both} ON ${printExpression(on)}`;
}
