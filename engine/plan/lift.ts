// Lifting: questions to the workers and arrayJoin leave the expressions of a SELECT and become plan
// nodes that append columns. All questions that are ready go into one `ask` node, so that a SELECT
// costs as few dispatches as its data flow allows.

import type { DataType } from '../../storage-format/data-type.ts';
import {
  type AskExpression,
  type BoundExpression,
  contains,
  fingerprint,
  operands,
  rewrite,
} from './bound-expression.ts';
import type { NodeId } from './physical-plan.ts';
import type { PlanBuilder } from './plan-builder.ts';

/**
 * The rows of a SELECT while its operators are added one after another. Appended columns stay until
 * rows are aggregated or projected; what is already there is found by its fingerprint.
 */
export class Rows {
  readonly builder: PlanBuilder;
  #node: NodeId;
  #known = new Map<string, BoundExpression>();

  constructor(builder: PlanBuilder, node: NodeId) {
    this.builder = builder;
    this.#node = node;
  }

  get node(): NodeId {
    return this.#node;
  }

  get types(): readonly DataType[] {
    return this.builder.node(this.#node).types;
  }

  /** Goes on from a node whose columns begin with the same columns. */
  moveTo(node: NodeId): void {
    this.#node = node;
  }

  /** Goes on from a node with other columns. */
  restart(node: NodeId): void {
    this.#node = node;
    this.#known = new Map();
  }

  /** The same expressions over a relation that holds all their answers. */
  lift(expressions: readonly BoundExpression[]): readonly BoundExpression[] {
    let current = expressions.map((expression) => this.#replaceKnown(expression));
    for (;;) {
      const asks = readyNodes(current, 'ask') as readonly AskExpression[];
      if (asks.length > 0) this.#addAsks(asks);
      else {
        const joins = readyNodes(current, 'array-join');
        if (joins.length === 0) return current;
        for (const join of joins) this.#addArrayJoin(join);
      }
      current = current.map((expression) => this.#replaceKnown(expression));
    }
  }

  #addAsks(asks: readonly AskExpression[]): void {
    const first = this.types.length;
    const types = [...this.types, ...asks.map((ask) => ask.type)];
    this.#node = this.builder.add({ op: 'ask', input: this.#node, asks }, types);
    asks.forEach((ask, i) => this.#remember(ask, first + i));
  }

  #addArrayJoin(join: BoundExpression): void {
    const index = this.types.length;
    this.#node = this.builder.add(
      { op: 'array-join', input: this.#node, left: false, arrays: operands(join) },
      [...this.types, join.type],
    );
    this.#remember(join, index);
  }

  #remember(expression: BoundExpression, index: number): void {
    this.#known.set(fingerprint(expression), { kind: 'column', type: expression.type, index });
  }

  #replaceKnown(expression: BoundExpression): BoundExpression {
    if (this.#known.size === 0) return expression;
    return rewrite(expression, (node) => {
      if (node.kind !== 'ask' && node.kind !== 'array-join') return node;
      return this.#known.get(fingerprint(node)) ?? node;
    });
  }
}

function isLifted(node: BoundExpression): boolean {
  return node.kind === 'ask' || node.kind === 'array-join';
}

export function hasAsk(expression: BoundExpression): boolean {
  return contains(expression, (node) => node.kind === 'ask');
}

export function hasArrayJoin(expression: BoundExpression): boolean {
  return contains(expression, (node) => node.kind === 'array-join');
}

/** Distinct nodes of this kind that have nothing left to lift inside them. */
function readyNodes(
  expressions: readonly BoundExpression[],
  kind: 'ask' | 'array-join',
): readonly BoundExpression[] {
  const found = new Map<string, BoundExpression>();
  const visit = (node: BoundExpression): void => {
    const inner = operands(node);
    inner.forEach(visit);
    if (node.kind !== kind || inner.some((operand) => contains(operand, isLifted))) return;
    found.set(fingerprint(node), node);
  };
  expressions.forEach(visit);
  return [...found.values()];
}
