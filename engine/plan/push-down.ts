// Conditions of WHERE on their way to the scans: below joins, what concerns one side alone filters
// that side, and equalities of two sides become keys. Only ever in addition to the filter above, so
// a conjunct that can't move just stays.

import { type BoundExpression, contains } from './bound-expression.ts';
import { isVolatile, makeCall } from './function-calls.ts';
import type { NodeId, Operator } from './physical-plan.ts';
import { conjunctsOf, shift, sideOf, splitEqualities } from './plan-join.ts';
import type { Planning } from './planning.ts';

/** The node, or one that gives fewer of its rows: none that the condition holds for is missing. */
export function pushDown(node: NodeId, condition: BoundExpression, planning: Planning): NodeId {
  const conjuncts = conjunctsOf(condition).filter((conjunct) => !isRandom(conjunct));
  const { operator } = planning.builder.node(node);
  return operator.op === 'join' || operator.op === 'filter'
    ? push(node, conjuncts, planning)
    : node;
}

/** Equalities of its two sides make an inner join of a comma join that others read already. */
export function giveKeys(node: NodeId, condition: BoundExpression, planning: Planning): void {
  const { builder } = planning;
  const { operator, types } = builder.node(node);
  if (operator.op !== 'join' || operator.how !== 'cross') return;
  const isLater = (conjunct: BoundExpression) =>
    contains(
      conjunct,
      (part) =>
        (part.kind === 'column' && part.index >= types.length) ||
        part.kind === 'scalar' ||
        part.kind === 'in-node',
    );
  const conjuncts = conjunctsOf(condition).filter((conjunct) => !isLater(conjunct));
  const keys = splitEqualities(conjuncts, builder.node(operator.left).types.length, planning);
  if (keys.left.length === 0) return;
  const { left: leftKeys, right: rightKeys } = keys;
  builder.replace(node, { ...operator, how: 'inner', leftKeys, rightKeys });
}

function push(node: NodeId, conjuncts: readonly BoundExpression[], planning: Planning): NodeId {
  const { builder } = planning;
  const { operator, types } = builder.node(node);
  if (operator.op === 'join') return pushIntoJoin(node, operator, { conjuncts, planning });
  if (operator.op === 'filter') {
    const own = conjunctsOf(operator.condition).filter((conjunct) => !isRandom(conjunct));
    const input = push(operator.input, [...own, ...conjuncts], planning);
    return input === operator.input ? node : builder.add({ ...operator, input }, types);
  }
  const movable = conjuncts.filter(isPlain);
  const [first, ...rest] = movable;
  if (first === undefined) return node;
  const condition = rest.length === 0 ? first : makeCall('and', movable, planning);
  const input =
    operator.op === 'scan' ? builder.add({ ...operator, where: condition }, types) : node;
  return builder.add({ op: 'filter', input, condition }, types);
}

function pushIntoJoin(
  node: NodeId,
  join: Extract<Operator, { op: 'join' }>,
  options: { readonly conjuncts: readonly BoundExpression[]; readonly planning: Planning },
): NodeId {
  const { conjuncts, planning } = options;
  const { builder } = planning;
  const leftCount = builder.node(join.left).types.length;
  const ofSide = (side: 'left' | 'right') =>
    conjuncts.filter((conjunct) => sideOf(conjunct, leftCount) === side);
  const left = push(join.left, ofSide('left'), planning);
  // A row of the right side that is gone would make a miss of what was a match.
  const rightConjuncts = join.how === 'left' ? [] : ofSide('right');
  const right = push(
    join.right,
    rightConjuncts.map((conjunct) => shift(conjunct, leftCount)),
    planning,
  );
  const keys = join.how === 'cross' ? splitEqualities(conjuncts, leftCount, planning) : undefined;
  const isKeyed = keys !== undefined && keys.left.length > 0;
  if (left === join.left && right === join.right && !isKeyed) return node;
  const keyed = isKeyed
    ? ({ how: 'inner', leftKeys: keys.left, rightKeys: keys.right } as const)
    : {};
  return builder.add({ ...join, ...keyed, left, right }, builder.node(node).types);
}

/** Not about sets: those are asked above, with all other questions. */
function isPlain(conjunct: BoundExpression): boolean {
  return !contains(
    conjunct,
    (node) => node.type.kind === 'Bitmap' || node.kind === 'ask' || node.kind === 'array-join',
  );
}

function isRandom(conjunct: BoundExpression): boolean {
  return contains(conjunct, (node) => node.kind === 'call' && isVolatile(node.name));
}
