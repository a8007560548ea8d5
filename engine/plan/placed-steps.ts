// What of a finished plan moves into its scans of tables that are grouped by columns, whose rows lie
// whole in one group, sets and all: whatever works row by row, and GROUP BY whose keys contain the
// grouping columns, for then no group is in two places. Other aggregates are made in each place and
// merged at the root, where there is a way to merge them; else the rows come to the root, with their
// sets as ids. Detail rows have no place of their own: only aggregates that can be merged are made of
// them in the workers.

import {
  type AggregateExpression,
  type AskExpression,
  type BoundExpression,
  contains,
  rewrite,
} from './bound-expression.ts';
import type { TableSchema } from '../../catalog/schema.ts';
import { groupingColumns, idColumn } from '../ddl/grouping.ts';
import { asksOwnId, idTest, type IdTest, type Origins, originsAfter } from './coded-scan.ts';
import { codedTables } from './coded-tables.ts';
import { readersOf } from './fragments.ts';
import { isVolatile } from './function-calls.ts';
import { membersFilter } from './members-of-sets.ts';
import { markNeeded } from './needed-columns.ts';
import { countAtRoot, leaveSets, readersUpTo } from './own-id-sets.ts';
import { splitAggregate } from './partial-aggregates.ts';
import { referredNodes } from './plan-builder.ts';
import {
  expressionsOf,
  inputsOf,
  isDetailScan,
  isPlacedScan,
  type NodeId,
  type Operator,
  type PlacedStep,
  type Plan,
  type PlanNode,
  type ScannedTable,
  withStep,
} from './physical-plan.ts';

type Scan = Extract<Operator, { op: 'scan' }>;
type Aggregate = Extract<Operator, { op: 'aggregate' }>;

/** `setsStay`: sets of rows' ids may be left in the workers, to be asked about. */
export function intoPlacedScans(plan: Plan, setsStay = true): Plan {
  const nodes = [...markNeeded(plan).nodes];
  const readers = readersOf(plan);
  const coded = codedTables(plan);
  const origins = new Map<NodeId, Origins>();
  const moving: Moving = { nodes, readers, origins, coded };
  const asksOwn = (operator: Operator, from: Origins, scan: Scan) =>
    coded.has(scan.table) && asksOwnIds(operator, idTest(scan, from));
  const merging = { coded, setsStay, readersOf: (id: NodeId) => readersUpTo(id, plan, readers) };
  for (let id = 0; id < nodes.length; id++) {
    const { operator } = nodes[id]!;
    if (readers[id] === 0) continue;
    if (isPlacedScan(operator)) {
      origins.set(id, operator.columns);
      continue;
    }
    const [input] = inputsOf(operator);
    if (input === undefined || readers[input] !== 1) continue;
    if (operator.op === 'aggregate' || operator.op === 'ask') {
      const detail = detailBelow(input, nodes, readers);
      const from = detail === undefined ? [] : stepOrigins(detail);
      const moves =
        detail !== undefined &&
        ((operator.op === 'aggregate' && isLocal(operator)) || asksOwn(operator, from, detail));
      if (detail !== undefined && moves) {
        if (operator.op === 'ask' || hasGrouping(operator, from, detail)) {
          const scan: Scan = { ...detail, byGroup: true };
          nodes[id] = { ...nodes[id]!, operator: withStep(scan, nodes[id]!) };
          origins.set(id, originsAfter(operator, from));
        } else {
          mergeAtRoot(nodes, { ...merging, id, input, scan: detail, aggregate: operator, from });
        }
        continue;
      }
    }
    if (operator.op === 'filter' && filterByMembers(id, operator, moving)) continue;
    const from = origins.get(input);
    const below = nodes[input]!;
    if (from === undefined || !isTogether(below.operator)) continue;
    if (!isLocal(operator) && !asksOwn(operator, from, below.operator)) continue;
    if (operator.op === 'aggregate' && !hasGrouping(operator, from, below.operator)) {
      const scan = below.operator;
      mergeAtRoot(nodes, { ...merging, id, input, scan, aggregate: operator, from });
      continue;
    }
    nodes[id] = { ...nodes[id]!, operator: withStep(below.operator, nodes[id]!) };
    origins.set(id, originsAfter(operator, from));
  }
  return { ...plan, nodes };
}

interface Moving {
  readonly nodes: PlanNode[];
  readonly readers: readonly number[];
  readonly origins: Map<NodeId, Origins>;
  readonly coded: ReadonlySet<ScannedTable>;
}

