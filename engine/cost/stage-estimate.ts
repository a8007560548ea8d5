// What a stage will send to workers, from the plan and the catalog alone: slices and invocations. Also
// which stages send nothing: what is asked about literals alone is answered at the root.

import { type Batch, batchFormat, type SetColumn, type StripeSource } from '../batch/batch.ts';
import { fanOutLimits } from '../batch/dispatch.ts';
import { planFanOut, slicesOfPlan } from '../batch/fan-out/fan-out-plan.ts';
import { estimateWork } from '../batch/fan-out/work-estimate.ts';
import {
  expressionsOf,
  inputsOf,
  isAsking,
  isWorkerScan,
  type NodeId,
  type Plan,
  type PlanNode,
  type ScannedTable,
} from '../plan/physical-plan.ts';
import { readColumns } from '../plan/placed-steps.ts';
import { referredNodes } from '../plan/plan-builder.ts';
import type { QueryContext } from '../query-context.ts';
import type { ScanEstimate } from './scan-estimate.ts';

export interface StageEstimate {
  readonly slices: number;
  readonly invocations: number;
}

/** What a stage asks of one database, as a batch that is like the one it will send. */
interface Asked {
  readonly nextCodes: Map<number, readonly number[]>;
  /** Of columns of sets and of rows. */
  readonly sources: { readonly source: StripeSource; readonly dictionary: number | undefined }[];
}

interface EstimateOptions {
  readonly scans: ReadonlyMap<NodeId, ScanEstimate>;
  readonly context: QueryContext;
}

/** Undefined where no worker is needed. Several databases are asked side by side. */
export async function estimateStage(
  plan: Plan,
  stage: number,
  options: EstimateOptions,
): Promise<StageEstimate | undefined> {
  const { context } = options;
  const asked = await askedOf(plan, stage, options);
  const batches = [...asked].filter(([, { sources }]) => sources.length > 0);
  if (batches.length === 0) return undefined;
  const limits = fanOutLimits(context.invoker, context.layout.rangesPerGroup);
  const plans = batches.map(([namespace, one]) =>
    planFanOut(estimateWork(likelyBatch(namespace, one, context)), limits),
  );
  return {
    slices: plans.reduce((sum, one) => sum + slicesOfPlan(one).length, 0),
    invocations: plans.reduce((sum, one) => sum + one.invocations.length, 0),
  };
}

/** By namespace. */
async function askedOf(
  plan: Plan,
  stage: number,
  { scans, context }: EstimateOptions,
): Promise<ReadonlyMap<number, Asked>> {
  const found = new Map<number, Asked>();
  for (const id of scansAskedAbout(plan, stage)) {
    const { operator, needed } = plan.nodes[id]!;
    if (operator.op !== 'scan') continue;
    const { table, columns } = operator;
    const snapshot = await context.snapshot(table.database);
    const asked: Asked = found.get(snapshot.namespace) ?? { nextCodes: new Map(), sources: [] };
    found.set(snapshot.namespace, asked);
    const source = { groups: 1, stripes: scans.get(id)?.kept ?? [] };
    if (source.stripes.length === 0) continue;
    const own = readColumns(operator, needed);
    const hasSets = columns.some((at, i) => own[i] === true && hasDictionary(table, at));
    if (isWorkerScan(operator) && !hasSets) {
      const { idDictionary } = table;
      if (operator.byGroup === true && idDictionary !== undefined) {
        asked.nextCodes.set(idDictionary, snapshot.nextCodes(idDictionary));
      }
      asked.sources.push({ source, dictionary: undefined });
      continue;
    }
    columns.forEach((at, i) => {
      const dictionary = table.schema.columns[at]?.dictionary;
      if (own[i] !== true || dictionary === undefined) return;
      asked.nextCodes.set(dictionary, snapshot.nextCodes(dictionary));
      asked.sources.push({ source, dictionary });
    });
  }
  return found;
}

function hasDictionary({ schema }: ScannedTable, at: number): boolean {
  return schema.columns[at]?.dictionary !== undefined;
}

/** Reads all sets of each column and folds them: no question reads more. */
function likelyBatch(
  namespace: number,
  { nextCodes, sources }: Asked,
  { request, deadline }: QueryContext,
): Batch {
  const ids = [...nextCodes.keys()];
  const ofSets = sources.filter(({ dictionary }) => dictionary !== undefined);
  const ofRows = sources.filter(({ dictionary }) => dictionary === undefined);
  return {
    format: batchFormat,
    namespace,
    queryId: request.queryId,
    deadline,
    sources: [...ofSets, ...ofRows].map(({ source }) => source),
    dictionaries: ids.map((dictionary) => ({
      dictionary,
      domain: 'integer',
      groups: nextCodes.get(dictionary)?.length ?? 1,
      nextCodes: nextCodes.get(dictionary) ?? [],
      segments: [],
    })),
    sets: ofSets.flatMap(({ source, dictionary }, i): readonly SetColumn[] => {
      const rows = source.stripes.reduce((sum, stripe) => sum + stripe.rows, 0);
      const all = Int32Array.from({ length: rows }, (_, row) => row);
      const stored = { source: i, columnId: 0, dictionary: ids.indexOf(dictionary!), rows: all };
      const offsets = Uint32Array.of(0, rows);
      return [
        { op: 'stored', ...stored },
        { op: 'fold', how: 'or', of: 2 * i, offsets, index: all },
      ];
    }),
    fragments: ofRows.map((_, i) => ({
      source: ofSets.length + i,
      columns: [],
      answered: 0,
      rowsMax: 0,
    })),
    asks: ofSets.map((_, i) => ({ ask: 'card', of: 2 * i + 1 })),
  };
}

/** Scans of rows that begin in the stage, and those whose sets its questions may be about. */
function scansAskedAbout(plan: Plan, stage: number): ReadonlySet<NodeId> {
  const found = new Set<NodeId>();
  plan.nodes.forEach((node, id) => {
    if (!node.used || node.stage !== stage) return;
    if (isWorkerScan(node.operator)) found.add(id);
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
      if (operator.op !== 'scan') return false;
      return !isWorkerScan(operator) || operator.setsStay === true;
    }),
  );
}
