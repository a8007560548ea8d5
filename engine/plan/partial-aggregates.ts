// An aggregate in two halves: made of the rows of each place, and of what the places have made. Only
// for functions whose result tells all that a merge needs, and whose result over no rows, which a
// condition can leave, adds nothing.

import type { AggregateExpression, BoundExpression } from './bound-expression.ts';
import type { Operator } from './physical-plan.ts';

type Aggregate = Extract<Operator, { op: 'aggregate' }>;

interface SplitAggregate {
  readonly partial: Aggregate;
  /** Over the columns of `partial`: keys, then aggregates. */
  readonly final: Aggregate;
}

/**
 * Undefined where one of the functions can't be merged. `isPlaced`: whether equal values of an argument
 * are in one place, so that different ones can be counted there.
 */
export function splitAggregate(
  aggregate: Aggregate,
  isPlaced: (argument: BoundExpression) => boolean,
): SplitAggregate | undefined {
  const { keys, aggregates, input } = aggregate;
  const finals: AggregateExpression[] = [];
  for (const [i, one] of aggregates.entries()) {
    const partial = { kind: 'column', type: one.type, index: keys.length + i } as const;
    const merged = countsOfPlaces(one, partial, isPlaced) ?? mergeOf(one, partial);
    if (merged === undefined) return undefined;
    finals.push(merged);
  }
  const columns = keys.map(({ type }, index): BoundExpression => ({ kind: 'column', type, index }));
  return {
    partial: aggregate,
    final: { op: 'aggregate', input, keys: columns, aggregates: finals },
  };
}

function countsOfPlaces(
  { call, type }: AggregateExpression,
  partial: BoundExpression,
  isPlaced: (argument: BoundExpression) => boolean,
): AggregateExpression | undefined {
  if (call.what !== 'plain' || call.name !== 'uniqExact') return undefined;
  if (call.arguments.length !== 1 || !isPlaced(call.arguments[0]!)) return undefined;
  return { kind: 'aggregate', type, call: { what: 'plain', name: 'sum', arguments: [partial] } };
}

function mergeOf(
  aggregate: AggregateExpression,
  partial: BoundExpression,
): AggregateExpression | undefined {
  const { call, condition, type } = aggregate;
  switch (call.what) {
    case 'plain': {
      const name = mergeNames.get(call.name);
      if (name === undefined || (condition !== undefined && name !== 'sum')) return undefined;
      return { kind: 'aggregate', type, call: { what: 'plain', name, arguments: [partial] } };
    }
    case 'fold':
      if (call.how === 'and' && condition !== undefined) return undefined;
      return {
        kind: 'aggregate',
        type,
        call: { what: 'fold', how: call.how, arguments: [partial] },
      };
    case 'intern':
      return { kind: 'aggregate', type, call: { what: 'fold', how: 'or', arguments: [partial] } };
    default:
      return undefined;
  }
}

/** What merges the results of a function. */
const mergeNames: ReadonlyMap<string, string> = new Map([
  ['count', 'sum'],
  ['sum', 'sum'],
  ['min', 'min'],
  ['max', 'max'],
]);