/** Ids of rows among members of sets: asked where the rows lie. */
function filterByMembers(
  id: NodeId,
  filter: Extract<Operator, { op: 'filter' }>,
  { nodes, readers, origins, coded }: Moving,
): boolean {
  const { operator: below, types } = nodes[filter.input]!;
  const bare = detailBelow(filter.input, nodes, readers);
  const scan = bare ?? (isTogether(below) ? below : undefined);
  if (scan === undefined || !coded.has(scan.table)) return false;
  const isId = idTest(scan, stepOrigins(scan));
  const found = membersFilter(filter, { nodes, readers, types, isId });
  const isPlaceable = ({ operator }: PlacedStep) =>
    operator.op === 'ask' ? asksOwnIds(operator, isId) : isLocal(operator);
  if (found === undefined || !found.steps.every(isPlaceable)) return false;
  for (const [at, node] of found.replaced) nodes[at] = { ...nodes[at]!, ...node };
  const operator = found.steps.reduce<Scan>(withStep, { ...scan, byGroup: true });
  nodes[id] = { ...nodes[id]!, operator };
  origins.set(id, stepOrigins(operator));
  return true;
}

/** Questions whether rows' own ids are in sets that are the same for all rows, and what is local. */
function asksOwnIds(operator: Operator, isId: IdTest): boolean {
  if (operator.op !== 'ask') return false;
  const own = operator.asks.filter((ask) => asksOwnId(ask, isId));
  const rest = operator.asks.filter((ask) => !own.includes(ask));
  return own.length > 0 && rest.every(isLocalExpression);
}

/** A scan of detail rows that this node alone reads, maybe through what works row by row. */
function detailBelow(
  input: NodeId,
  nodes: readonly PlanNode[],
  readers: readonly number[],
): Scan | undefined {
  const steps: PlacedStep[] = [];
  for (let id = input; ; ) {
    const { operator, types } = nodes[id]!;
    if (readers[id] !== 1) return undefined;
    if (isDetailScan(operator)) {
      const isBare = operator.limit === undefined && operator.steps === undefined;
      return isBare ? { ...operator, steps } : undefined;
    }
    const isRowWise = ['filter', 'project', 'array-join'].includes(operator.op);
    if (!isRowWise || !isLocal(operator)) return undefined;
    steps.unshift({ operator, types });
    [id] = inputsOf(operator) as [NodeId];
  }
}

/** Which of the scan's own columns are read, where `needed` is of the last step's. */
export function readColumns(scan: Scan, needed: readonly boolean[]): readonly boolean[] {
  return scan.steps === undefined ? needed : placedNodes(scan, needed)[0]!.needed;
}

/** The scan and its steps as nodes of a chain, each reading the one before; `needed` of the last. */
export function placedNodes(scan: Scan, needed: readonly boolean[]): readonly PlanNode[] {
  const { steps = [], filter, ...source } = scan;
  const types = source.columns.map((at) => source.table.schema.columns[at]!.type);
  const condition: readonly PlacedStep[] =
    filter === undefined
      ? []
      : [{ operator: { op: 'filter', input: 0, condition: filter }, types }];
  const chain = [{ operator: source as Operator, types }, ...condition, ...steps];
  const nodes = chain.map(({ operator, types: own }, id): PlanNode => {
    const moved = id === 0 ? operator : ({ ...operator, input: id - 1 } as Operator);
    const wanted = id === chain.length - 1 ? needed : own.map(() => true);
    return { operator: moved, types: own, stage: 0, needed: wanted, used: true };
  });
  // What the last gives is read as its columns by a projection that is then left out.
  const output = nodes.length;
  const columns = nodes[output - 1]!.types.map((type, index): BoundExpression => {
    return needed[index] === true
      ? { kind: 'column', type, index }
      : { kind: 'constant', type: { kind: 'UInt8' }, value: unread };
  });
  const reader: PlanNode = {
    operator: { op: 'project', input: output - 1, columns },
    types: columns.map((column) => column.type),
    stage: 0,
    needed: columns.map(() => true),
    used: true,
  };
  // Nodes of the statement's plan that expressions look up are none of the chain's.
  const alone = nodes.map((node) => ({
    ...node,
    operator: mapExpressions(node.operator, withoutLookUps),
  }));
  const marked = markNeeded({ nodes: [...alone, reader], output, columns: [], stages: 0 });
  return nodes.map((node, id) => ({ ...node, needed: marked.nodes[id]!.needed }));
}

/** Whether ids are encoded or decoded on the way, or sets are read at its end: else codes are enough. */
export function mentionsIds(nodes: readonly PlanNode[]): boolean {
  const last = nodes[nodes.length - 1];
  if (last?.types.some((type, i) => type.kind === 'Bitmap' && last.needed[i] === true)) return true;
  return nodes.some(({ operator }) =>
    expressionsOf(operator).some((expression) => contains(expression, isOfIds)),
  );
}

function isOfIds(node: BoundExpression): boolean {
  if (node.kind === 'set') return ['literal', 'single', 'state', 'range'].includes(node.op);
  if (node.kind === 'ask') return node.ask !== 'card' && node.ask !== 'any';
  return node.kind === 'aggregate' && node.call.what === 'intern';
}

