// Bound expressions as text, for plans and messages about them.

import { decodeUtf8 } from '../../base/utf8.ts';
import { type Column, columnLength } from '../../storage-format/column.ts';
import { type Value, valueAt } from '../values/column-builder.ts';
import type { AggregateExpression, BoundExpression } from './bound-expression.ts';

/** Of the input's columns; a column without one is printed as its number: `$3`. */
export type ColumnNames = readonly string[];

export function printExpression(expression: BoundExpression, names: ColumnNames = []): string {
  switch (expression.kind) {
    case 'column':
      return names[expression.index] ?? `$${expression.index}`;
    case 'constant':
      return printConstant(expression.value);
    case 'scalar':
      return `scalar(#${expression.node})`;
    case 'call':
      return `${expression.name}(${printExpressions(expression.arguments, names)})`;
    case 'cast':
      return `cast(${printExpression(expression.value, names)})`;
    case 'in-node':
      return `in(${printExpressions(expression.value, names)}, #${expression.node})`;
    case 'set':
      return `set.${expression.op}(${printExpressions(expression.arguments, names)})`;
    case 'ask':
      return `ask.${expression.ask}(${printExpressions(expression.arguments, names)})`;
    case 'array-join':
      return `arrayJoin(${printExpression(expression.value, names)})`;
    case 'aggregate':
      return printAggregate(expression, names);
  }
}

export function printExpressions(
  expressions: readonly BoundExpression[],
  names: ColumnNames = [],
): string {
  return expressions.map((one) => printExpression(one, names)).join(', ');
}

export function printAggregate(aggregate: AggregateExpression, names: ColumnNames = []): string {
  const { call, condition } = aggregate;
  const how = 'how' in call ? ` ${call.how}` : '';
  const name = call.what === 'plain' ? call.name : `${call.what}${how}`;
  const when = condition === undefined ? '' : ` if ${printExpression(condition, names)}`;
  return `${name}(${printExpressions(call.arguments, names)})${when}`;
}

function printConstant(column: Column): string {
  return columnLength(column) === 0 ? '' : printValue(valueAt(column, 0));
}

function printValue(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(printValue).join(', ')}]`;
  return typeof value === 'string' ? `'${decodeUtf8(value)}'` : String(value);
}
