// What the columns of a plan's nodes are called, for people: a name where one column has it, its number
// (`$3`) where none or several do.

import { placedNodes } from './placed-steps.ts';
import type { BoundExpression } from './bound-expression.ts';
import type { NodeId, Operator, Plan } from './physical-plan.ts';

/** Of each node, in the order of its columns. */
export function nodeNames(plan: Plan): readonly (readonly string[])[] {
  const names: (readonly string[])[] = [];
  for (const { operator, types } of plan.nodes) {
    const given = givenNames(operator, (id) => names[id] ?? []);
    names.push(types.map((_, i) => uniqueName(given, i)));
  }
  return names;
}

/** The number stands for a name that is missing or not the only one. */
function uniqueName(names: readonly (string | undefined)[], at: number): string {
  const name = names[at];
  const isUnique = name !== undefined && names.indexOf(name) === names.lastIndexOf(name);
  return isUnique && !name.startsWith('$') ? name : `$${at}`;
}

function givenNames(
  operator: Operator,
  of: (id: NodeId) => readonly string[],
): readonly (string | undefined)[] {
  switch (operator.op) {
    case 'scan':
      return namesOfScan(operator);
    case 'numbers':
      return ['number'];
    case 'project':
      return namesThrough(operator.columns, of(operator.input));
    case 'aggregate':
      return namesThrough([...operator.keys, ...operator.aggregates], of(operator.input));
    case 'join':
      return [...of(operator.left), ...of(operator.right)];
    case 'filter':
    case 'sort':
    case 'limit':
    case 'limit-by':
    case 'distinct':
    case 'ask':
    case 'array-join':
      return of(operator.input);
    default:
      return [];
  }
}

/** After the steps that are done where the rows lie. */
function namesOfScan(scan: Extract<Operator, { op: 'scan' }>): readonly (string | undefined)[] {
  const own = scan.columns.map((at) => scan.table.schema.columns[at]?.name);
  const { steps = [] } = scan;
  const last = steps[steps.length - 1];
  if (last === undefined) return own;
  const nodes = placedNodes(
    scan,
    last.types.map(() => true),
  );
  return nodeNames({ nodes, output: nodes.length - 1, columns: [], stages: 0 })[nodes.length - 1]!;
}

function namesThrough(
  expressions: readonly BoundExpression[],
  names: readonly string[],
): readonly (string | undefined)[] {
  return expressions.map((one) => (one.kind === 'column' ? names[one.index] : undefined));
}
