// Partition and sorting keys of staged rows: the expressions of a table's schema evaluated over its
// columns. Only columns, constants and functions of them can be there.

import { MusterError } from '../../base/errors.ts';
import { suggestion } from '../../base/nearest-name.ts';
import type { TableSchema } from '../../catalog/schema.ts';
import type { Column } from '../../storage-format/column.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import { applyFunction, resolveFunction } from '../library/apply-function.ts';
import { repeat } from '../library/columns/take.ts';
import { findScalarFunction } from '../library/registry.ts';
import type { Argument, FunctionContext } from '../library/scalar-function.ts';
import { literalConstant } from '../plan/literal.ts';
import type { Expression } from '../sql/ast.ts';
import { printExpression } from '../sql/expression-printer.ts';
import { parseExpression } from '../sql/statement-parser.ts';
import type { KeyColumns } from './arrange-rows.ts';

interface KeyInput {
  readonly columns: ReadonlyMap<string, { readonly type: DataType; readonly values: Column }>;
  readonly rows: number;
  readonly context: { readonly functions: FunctionContext };
}

/** One column per element of the key; a tuple's elements count by themselves. */
export function keyColumns(texts: readonly string[], input: KeyInput): KeyColumns {
  const elements = texts.flatMap(keyElements);
  const evaluated = elements.map((element) => evaluateKey(element, input));
  return {
    types: evaluated.map(({ type }) => type),
    columns: evaluated.map(({ values }) => values),
  };
}

/** The expressions of one key's text. */
export function keyElements(text: string): readonly Expression[] {
  return tupleElements(parseExpression(text));
}

/** Keys are read in UTC, whatever the session's zone: a row's place must not depend on who writes. */
export function keyContext(functions: FunctionContext): FunctionContext {
  return { ...functions, timeZone: 'UTC' };
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
  const { type, column, constant } = evaluateArgument(expression, input);
  return { type, values: constant ? repeat(column, input.rows) : column };
}

function evaluateArgument(expression: Expression, input: KeyInput): Argument {
  switch (expression.kind) {
    case 'name':
      return columnArgument(expression.parts.join('.'), input);
    case 'literal': {
      const { type, value } = literalConstant(expression.literal);
      return { type, column: value, constant: true };
    }
    case 'call':
      return callArgument(expression, input);
    default:
      throw notInKeys(expression);
  }
}

function columnArgument(name: string, input: KeyInput): Argument {
  const known = input.columns.get(name);
  if (known !== undefined) return { type: known.type, column: known.values, constant: false };
  throw new MusterError(
    'UNKNOWN_IDENTIFIER',
    `Key column ${name} does not exist${suggestion(name, input.columns.keys())}`,
  );
}

function callArgument(
  expression: Extract<Expression, { kind: 'call' }>,
  input: KeyInput,
): Argument {
  const scalar = findScalarFunction(expression.name);
  if (scalar === undefined) throw notInKeys(expression);
  const call = expression.arguments.map((argument) => evaluateArgument(argument, input));
  const types = call.map(({ type, column, constant }) =>
    constant ? { type, constant: column } : { type },
  );
  const context = keyContext(input.context.functions);
  const resolved = resolveFunction(scalar, types, context);
  return applyFunction(resolved, { arguments: call, rows: input.rows, context });
}

function notInKeys(expression: Expression): MusterError {
  return new MusterError(
    'NOT_IMPLEMENTED',
    `${printExpression(expression)} in a partition or sorting key is not supported: columns, literals and functions of them are`,
  );
}