function withoutLookUps(expression: BoundExpression): BoundExpression {
  return rewrite(expression, (node) =>
    node.kind === 'scalar' ? { kind: 'constant', type: node.type, value: unread } : node,
  );
}

/** The same operator over changed expressions, of those that are done where rows lie. */
export function mapExpressions(
  operator: Operator,
  change: (expression: BoundExpression) => BoundExpression,
): Operator {
  switch (operator.op) {
    case 'filter':
      return { ...operator, condition: change(operator.condition) };
    case 'project':
      return { ...operator, columns: operator.columns.map(change) };
    case 'ask':
      return { ...operator, asks: operator.asks.map(change) as AskExpression[] };
    case 'array-join':
      return { ...operator, arrays: operator.arrays.map(change) };
    case 'aggregate': {
      const aggregates = operator.aggregates.map(change) as AggregateExpression[];
      return { ...operator, keys: operator.keys.map(change), aggregates };
    }
    default:
      return operator;
  }
}

const unread = { kind: 'number', values: Uint8Array.of(0) } as const;

/** What can be done with a row, or with rows that are together, where they lie. */
function isLocal(operator: Operator): boolean {
  switch (operator.op) {
    case 'filter':
    case 'project':
    case 'ask':
    case 'array-join':
    case 'aggregate':
      return expressionsOf(operator).every(isLocalExpression);
    default:
      return false;
  }
}

function isLocalExpression(expression: BoundExpression): boolean {
  return !contains(expression, (node) => {
    if (node.kind === 'call') return isVolatile(node.name);
    if (node.kind === 'scalar') return node.type.kind === 'Bitmap';
    return node.kind === 'in-node';
  });
}

/** Whether rows of one group of the result are all in one place: the keys have what places them. */
function hasGrouping({ keys }: Aggregate, from: Origins, { table }: Scan): boolean {
  const kept = new Set(keys.map((key) => (key.kind === 'column' ? from[key.index] : undefined)));
  const placing = placingColumns(table.schema);
  return placing.length > 0 && placing.every((at) => kept.has(at));
}

/** Rows that agree in these columns are in one group. Empty: rows lie anywhere. */
function placingColumns(schema: TableSchema): readonly number[] {
  const id = idColumn(schema);
  return id === undefined ? (groupingColumns(schema) ?? []) : [id];
}

/** Whether all rows of a group are worked off together. */
function isTogether(operator: Operator): operator is Scan {
  return operator.op === 'scan' && (operator.byGroup === true || isPlacedScan(operator));
}

function stepOrigins({ columns, steps = [] }: Scan): Origins {
  return steps.reduce((from: Origins, { operator }) => originsAfter(operator, from), columns);
}

/** The aggregate becomes one of what its twin in the places has made. */
function mergeAtRoot(
  nodes: PlanNode[],
  moving: {
    readonly id: NodeId;
    readonly input: NodeId;
    /** Who reads this node, up to a node of questions. */
    readersOf(id: NodeId): readonly NodeId[];
    readonly scan: Scan;
    readonly aggregate: Aggregate;
    readonly from: Origins;
    readonly coded: ReadonlySet<ScannedTable>;
    readonly setsStay: boolean;
  },
): void {
  const { id, input, aggregate, from } = moving;
  const placing = placingColumns(moving.scan.table.schema);
  let counts = false;
  const gathers = aggregate.aggregates.some(({ call }) => call.what === 'intern');
  if (gathers && isDetailScan(moving.scan)) {
    // Sets of ids would travel as those ids, which are hardly less than the rows: codes stay.
    if (!moving.coded.has(moving.scan.table)) return;
    const readers = moving.readersOf(id);
    const isCounted = readers.length > 0 && countAtRoot(nodes, { ...moving, readers });
    if (!isCounted && moving.setsStay) leaveSets(nodes, moving);
    return;
  }
  const split = splitAggregate(aggregate, (argument) => {
    const isId =
      placing.length === 1 && argument.kind === 'column' && from[argument.index] === placing[0];
    counts ||= isId;
    return isId;
  });
  const scan: Scan =
    counts && isDetailScan(moving.scan) ? { ...moving.scan, byGroup: true } : moving.scan;
  if (split === undefined) return;
  // What is looked up must have run before the scan, whose place in the plan is that of the input.
  const isEarly = (expression: BoundExpression) =>
    referredNodes(expression).every((node) => node < input);
  if (!expressionsOf(aggregate).every(isEarly)) return;
  const types = [...split.partial.keys, ...split.partial.aggregates].map(({ type }) => type);
  const partial = { ...nodes[input]!, operator: split.partial as Operator, types };
  nodes[input] = { ...partial, operator: withStep(scan, partial), needed: types.map(() => true) };
  nodes[id] = { ...nodes[id]!, operator: split.final };
}
