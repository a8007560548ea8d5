// What a scan will read, from the catalog and the plan alone: stripes kept and left out, and by which
// key each was, parts, column extents, bytes. No object is opened; what a condition can only
// leave out once a subquery has run is still in it, so that all of it is `at most`.

import type { StripeEntry } from '../../catalog/entry.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { type BoundExpression, contains } from '../plan/bound-expression.ts';
import { isDetailScan, type Operator, type PlanNode } from '../plan/physical-plan.ts';
import { readColumns } from '../plan/placed-steps.ts';
import type { QueryContext } from '../query-context.ts';
import { type StripeFilter, stripeFilter } from '../root/stripe-pruning.ts';

type ScanOperator = Extract<Operator, { readonly op: 'scan' }>;

export interface ScanEstimate {
  readonly stripes: number;
  /** Each stripe counts once: for the first of these that leaves it out. */
  readonly leftOut: {
    readonly partition: number;
    readonly sortingKey: number;
    readonly zones: number;
  };
  readonly kept: readonly StripeEntry[];
  readonly rows: number;
  readonly parts: number;
  /** One needed column of one part, in one group. */
  readonly extents: number;
  /** Of the parts, all of them. */
  readonly bytes: number;
}

/** Of all scans of a plan that its output needs, by node. */
export async function estimateScans(
  nodes: readonly PlanNode[],
  context: QueryContext,
): Promise<ReadonlyMap<number, ScanEstimate>> {
  const found = await Promise.all(
    nodes.map(async ({ operator, needed, used }, id) =>
      operator.op === 'scan' && used
        ? ([[id, await estimateScan(operator, needed, context)]] as const)
        : [],
    ),
  );
  return new Map(found.flat());
}

/** Reads the table's pages of the catalog, as a scan without a condition does. */
async function estimateScan(
  operator: ScanOperator,
  needed: readonly boolean[],
  context: QueryContext,
): Promise<ScanEstimate> {
  const { database, schema } = operator.table;
  const snapshot = await context.snapshot(database);
  const all = await snapshot.stripes(schema.id);
  const own = readColumns(operator, needed);
  const filter = stripeFilter(operator, context.functions);
  const leftOut = { partition: 0, sortingKey: 0, zones: 0 };
  const kept = all.filter((stripe) => {
    const by = filter === undefined ? undefined : leftOutBy(filter, stripe);
    if (by !== undefined) leftOut[by]++;
    return by === undefined;
  });
  const parts = kept.flatMap((stripe) => partsRead(stripe, operator, own));
  return {
    stripes: all.length,
    leftOut,
    kept,
    rows: kept.reduce((sum, { rows }) => sum + rows, 0),
    parts: parts.length,
    extents: parts.length === 0 ? 0 : extentsOf(kept, { operator, needed: own, snapshot }),
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** The first key that alone, with those before it, leaves the stripe out. */
function leftOutBy(
  filter: StripeFilter,
  { partition, keyMin, keyMax, zones }: StripeEntry,
): keyof ScanEstimate['leftOut'] | undefined {
  const byPartition = { partitionMin: partition, partitionMax: partition, keyMin: '', keyMax: '' };
  if (!filter.keeps(byPartition)) return 'partition';
  const byKey = { ...byPartition, keyMin, keyMax };
  if (!filter.keeps(byKey)) return 'sortingKey';
  return filter.keeps({ ...byKey, zones }) ? undefined : 'zones';
}

/** Scalars are in the first part of a stripe, and in every part alike; sets are in all of them. */
function partsRead(stripe: StripeEntry, operator: ScanOperator, needed: readonly boolean[]) {
  const { scalars, sets } = columnsRead(operator, needed);
  if (sets > 0) return stripe.parts;
  return scalars > 0 ? stripe.parts.slice(0, 1) : [];
}

function extentsOf(
  kept: readonly StripeEntry[],
  scan: {
    readonly operator: ScanOperator;
    readonly needed: readonly boolean[];
    readonly snapshot: Snapshot;
  },
): number {
  const { scalars, sets } = columnsRead(scan.operator, scan.needed);
  return kept.reduce((sum, { groupBytes }) => sum + scalars + sets * groupBytes.length, 0);
}

/** Columns that are answered or that a condition in the workers reads. */
function columnsRead(operator: ScanOperator, needed: readonly boolean[]) {
  const filter = isDetailScan(operator) ? operator.filter : undefined;
  const read = operator.columns.filter(
    (_, i) => needed[i] === true || (filter !== undefined && readsColumn(filter, i)),
  );
  const types = read.map((at) => operator.table.schema.columns[at]?.type.kind);
  const sets = types.filter((kind) => kind === 'Bitmap').length;
  return { scalars: types.length - sets, sets };
}

function readsColumn(expression: BoundExpression, index: number): boolean {
  return contains(expression, (node) => node.kind === 'column' && node.index === index);
}
