// Sets that are gathered of rows' own ids, where rows hold codes: they are made in each group, of codes,
// and stay there. Numbers that are asked of them are answered there and added up; where more is done with
// them, the root knows them by the keys of their groups of rows and asks later.

import type { AggregateExpression, BoundExpression } from './bound-expression.ts';
import { gathersIds, idTest, type Origins } from './coded-scan.ts';
import { countedCodes } from './counted-codes.ts';
import { splitAggregate } from './partial-aggregates.ts';
import {
  expressionsOf,
  inputsOf,
  type NodeId,
  type Operator,
  type Plan,
  type PlanNode,
  withStep,
} from './physical-plan.ts';
import { referredNodes } from './plan-builder.ts';

type Scan = Extract<Operator, { op: 'scan' }>;
type Aggregate = Extract<Operator, { op: 'aggregate' }>;

/** Who reads the node, and that one, and so on: through what keeps rows' columns, to questions. */
export function readersUpTo(
  id: NodeId,
  { nodes }: Plan,
  readers: readonly number[],
): readonly NodeId[] {
  const chain: NodeId[] = [];
  for (let at = id; readers[at] === 1; ) {
    at = nodes.findIndex(({ operator }) => inputsOf(operator).includes(at));
    const op = nodes[at]?.operator.op;
    if (op === undefined || !['filter', 'sort', 'limit', 'limit-by', 'ask'].includes(op)) return [];
    chain.push(at);
    if (op === 'ask') return chain;
  }
  return [];
}

/**
 * Numbers of sets of rows' own ids are added up over their groups, which no id is in two of. The chain from
 * the aggregate to the questions moves on by one place: rows and questions, sums, then what was between.
 */
export function countAtRoot(
  nodes: PlanNode[],
  moving: {
    readonly id: NodeId;
    readonly readers: readonly NodeId[];
    readonly scan: Scan;
    readonly aggregate: Aggregate;
    readonly from: Origins;
  },
): boolean {
  const { id, readers, scan, aggregate, from } = moving;
  const asking = nodes[readers[readers.length - 1] ?? id]!;
  const isId = idTest(scan, from);
  const counted = countedCodes(aggregate, asking, isId);
  if (counted === undefined) return false;
  const isEarly = (one: BoundExpression) => referredNodes(one).every((node) => node < id);
  if (!expressionsOf(asking.operator).every(isEarly)) return false;
  const steps = [nodes[id]!, counted.asked, counted.answered];
  const placed = steps.reduce<Scan>(withStep, { ...scan, byGroup: true });
  const { types } = counted.answered;
  const chain = [counted.final, ...readers.slice(0, -1).map((at) => nodes[at]!.operator)];
  nodes[id] = { ...nodes[id]!, operator: placed, types, needed: types.map(() => true) };
  chain.forEach((operator, i) => {
    const input = i === 0 ? id : readers[i - 1]!;
    nodes[readers[i]!] = { ...asking, operator: { ...operator, input } as Operator };
  });
  return true;
}

/** Sets of rows' own ids stay where they are made; the root knows them by the keys of their groups. */
export function leaveSets(
  nodes: PlanNode[],
  moving: {
    readonly id: NodeId;
    readonly input: NodeId;
    readonly scan: Scan;
    readonly aggregate: Aggregate;
    readonly from: Origins;
  },
): void {
  const { id, input, scan, aggregate, from } = moving;
  const isId = idTest(scan, from);
  const { keys, aggregates } = aggregate;
  const isEarly = (one: BoundExpression) => referredNodes(one).every((node) => node < input);
  if (!expressionsOf(aggregate).every(isEarly)) return;
  const plain = aggregates.filter((one) => !gathersIds(one, isId));
  const split = splitAggregate({ ...aggregate, aggregates: plain }, isId);
  if (split === undefined || plain.some(({ call }) => call.what === 'intern')) return;
  const partial = {
    ...aggregate,
    aggregates: [...plain, ...aggregates.filter((one) => !plain.includes(one))],
  };
  const types = [...partial.keys, ...partial.aggregates].map(({ type }) => type);
  let set = keys.length + plain.length;
  let next = 0;
  const merged = aggregates.map((one): AggregateExpression => {
    if (plain.includes(one)) return split.final.aggregates[next++]!;
    const column = { kind: 'column', type: one.type, index: set++ } as const;
    return { kind: 'aggregate', type: one.type, call: { what: 'grouped', arguments: [column] } };
  });
  const step = { operator: partial, types };
  const operator: Scan = { ...withStep({ ...scan, byGroup: true }, step), setsStay: true };
  nodes[input] = { ...nodes[input]!, operator, types, needed: types.map(() => true) };
  nodes[id] = { ...nodes[id]!, operator: { ...split.final, aggregates: merged } };
}
