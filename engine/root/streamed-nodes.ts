// Which nodes of a plan hand their rows on block by block, and never hold them.

import { expressionsOf, inputsOf, type Plan, type PlanNode } from '../plan/physical-plan.ts';
import { referredNodes } from '../plan/plan-builder.ts';

/** Sources, and row-wise operators above them that exactly one node reads. */
export function streamedNodes(plan: Plan): readonly boolean[] {
  const uses = plan.nodes.map(() => 0);
  for (const node of plan.nodes) {
    if (!node.used) continue;
    for (const input of inputsOf(node.operator)) uses[input]!++;
    for (const expression of expressionsOf(node.operator)) {
      // A scalar or an IN (SELECT) is looked up by its result.
      for (const id of referredNodes(expression)) uses[id]! += 2;
    }
  }
  const streamed: boolean[] = [];
  plan.nodes.forEach((node, id) => {
    const once = uses[id]! <= 1;
    streamed.push(node.used && once && isStreamable(node, streamed));
  });
  return streamed;
}

function isStreamable(node: PlanNode, streamed: readonly boolean[]): boolean {
  const { operator } = node;
  switch (operator.op) {
    case 'scan':
    case 'numbers':
    case 'input':
    case 'files':
    case 'system':
      return true;
    case 'filter':
    case 'project':
    case 'array-join':
      return streamed[operator.input] === true;
    default:
      return false;
  }
}
