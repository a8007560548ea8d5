// Compaction: whole stripes become one, in a commit that checks that they are still what they were. Rows
// keep their place in the order of commits, so no answer depends on when this ran. What was replaced
// stays in the store, for snapshots that pin it. A compaction that dies, or loses a race, has left objects
// that nothing refers to; where the commit's outcome is unknown, nothing is deleted either.

import type { Clock } from '../../base/clock.ts';
import type { Change, CommitRequest } from '../../catalog/commit.ts';
import type { NewStripe, StripeEntry } from '../../catalog/entry.ts';
import { dataName } from '../../catalog/keys.ts';
import type { Catalog } from '../../catalog/port.ts';
import type { CatalogVersion, TableSchema } from '../../catalog/schema.ts';
import type { EntryBounds, Snapshot } from '../../catalog/snapshot.ts';
import type { ObjectStore } from '../../object-store/port.ts';
import { writeStripe } from '../../storage-format/stripe-writer.ts';
import { groupingColumns, idColumn } from '../ddl/grouping.ts';
import { DataObjects } from '../dictionary/data-objects.ts';
import { InsertUpload } from '../ingest/insert-upload.ts';
import { newStripe, stripeSink } from '../ingest/write-stripes.ts';
import {
  bytesOf,
  type LaneOptions,
  type MergeRun,
  planDueMerges,
  planWholeMerges,
} from './merge-policy.ts';
import { mergedBlock } from './merged-block.ts';

