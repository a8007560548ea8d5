// Partition and sorting keys of staged rows: the expressions of a table's schema evaluated over its
// columns. Only columns, constants and functions of them can be there.

import { MusterError } from '../../base/errors.ts';
import type { TableSchema } from '../../catalog/schema.ts';
import type { Column } from '../../storage-format/column.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import type { QueryContext } from '../query-context.ts';
import { parseExpression } from '../sql/statement-parser.ts';
import type { Expression } from '../sql/ast.ts';
import type { KeyColumns } from './arrange-rows.ts';

export interface KeyInput {
  readonly columns: ReadonlyMap<string, { readonly type: DataType; readonly values: Column }>;
  readonly rows: number;
  readonly context: QueryContext;
}

/** One column per element of the key; a tuple's elements count by themselves. */
export function keyColumns(texts: readonly string[], input: KeyInput): KeyColumns {
  const elements = texts.map(parseExpression).flatMap(tupleElements);
  const evaluated = elements.map((element) => evaluateKey(element, input));
  return {
    types: evaluated.map(({ type }) => type),
    columns: evaluated.map(({ values }) => values),
  };
}

/** Ids of the sorting key's columns up to the first that is an expression. */
export function plainKeyColumns(table: TableSchema): readonly number[] {
  const ids: number[] = [];
  for (const text of table.orderBy) {
    const column = table.columns.find((candidate) => candidate.name === unquoted(text));
    if (column === undefined) break;
    ids.push(column.id);
  }
  return ids;
}

function unquoted(text: string): string {
  const expression = parseExpression(text);
  return expression.kind === 'name' ? expression.parts.join('.') : '';
}

function tupleElements(expression: Expression): readonly Expression[] {
  if (expression.kind === 'tuple') return expression.items.flatMap(tupleElements);
  if (expression.kind === 'call' && expression.name === 'tuple') {
    return expression.arguments.flatMap(tupleElements);
  }
  return [expression];
}

function evaluateKey(
  expression: Expression,
  input: KeyInput,
): { readonly type: DataType; readonly values: Column } {
  const known =
    expression.kind === 'name' ? input.columns.get(expression.parts.join('.')) : undefined;
  if (known !== undefined) return known;
  throw new MusterError('NOT_IMPLEMENTED', `Key expressions of kind ${expression.kind}`);
}
