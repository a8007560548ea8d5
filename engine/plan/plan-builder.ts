// Collects the nodes of a plan and gives each its stage. Nodes refer only to nodes before them.

import { defined } from '../../base/assert.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import { type BoundExpression, operands } from './bound-expression.ts';
import {
  expressionsOf,
  inputsOf,
  isDispatched,
  type NodeId,
  type Operator,
  type Plan,
  type PlanNode,
} from './physical-plan.ts';

export class PlanBuilder {
  readonly #nodes: PlanNode[] = [];

  add(operator: Operator, types: readonly DataType[]): NodeId {
    let stage = 0;
    for (const input of inputsOf(operator)) stage = Math.max(stage, this.node(input).stage);
    for (const expression of expressionsOf(operator)) {
      for (const node of referredNodes(expression)) stage = Math.max(stage, this.node(node).stage);
    }
    if (isDispatched(operator)) stage++;
    this.#nodes.push({ operator, types, stage, needed: types.map(() => true), used: true });
    return this.#nodes.length - 1;
  }

  node(id: NodeId): PlanNode {
    return defined(this.#nodes[id], `plan node ${id}`);
  }

  /** Replaces a scan once it is known which rows can be pruned. */
  replace(id: NodeId, operator: Operator): void {
    this.#nodes[id] = { ...this.node(id), operator };
  }

  finish(output: NodeId, columns: Plan['columns']): Plan {
    return { nodes: this.#nodes, output, columns, stages: this.node(output).stage };
  }
}

/** Plan nodes that an expression reads beside its own relation: scalars and IN (SELECT). */
export function referredNodes(expression: BoundExpression): readonly NodeId[] {
  const found: NodeId[] = [];
  collect(expression, found);
  return found;
}

function collect(expression: BoundExpression, found: NodeId[]): void {
  if (expression.kind === 'scalar' || expression.kind === 'in-node') found.push(expression.node);
  for (const operand of operands(expression)) collect(operand, found);
}