export interface CompactionPorts {
  readonly store: ObjectStore;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

export interface CompactionTarget {
  readonly database: string;
  readonly table: Pick<TableSchema, 'id' | 'name'>;
  /** Of these alone. */
  readonly partitions?: ReadonlySet<string>;
  /** Stripes of these versions alone. */
  readonly through?: CatalogVersion;
  /** To plan by, where one is at hand; else the newest is asked for. */
  readonly snapshot?: Snapshot;
}

interface CompactionWork {
  /** `due`: what inserts have left too many of; `whole`: all that fits into one. */
  readonly plan: 'due' | 'whole';
  readonly bytesMax: number;
  /** Of rows, bitmap columns and groups: each is an object in memory while it is merged. */
  readonly slicesMax: number;
}

/** Behind inserts: what a server can do beside its queries. */
export const backgroundWork: CompactionWork = {
  plan: 'due',
  bytesMax: 64 * 1024 * 1024,
  slicesMax: 512 * 1024,
};
/** When it was asked for. */
export const askedWork = {
  bytesMax: 256 * 1024 * 1024,
  slicesMax: 2 * 1024 * 1024,
} as const;

/** Of one round: its merges are one commit. */
const mergesMax = 64;

/**
 * One round of merges in one commit; says whether there was anything to merge. Cost: a read of each
 * part, one object for all that is below 8 MB, and a head; with a snapshot and nothing to merge, nothing.
 */
export async function compactOnce(
  target: CompactionTarget,
  work: CompactionWork,
  ports: CompactionPorts,
): Promise<boolean> {
  const snapshot = target.snapshot ?? (await ports.catalog.snapshot(target.database));
  const table = snapshot.tables.get(target.table.name);
  if (table?.id !== target.table.id) return false;
  const stripes = await stripesOf(snapshot, target);
  const options = laneOptions(table, stripes, work);
  const planned = (work.plan === 'due' ? planDueMerges : planWholeMerges)(stripes, options);
  const runs = firstRuns(planned, work.bytesMax);
  if (runs.length === 0) return false;
  const { store, clock, signal } = ports;
  const stopping = signal === undefined ? {} : { signal };
  const upload = new InsertUpload({ store, clock, namespace: snapshot.namespace, ...stopping });
  const data = new DataObjects(store, snapshot.namespace, signal);
  const pause = pausing(ports);
  const finishes: (() => MergedStripes)[] = [];
  for (const run of runs) {
    const block = await mergedBlock(run, { table, isPlaced: options.isPlaced, data, pause });
    await pause();
    const sink = stripeSink(upload, dataName(clock.randomId()));
    const description = await writeStripe(block, sink);
    finishes.push(() => ({
      inputs: run,
      stripe: {
        ...newStripe(table, run[0]!.partition, { description, upload }),
        erasureEpoch: Math.min(...run.map(({ erasureEpoch }) => erasureEpoch)),
      },
    }));
  }
  await upload.finish();
  const merged = finishes.map((finish) => finish());
  const request = commitOf(merged, { made: snapshot, target, date: upload.uploadedAfter });
  await ports.catalog.commit(target.database, { ...request, ...stopping });
  return true;
}

/** In a lane, all up to some sequence. */
async function stripesOf(
  snapshot: Snapshot,
  { table, partitions, through }: CompactionTarget,
): Promise<readonly StripeEntry[]> {
  const stripes = await snapshot.stripes(table.id, keepOf(partitions));
  if (through === undefined) return stripes;
  return stripes.filter(({ last }) => last.version <= through);
}

function laneOptions(
  table: TableSchema,
  stripes: readonly StripeEntry[],
  { bytesMax, slicesMax }: CompactionWork,
): LaneOptions {
  const isPlaced = groupingColumns(table) !== undefined || idColumn(table) !== undefined;
  const sets = table.columns.filter(({ type }) => type.kind === 'Bitmap').length;
  const groups = isPlaced ? 1 : (stripes[0]?.groupBytes.length ?? 1);
  const rowsMax = Math.floor(slicesMax / Math.max(1, sets * groups));
  const { schemaVersion } = table;
  return { isPlaced, schemaVersion, limits: { bytesMax, rowsMax } };
}

/** What one round does of them. */
function firstRuns(runs: readonly MergeRun[], bytesMax: number): readonly MergeRun[] {
  let bytes = 0;
  const end = runs.findIndex((run, i) => {
    bytes += run.reduce((sum, stripe) => sum + bytesOf(stripe), 0);
    return i >= mergesMax || (i > 0 && bytes > bytesMax);
  });
  return end < 0 ? runs : runs.slice(0, end);
}

/** Lets what else the process does go on, and ends where it is to stop. */
function pausing({ clock, signal }: CompactionPorts): () => Promise<void> {
  return async () => {
    signal?.throwIfAborted();
    await clock.sleep(0);
  };
}

function keepOf(
  partitions: ReadonlySet<string> | undefined,
): ((bounds: EntryBounds) => boolean) | undefined {
  if (partitions === undefined) return undefined;
  const sorted = [...partitions];
  return ({ partitionMin, partitionMax }) =>
    sorted.some((partition) => partitionMin <= partition && partition <= partitionMax);
}

interface MergedStripes {
  readonly inputs: MergeRun;
  readonly stripe: NewStripe;
}

/** Merges whose inputs are gone by then are left out; with none left it commits nothing. */
function commitOf(
  merged: readonly MergedStripes[],
  {
    made,
    target,
    date,
  }: {
    readonly made: Snapshot;
    readonly target: CompactionTarget;
    readonly date: number | undefined;
  },
): CommitRequest {
  const partitions = new Set(merged.map(({ stripe }) => stripe.partition));
  return {
    propose: async (snapshot) => {
      if (snapshot.namespace !== made.namespace) return undefined;
      const { schemaVersion } = merged[0]!.stripe;
      const table = snapshot.tables.get(target.table.name);
      if (table?.id !== target.table.id || table.schemaVersion !== schemaVersion) return undefined;
      const live = new Set((await snapshot.stripes(table.id, keepOf(partitions))).map(nameOf));
      const changes = merged
        .filter(({ inputs }) => inputs.every((stripe) => live.has(nameOf(stripe))))
        .map((one): Change => ({ kind: 'merge-stripes', ...one, readAt: snapshot.version }));
      if (changes.length === 0) return undefined;
      return date === undefined ? { changes } : { changes, uploadedAfter: date };
    },
  };
}

/** No two stripes ever begin at the same place. */
function nameOf({ parts }: StripeEntry): string {
  return `${parts[0]!.object}@${parts[0]!.offset}`;
}
