// Questions about sets that are gathered of rows' own ids, where all that is asked of these sets are
// numbers: they are asked in each group, of the codes of its rows, and the numbers are added up. A set is
// split over groups by its ids, so that a count of any expression of such sets is the sum of its parts.

import {
  type AggregateExpression,
  type AskExpression,
  type BoundExpression,
  contains,
} from './bound-expression.ts';
import { gathersIds, type IdTest } from './coded-scan.ts';
import { splitAggregate } from './partial-aggregates.ts';
import type { Operator, PlacedStep, PlanNode } from './physical-plan.ts';

type Aggregate = Extract<Operator, { op: 'aggregate' }>;

interface CountedCodes {
  /** The questions, after the aggregate. */
  readonly asked: PlacedStep;
  /** What is answered of each group's rows: keys, plain aggregates, numbers. */
  readonly answered: PlacedStep;
  /** Over what is answered; gives the columns of the questions' node. */
  readonly final: Aggregate;
}

/**
 * `above` asks about what `aggregate` makes, and is all that reads it. Undefined where that is more than
 * numbers, or where another aggregate can't be made in halves.
 */
export function countedCodes(
  aggregate: Aggregate,
  above: PlanNode,
  isId: IdTest,
): CountedCodes | undefined {
  if (above.operator.op !== 'ask') return undefined;
  const { asks } = above.operator;
  const { keys, aggregates } = aggregate;
  const isGathered = (one: AggregateExpression) => gathersIds(one, isId);
  const setsAt = aggregates.flatMap((one, i) => (isGathered(one) ? [keys.length + i] : []));
  const isSet = (at: number) => setsAt.includes(at);
  if (!asks.every((ask) => isNumber(ask, { isSet, keys: keys.length }))) return undefined;
  if (setsAt.some((at) => above.needed[at] === true)) return undefined;
  const plain = aggregates.filter((one) => !isGathered(one));
  const halves = splitAggregate({ ...aggregate, aggregates: plain }, isId);
  if (halves === undefined) return undefined;
  const columns = [...keys, ...aggregates].map(
    ({ type }, index): BoundExpression => ({ kind: 'column', type, index }),
  );
  const kept = columns.filter((_, index) => !isSet(index));
  const answers = asks.map(
    ({ type }, i): BoundExpression => ({ kind: 'column', type, index: columns.length + i }),
  );
  const project = { op: 'project', input: 0, columns: [...kept, ...answers] } as const;
  let next = 0;
  const merged = aggregates.map((one) =>
    isGathered(one) ? nothing : halves.final.aggregates[next++]!,
  );
  const sums = asks.map((ask, i) => numberOfParts(ask, kept.length + i));
  return {
    asked: { operator: above.operator, types: above.types },
    answered: { operator: project, types: project.columns.map(({ type }) => type) },
    final: { ...halves.final, aggregates: [...merged, ...sums] },
  };
}

/** Stands where a set was that nobody reads. */
const nothing: AggregateExpression = {
  kind: 'aggregate',
  type: { kind: 'UInt64' },
  call: { what: 'plain', name: 'count', arguments: [] },
};

function numberOfParts({ ask, type }: AskExpression, index: number): AggregateExpression {
  const name = ask === 'card' ? 'sum' : 'max';
  const part = { kind: 'column', type, index } as const;
  return { kind: 'aggregate', type, call: { what: 'plain', name, arguments: [part] } };
}

interface Columns {
  readonly isSet: (at: number) => boolean;
  readonly keys: number;
}

/** A number that adds up over groups: of gathered sets, keys, and what is the same for all rows. */
function isNumber({ ask, arguments: [set] }: AskExpression, { isSet, keys }: Columns): boolean {
  if ((ask !== 'card' && ask !== 'any') || set === undefined) return false;
  const isGathered = (one: BoundExpression) => one.kind === 'column' && isSet(one.index);
  const isOther = (one: BoundExpression): boolean => {
    if (one.kind === 'column') return !isSet(one.index) && one.index >= keys;
    return one.kind === 'ask' || one.kind === 'in-node' || one.kind === 'array-join';
  };
  return !contains(set, isOther) && isEmptyWithout(set, isGathered);
}

/** Whether nobody is in it where no rows are: a group of ids without such rows answers nothing. */
function isEmptyWithout(
  set: BoundExpression,
  isGathered: (one: BoundExpression) => boolean,
): boolean {
  if (set.kind !== 'set') return isGathered(set);
  const [a, b, c] = set.arguments.map((one) => isEmptyWithout(one, isGathered));
  switch (set.op) {
    case 'and':
      return a === true || b === true;
    case 'or':
    case 'xor':
      return a === true && b === true;
    case 'andnot':
    case 'range':
      return a === true;
    case 'choose':
      return b === true && c === true;
    default:
      return false;
  }
}
