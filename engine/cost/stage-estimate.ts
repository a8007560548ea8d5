// What a stage will send to workers, from the plan and the catalog alone: slices and invocations. Also
// which stages send nothing: what is asked about literals alone is answered at the root.

import { type Batch, batchFormat, type StripeSource } from '../batch/batch.ts';
import { slicesOf } from '../batch/slices.ts';
import {
  expressionsOf,
  inputsOf,
  isAsking,
  isDetailScan,
  type NodeId,
  type Plan,
  type PlanNode,
} from '../plan/physical-plan.ts';
import { referredNodes } from '../plan/plan-builder.ts';
import type { QueryContext } from '../query-context.ts';
import type { ScanEstimate } from './scan-estimate.ts';

export interface StageEstimate {
  readonly slices: number;
  readonly invocations: number;
}

interface Namespace {
  readonly nextCodes: Map<number, readonly number[]>;
  readonly sources: StripeSource[];
}

/** Undefined where no worker is needed. Several namespaces are asked side by side. */
export async function estimateStage(
  plan: Plan,
  stage: number,
  options: {
    readonly scans: ReadonlyMap<NodeId, ScanEstimate>;
    readonly context: QueryContext;
  },
): Promise<StageEstimate | undefined> {
  const { scans, context } = options;
  const namespaces = new Map<number, Namespace>();
  for (const id of scansAskedAbout(plan, stage)) {
    const { operator, needed } = plan.nodes[id]!;
    if (operator.op !== 'scan') continue;
    const { table, columns } = operator;
    const snapshot = await context.snapshot(table.database);
    const found: Namespace = namespaces.get(snapshot.namespace) ?? {
      nextCodes: new Map(),
      sources: [],
    };
    namespaces.set(snapshot.namespace, found);
    const stripes = scans.get(id)?.kept ?? [];
    if (isDetailScan(operator)) {
      if (stripes.length > 0) found.sources.push({ groups: 1, stripes });
      continue;
    }
    columns.forEach((at, i) => {
      const dictionary = table.schema.columns[at]?.dictionary;
      if (needed[i] !== true || dictionary === undefined) return;
      found.nextCodes.set(dictionary, snapshot.nextCodes(dictionary));
    });
  }
  const batches = [...namespaces].filter(([, one]) => one.nextCodes.size + one.sources.length > 0);
  if (batches.length === 0) return undefined;
  const slices = batches.map(([namespace, one]) => sliceCount(namespace, one, context));
  const { parallelism } = context.invoker;
  return {
    slices: slices.reduce((sum, count) => sum + count, 0),
    invocations: slices.reduce((sum, count) => sum + Math.min(count, parallelism), 0),
  };
}

function sliceCount(
  namespace: number,
  { nextCodes, sources }: Namespace,
  { layout, invoker, request, deadline }: QueryContext,
): number {
  const batch: Batch = {
    format: batchFormat,
    namespace,
    queryId: request.queryId,
    deadline,
    sources,
    dictionaries: [...nextCodes].map(([dictionary, codes]) => ({
      dictionary,
      domain: 'integer',
      groups: codes.length,
      nextCodes: codes,
      segments: [],
    })),
    sets: [],
    fragments: sources.map((_, source) => ({ source, columns: [], answered: 0, rowsMax: 0 })),
    asks: [],
  };
  return slicesOf(batch, layout.rangesPerGroup, invoker.parallelism).length;
}

/** Scans of rows that begin in the stage, and those whose sets its questions may be about. */
function scansAskedAbout(plan: Plan, stage: number): ReadonlySet<NodeId> {
  const found = new Set<NodeId>();
  plan.nodes.forEach((node, id) => {
    if (!node.used || node.stage !== stage) return;
    if (isDetailScan(node.operator)) found.add(id);
    else if (isAsking(node)) for (const one of setScansBelow(plan, node)) found.add(one);
  });
  return found;
}

function setScansBelow(plan: Plan, top: PlanNode): ReadonlySet<NodeId> {
  const seen = new Set<NodeId>();
  const visit = ({ operator }: PlanNode): void => {
    const referred = expressionsOf(operator).flatMap((expression) => referredNodes(expression));
    for (const id of [...inputsOf(operator), ...referred]) {
      if (seen.has(id)) continue;
      seen.add(id);
      visit(plan.nodes[id]!);
    }
  };
  visit(top);
  return new Set(
    [...seen].filter((id) => {
      const { operator } = plan.nodes[id]!;
      return operator.op === 'scan' && !isDetailScan(operator);
    }),
  );
}
