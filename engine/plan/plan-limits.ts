// LIMIT, OFFSET and LIMIT BY.

import { MusterError } from '../../base/errors.ts';
import type { Expression, Select } from '../sql/ast.ts';
import { bindExpression } from './bind-expression.ts';
import type { BoundExpression } from './bound-expression.ts';
import type { Rows } from './lift.ts';
import { constantValue } from './literal.ts';
import type { Binding } from './planning.ts';

export interface Limits {
  readonly limit: number | undefined;
  readonly offset: number;
  readonly by: readonly BoundExpression[];
  readonly byLimit: number;
  readonly byOffset: number;
}

export function bindLimits(
  select: Select,
  bindBy: (by: Expression) => BoundExpression,
  binding: Binding,
): Limits {
  const count = (expression: Expression | undefined): number | undefined =>
    expression === undefined ? undefined : countOf(expression, binding);
  return {
    limit: count(select.limit),
    offset: count(select.offset) ?? 0,
    by: (select.limitBy?.by ?? []).map(bindBy),
    byLimit: count(select.limitBy?.limit) ?? 0,
    byOffset: count(select.limitBy?.offset) ?? 0,
  };
}

/** Adds the nodes; `limits.by` is over the rows' columns already. */
export function addLimits(rows: Rows, limits: Limits): void {
  if (limits.by.length > 0) {
    const { by, byLimit: limit, byOffset: offset } = limits;
    rows.moveTo(
      rows.builder.add({ op: 'limit-by', input: rows.node, by, limit, offset }, rows.types),
    );
  }
  if (limits.limit === undefined && limits.offset === 0) return;
  const { limit, offset } = limits;
  rows.moveTo(rows.builder.add({ op: 'limit', input: rows.node, limit, offset }, rows.types));
}

function countOf(expression: Expression, binding: Binding): number {
  const bound = bindExpression(expression, binding);
  const value = bound.kind === 'constant' ? constantValue(bound) : undefined;
  const count = typeof value === 'bigint' ? Number(value) : value;
  if (typeof count === 'number' && Number.isInteger(count) && count >= 0) return count;
  if (typeof count === 'number' && Number.isFinite(count)) {
    throw new MusterError(
      'NOT_IMPLEMENTED',
      `LIMIT and OFFSET of less than nothing, or of a fraction, are not supported: ${count}`,
    );
  }
  throw new MusterError(
    'INVALID_LIMIT_EXPRESSION',
    'The value of LIMIT and OFFSET must be a constant whole number',
  );
}
