// `uid IN (SELECT arrayJoin(bitmapToArray(s)) ...)` over rows that hold codes: the members that a subquery
// unrolls are one set, and whether a row's own id is in it is a question about a code. The nodes that
// unrolled the ids unite the sets instead, each in its place.

import type { DataType } from '../../storage-format/data-type.ts';
import { uint8 } from '../library/numeric-types.ts';
import {
  type AskExpression,
  type BoundExpression,
  contains,
  isSet,
  rewrite,
} from './bound-expression.ts';
import type { NodeId, Operator, PlacedStep, PlanNode } from './physical-plan.ts';

type InNode = Extract<BoundExpression, { kind: 'in-node' }>;
type Filter = Extract<Operator, { op: 'filter' }>;

interface MembersFilter {
  /** After the rows' own columns, one for each of `found`. */
  readonly steps: readonly PlacedStep[];
  /** Nodes that now unite sets. */
  readonly replaced: ReadonlyMap<NodeId, Pick<PlanNode, 'operator' | 'types'>>;
}

interface Rows {
  readonly nodes: readonly PlanNode[];
  readonly readers: readonly number[];
  /** Of the filter's input. */
  readonly types: readonly DataType[];
  isId(one: BoundExpression): boolean;
}

/** Undefined where the condition asks for no members of sets. */
export function membersFilter({ condition }: Filter, rows: Rows): MembersFilter | undefined {
  const { types } = rows;
  const found: InNode[] = [];
  const replaced = new Map<NodeId, Pick<PlanNode, 'operator' | 'types'>>();
  contains(condition, (one) => {
    if (one.kind !== 'in-node' || one.value.length !== 1) return false;
    const united = rows.isId(one.value[0]!) ? unitedSets(one.node, rows) : undefined;
    if (united === undefined) return false;
    found.push(one);
    for (const [id, node] of united) replaced.set(id, node);
    return false;
  });
  if (found.length === 0) return undefined;
  const asks = found.map((one) => ownMembership(one, replaced.get(one.node)!.types[0]!));
  const asked = [...types, ...asks.map(({ type }) => type)];
  const answered = rewrite(condition, (one) => {
    const at = one.kind === 'in-node' ? found.findIndex(({ node }) => node === one.node) : -1;
    return at < 0 ? one : { kind: 'column', type: uint8, index: types.length + at };
  });
  const columns = types.map((type, index): BoundExpression => ({ kind: 'column', type, index }));
  const steps: readonly PlacedStep[] = [
    { operator: { op: 'ask', input: 0, asks }, types: asked },
    { operator: { op: 'filter', input: 0, condition: answered }, types: asked },
    { operator: { op: 'project', input: 0, columns }, types },
  ];
  return { steps, replaced };
}

function ownMembership({ value, node }: InNode, type: DataType): AskExpression {
  const set: BoundExpression = { kind: 'scalar', type, node, column: 0 };
  const single: BoundExpression = { kind: 'set', type, op: 'single', arguments: [value[0]!] };
  const both: BoundExpression = { kind: 'set', type, op: 'and', arguments: [set, single] };
  return { kind: 'ask', type: uint8, ask: 'any', arguments: [both] };
}

/** Of a node that gives the members of sets, and is read once: the nodes that give their union. */
function unitedSets(
  node: NodeId,
  { nodes, readers }: Rows,
): ReadonlyMap<NodeId, Pick<PlanNode, 'operator' | 'types'>> | undefined {
  const { operator: project } = nodes[node]!;
  if (project.op !== 'project' || project.columns.length !== 1) return undefined;
  const { operator: join } = nodes[project.input]!;
  if (join.op !== 'array-join' || join.left || join.arrays.length !== 1) return undefined;
  const { operator: ask } = nodes[join.input]!;
  if (ask.op !== 'ask' || [node, project.input, join.input].some((id) => readers[id] !== 1)) {
    return undefined;
  }
  const items = nodes[join.input]!.types.length;
  const [array] = join.arrays;
  const position = array?.kind === 'column' ? array.index - (items - ask.asks.length) : -1;
  const asked = ask.asks[position];
  const [item] = project.columns;
  if (item?.kind !== 'column' || item.index !== items) return undefined;
  if (asked?.ask !== 'ids' || !isSet(asked.arguments[0]!)) return undefined;
  const [set] = asked.arguments;
  const types = [set!.type];
  const column = { kind: 'column', type: set!.type, index: 0 } as const;
  const call = { what: 'fold', how: 'or', arguments: [column] } as const;
  const union = { kind: 'aggregate', type: set!.type, call } as const;
  return new Map<NodeId, Pick<PlanNode, 'operator' | 'types'>>([
    [join.input, { operator: { op: 'project', input: ask.input, columns: [set!] }, types }],
    [
      project.input,
      { operator: { op: 'aggregate', input: join.input, keys: [], aggregates: [union] }, types },
    ],
    [node, { operator: { op: 'project', input: project.input, columns: [column] }, types }],
  ]);
}
