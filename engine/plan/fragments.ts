// What of a finished plan moves into its scans of detail rows, which run in the workers: conditions
// that read nothing but the table's columns and what is constant for the whole scan, and LIMIT. Only
// rows that pass travel to the root.

import { mayFail } from '../rows/short-circuit.ts';
import { type BoundExpression, contains } from './bound-expression.ts';
import { isVolatile, makeCall } from './function-calls.ts';
import {
  expressionsOf,
  inputsOf,
  isDetailScan,
  type NodeId,
  type Operator,
  type Plan,
  type PlanNode,
} from './physical-plan.ts';
import { referredNodes } from './plan-builder.ts';
import { conjunctsOf } from './plan-join.ts';
import type { Planning } from './planning.ts';

type Scan = Extract<Operator, { op: 'scan' }>;
type Filter = Extract<Operator, { op: 'filter' }>;

export function intoFragments(plan: Plan, planning: Planning): Plan {
  const nodes = [...plan.nodes];
  const readers = readersOf(plan);
  for (let id = 0; id < nodes.length; id++) {
    const { operator } = nodes[id]!;
    if (readers[id] === 0) continue;
    if (operator.op === 'filter') moveFilter(id, operator, { nodes, readers, planning });
    if (operator.op === 'limit') moveLimit(operator, nodes, readers);
  }
  return { ...plan, nodes };
}

interface Moving {
  readonly nodes: PlanNode[];
  readonly readers: readonly number[];
  readonly planning: Planning;
}

function moveFilter(id: NodeId, filter: Filter, { nodes, readers, planning }: Moving): void {
  const below = scanBelow(filter.input, 'ask', { nodes, readers });
  if (below === undefined) return;
  const { pushed, rest } = split(filter.condition, nodes[below.node]!.types.length);
  if (pushed.length === 0) return;
  const known = below.scan.filter === undefined ? [] : [below.scan.filter];
  const scan = { ...below.scan, filter: conjunction([...known, ...pushed], planning) };
  if (rest.length === 0 && below.node === filter.input) {
    nodes[id] = { ...nodes[id]!, operator: scan };
    return;
  }
  nodes[below.node] = { ...nodes[below.node]!, operator: scan };
  if (rest.length === 0) return;
  nodes[id] = {
    ...nodes[id]!,
    operator: { ...filter, condition: conjunction(rest, planning) },
  };
}

function moveLimit(
  { input, limit, offset }: Extract<Operator, { op: 'limit' }>,
  nodes: PlanNode[],
  readers: readonly number[],
): void {
  const below = limit === undefined ? undefined : scanBelow(input, 'project', { nodes, readers });
  if (limit === undefined || below === undefined) return;
  const operator = { ...below.scan, limit: offset + limit };
  nodes[below.node] = { ...nodes[below.node]!, operator };
}

/** A scan of detail rows that this node alone reads, maybe through nodes that keep its rows. */
function scanBelow(
  input: NodeId,
  through: 'ask' | 'project',
  { nodes, readers }: Pick<Moving, 'nodes' | 'readers'>,
): { readonly node: NodeId; readonly scan: Scan } | undefined {
  let node = input;
  for (;;) {
    const { operator } = nodes[node]!;
    if (readers[node] !== 1) return undefined;
    if (isDetailScan(operator)) return { node, scan: operator };
    if (operator.op !== through) return undefined;
    node = operator.input;
  }
}

/**
 * A conjunct may move before another that it stood behind only if it can't fail: that one may have
 * kept away the rows on which it would.
 */
function split(
  condition: BoundExpression,
  width: number,
): { readonly pushed: readonly BoundExpression[]; readonly rest: readonly BoundExpression[] } {
  const pushed: BoundExpression[] = [];
  const rest: BoundExpression[] = [];
  for (const conjunct of conjunctsOf(condition)) {
    const moves = isOfScan(conjunct, width) && (rest.length === 0 || !mayFail(conjunct));
    (moves ? pushed : rest).push(conjunct);
  }
  return { pushed, rest };
}

function isOfScan(conjunct: BoundExpression, width: number): boolean {
  const isOdd = (node: BoundExpression): boolean => {
    if (node.type.kind === 'Bitmap') return true;
    if (node.kind === 'column') return node.index >= width;
    if (node.kind === 'call') return isVolatile(node.name);
    return node.kind !== 'constant' && node.kind !== 'cast' && node.kind !== 'scalar';
  };
  return contains(conjunct, (node) => node.kind === 'column') && !contains(conjunct, isOdd);
}

function conjunction(conjuncts: readonly BoundExpression[], planning: Planning): BoundExpression {
  return conjuncts.length === 1 ? conjuncts[0]! : makeCall('and', conjuncts, planning);
}

/** How often each node is read; 0 where the output doesn't need it. */
export function readersOf(plan: Plan): readonly number[] {
  const readers = plan.nodes.map(() => 0);
  readers[plan.output] = 1;
  for (let id = plan.nodes.length - 1; id >= 0; id--) {
    if (readers[id] === 0) continue;
    const { operator } = plan.nodes[id]!;
    for (const input of inputsOf(operator)) readers[input]!++;
    for (const expression of expressionsOf(operator)) {
      for (const node of referredNodes(expression)) readers[node]!++;
    }
  }
  return readers;
}
