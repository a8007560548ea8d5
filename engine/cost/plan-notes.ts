// What EXPLAIN prints beside a plan: of scans what they read and what pruning left out, of stages what
// goes to workers; and how it really was, where the plan has run.

import type { NodeId, Plan } from '../plan/physical-plan.ts';
import type { PlanNotes } from '../plan/plan-printer.ts';
import type { QueryContext } from '../query-context.ts';
import { type DispatchCost, type DispatchNotes, usagesOf } from './cost-ledger.ts';
import type { PlanTrace } from './plan-trace.ts';
import { bytesText, countText } from './query-cost.ts';
import { estimateScans, type ScanEstimate } from './scan-estimate.ts';
import { estimateStage, type StageEstimate } from './stage-estimate.ts';

/** From the plan and the catalog alone. */
export async function estimatedNotes(plan: Plan, context: QueryContext): Promise<PlanNotes> {
  const scans = await estimateScans(plan.nodes, context);
  const stages: (StageEstimate | undefined)[] = [];
  for (let stage = 0; stage <= plan.stages; stage++) {
    stages.push(await estimateStage(plan, stage, { scans, context }));
  }
  return {
    stage: (stage) => (stage === 0 ? 'at the root' : stageText(stages[stage])),
    below: (id) => scanLines(scans.get(id)),
    beside: () => undefined,
  };
}

/** Of a plan that has run in this context. */
export async function measuredNotes(
  plan: Plan,
  context: QueryContext,
  trace: PlanTrace,
): Promise<PlanNotes> {
  const scans = await estimateScans(plan.nodes, context);
  const dispatchesOf = (stage: number): readonly DispatchCost[] =>
    stage === 0 ? [] : context.cost.dispatches.filter((one) => one.stage === stage);
  return {
    stage: (stage) => `${millis(trace.stageMs(stage))}${dispatchText(dispatchesOf(stage))}`,
    below: (id) => scanLines(scans.get(id)),
    beside: (id) => rowsText(trace, id),
  };
}

export function millis(ms: number): string {
  return `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
}

function rowsText(trace: PlanTrace, id: NodeId): string | undefined {
  const rows = trace.rowsOf(id);
  if (rows === undefined) return undefined;
  // Numbers stand below each other.
  return rows === 1 ? '1 row ' : countText(rows, 'row');
}

function stageText(estimate: StageEstimate | undefined): string {
  if (estimate === undefined) return 'at the root (no worker is needed)';
  const { slices, invocations } = estimate;
  return `dispatch of ${countText(slices, 'slice')} in ${countText(invocations, 'invocation')}`;
}

function dispatchText(dispatches: readonly DispatchCost[]): string {
  if (dispatches.length === 0) return ' at the root';
  const notes = dispatches.flatMap(({ notes: one }) => one ?? []);
  const total = (field: keyof DispatchNotes) => notes.reduce((sum, one) => sum + one[field], 0);
  const usages = usagesOf(dispatches);
  const workers = new Set(usages.map(({ worker }) => worker)).size;
  const extra = [
    total('hedged') > 0 ? `${total('hedged')} hedged` : '',
    total('retried') > 0 ? `${total('retried')} retried` : '',
  ].filter((text) => text !== '');
  const calls = countText(total('invocations'), 'invocation');
  const reads = usages.reduce((sum, one) => sum + one.reads, 0);
  const bytes = usages.reduce((sum, one) => sum + one.bytesRead, 0);
  const slowest = Math.max(0, ...usages.map(({ busyMs }) => busyMs));
  return [
    `, ${dispatches.length === 1 ? 'dispatch' : `${dispatches.length} dispatches`}`,
    `of ${countText(total('slices'), 'slice')} in ${calls}`,
    ...(extra.length === 0 ? [] : [`(${extra.join(', ')})`]),
    `to ${countText(workers, 'worker')}:`,
    `${countText(reads, 'ranged read')}, ${bytesText(bytes)}, slowest ${millis(slowest)}`,
  ].join(' ');
}

function scanLines(scan: ScanEstimate | undefined): readonly string[] {
  if (scan === undefined) return [];
  const { stripes, kept, leftOut, rows, parts, extents, bytes } = scan;
  const out = [
    [leftOut.partition, 'partition key'],
    [leftOut.sortingKey, 'sorting key'],
    [leftOut.zones, 'zones of other columns'],
  ] as const;
  const pruned = out.filter(([count]) => count > 0).map(([count, by]) => `${count} by ${by}`);
  const left = pruned.length === 0 ? '' : `; left out: ${pruned.join(', ')}`;
  const reads = `${countText(parts, 'part')}, ${countText(extents, 'extent')}, ${bytesText(bytes)}`;
  return [
    `stripes: ${kept.length} of ${stripes}${left}`,
    `to read at most: ${countText(rows, 'row')} in ${reads}`,
  ];
}
