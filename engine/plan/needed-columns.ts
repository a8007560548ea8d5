// Which columns of each node somebody reads: the rest is never read from the store, computed, asked
// or moved. Marks run from the output down.

import { type BoundExpression, contains } from './bound-expression.ts';
import {
  expressionsOf,
  inputsOf,
  isDispatched,
  type NodeId,
  type Operator,
  type Plan,
  type PlanNode,
} from './physical-plan.ts';
import { referredNodes } from './plan-builder.ts';

/** The same plan with `needed` on its nodes; nodes that nobody needs have none. */
export function markNeeded(plan: Plan): Plan {
  const needed: boolean[][] = plan.nodes.map((node) => node.types.map(() => false));
  const used = plan.nodes.map(() => false);
  const marks: Marks = { needed, used };
  used[plan.output] = true;
  needed[plan.output]!.fill(true);
  for (let id = plan.nodes.length - 1; id >= 0; id--) {
    if (used[id]) markInputs(plan.nodes[id]!.operator, needed[id]!, marks);
  }
  const nodes: PlanNode[] = [];
  plan.nodes.forEach((node, id) => {
    if (!used[id]) nodes.push({ ...node, needed: [], used: false });
    else
      nodes.push({
        ...node,
        needed: needed[id]!,
        used: true,
        stage: stageOf(node, needed[id]!, nodes),
      });
  });
  return { ...plan, nodes, stages: nodes[plan.output]!.stage };
}

/** As PlanBuilder counts it, but an `ask` node that nobody needs costs no dispatch. */
function stageOf(node: PlanNode, needed: readonly boolean[], before: readonly PlanNode[]): number {
  const { operator } = node;
  let stage = 0;
  for (const input of inputsOf(operator)) stage = Math.max(stage, before[input]!.stage);
  for (const expression of expressionsOf(operator)) {
    for (const id of referredNodes(expression)) stage = Math.max(stage, before[id]!.stage);
  }
  if (operator.op !== 'ask') return isDispatched(operator) ? stage + 1 : stage;
  return needed.slice(-operator.asks.length).includes(true) ? stage + 1 : stage;
}

interface Marks {
  readonly needed: boolean[][];
  readonly used: boolean[];
}

function markInputs(operator: Operator, own: readonly boolean[], marks: Marks): void {
  switch (operator.op) {
    case 'scan':
      for (const expression of expressionsOf(operator)) markReferred(expression, marks);
      return;
    case 'project':
      operator.columns.forEach((column, i) => {
        if (own[i]) markExpression(column, operator.input, marks);
      });
      marks.used[operator.input] = true;
      return;
    case 'filter':
      passThrough(operator.input, own, marks);
      markExpression(operator.condition, operator.input, marks);
      return;
    case 'ask':
      markAsks(operator, own, marks);
      return;
    case 'array-join':
      passThrough(operator.input, own, marks);
      for (const array of operator.arrays) markExpression(array, operator.input, marks);
      return;
    case 'aggregate':
      marks.used[operator.input] = true;
      for (const key of operator.keys) markExpression(key, operator.input, marks);
      operator.aggregates.forEach((aggregate, i) => {
        if (own[operator.keys.length + i]) markExpression(aggregate, operator.input, marks);
      });
      return;
    case 'join':
      markJoin(operator, own, marks);
      return;
    case 'sort':
      passThrough(operator.input, own, marks);
      for (const key of operator.keys) markExpression(key.value, operator.input, marks);
      return;
    case 'limit-by':
      passThrough(operator.input, own, marks);
      for (const by of operator.by) markExpression(by, operator.input, marks);
      return;
    case 'distinct':
      passThrough(operator.input, own, marks);
      marks.needed[operator.input]!.fill(true, 0, operator.columns);
      return;
    case 'limit':
    case 'single-row':
      passThrough(operator.input, own, marks);
      return;
    case 'union':
      for (const input of operator.inputs) passThrough(input, own, marks);
      return;
    default:
      return;
  }
}

/** Columns that are handed on keep their positions. */
function passThrough(input: NodeId, own: readonly boolean[], marks: Marks): void {
  marks.used[input] = true;
  const below = marks.needed[input]!;
  for (let i = 0; i < below.length; i++) if (own[i]) below[i] = true;
}

/** Answers stand behind the input's columns. */
function markAsks(
  { input, asks }: Extract<Operator, { op: 'ask' }>,
  own: readonly boolean[],
  marks: Marks,
): void {
  passThrough(input, own, marks);
  const first = marks.needed[input]!.length;
  asks.forEach((expression, i) => {
    if (own[first + i]) markExpression(expression, input, marks);
  });
}

function markJoin(
  operator: Extract<Operator, { op: 'join' }>,
  own: readonly boolean[],
  marks: Marks,
): void {
  const leftCount = marks.needed[operator.left]!.length;
  passThrough(operator.left, own.slice(0, leftCount), marks);
  passThrough(operator.right, own.slice(leftCount), marks);
  for (const key of operator.leftKeys) markExpression(key, operator.left, marks);
  for (const key of operator.rightKeys) markExpression(key, operator.right, marks);
}

function markExpression(expression: BoundExpression, input: NodeId, marks: Marks): void {
  markReferred(expression, marks);
  contains(expression, (node) => {
    if (node.kind === 'column') marks.needed[input]![node.index] = true;
    return false;
  });
}

function markReferred(expression: BoundExpression, marks: Marks): void {
  for (const node of referredNodes(expression)) {
    marks.used[node] = true;
    marks.needed[node]!.fill(true);
  }
}
