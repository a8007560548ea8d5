// Which values may decide about rows: numbers, as in ClickHouse, and NULL, which is not true.

import { MusterError } from '../../base/errors.ts';
import { formatType, valueType } from '../../storage-format/data-type.ts';
import type { Expression } from '../sql/ast.ts';
import { bindExpression } from './bind-expression.ts';
import { type BoundExpression, isSet } from './bound-expression.ts';
import { type Binding, located } from './planning.ts';

const conditionKinds = /^(U?Int(8|16|32|64)|Float(32|64)|Bool|Nothing)$/;

export function isCondition(expression: BoundExpression): boolean {
  return conditionKinds.test(valueType(expression.type).kind);
}

/** A clause's condition, bound. Throws ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER (59) with its place. */
export function bindCondition(
  condition: Expression,
  clause: 'WHERE' | 'PREWHERE' | 'HAVING',
  binding: Binding,
): BoundExpression {
  const bound = bindExpression(condition, binding);
  if (isCondition(bound)) return bound;
  const error = isSet(bound)
    ? new MusterError('ILLEGAL_TYPE_OF_ARGUMENT', 'A set is no condition')
    : new MusterError(
        'ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER',
        `Invalid type for filter in ${clause}: ${formatType(bound.type)}`,
      );
  throw located(binding.planning, condition.at, error);
}

/** A join's ON, bound. Throws INVALID_JOIN_ON_EXPRESSION (403), or 43 for a call, with its place. */
export function bindOn(on: Expression, binding: Binding): BoundExpression {
  const bound = bindExpression(on, binding);
  const isCall = bound.kind !== 'constant' && bound.kind !== 'column';
  if (isCondition(bound) && bound.kind !== 'column') return bound;
  const error = new MusterError(
    isCall ? 'ILLEGAL_TYPE_OF_ARGUMENT' : 'INVALID_JOIN_ON_EXPRESSION',
    `ON of a JOIN takes a comparison, not a value of type ${formatType(bound.type)}`,
  );
  throw located(binding.planning, on.at, error);
}
