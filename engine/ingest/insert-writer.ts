// The writing half of an INSERT: stages rows, encodes their ids, writes stripes, commits once.
//
// Small (all rows fit one flush): codes and rows go in one head; a lost race that moved the
// dictionary numbers what is still new again, under new names. Large, or after one such loss, or
// where it is asked for: codes go first, flush by flush, then all stripes in one head. Codes without rows
// are harmless.

import { MusterError } from '../../base/errors.ts';
import type { Change, Proposal } from '../../catalog/commit.ts';
import type { NewStripe } from '../../catalog/entry.ts';
import type { NamespaceId, TableSchema } from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { QueryContext } from '../query-context.ts';
import type { InsertBlock } from './insert-block.ts';
import { InsertUpload } from './insert-upload.ts';
import { inGroupOrder } from './grouped-keys.ts';
import { encodePlacedRows, type EncodedRows } from './new-codes.ts';
import { placeRows } from './place-rows.ts';
import { RowStage, type StagedRows } from './row-stage.ts';
import { checkPartitionCount, type PendingStripe, writeStripes } from './write-stripes.ts';

interface InsertWriterOptions {
  readonly context: QueryContext;
  readonly database: string;
  /** Of the table: a database that is dropped and made again gives its numbers again. */
  readonly namespace: NamespaceId;
  readonly table: TableSchema;
  /**
   * Codes in a commit of their own, always: for large inserts among many writers. A race that is lost
   * then costs a look-up of what the winner made known, and no stripe is written again.
   */
  readonly codesFirst?: boolean;
}

/** Staged bytes at which a flush is due; a fraction of the memory budget, at most this. */
const flushBytesMax = 128 * 1024 * 1024;
const budgetShare = 4;
/** Proposals that number codes and rows together, before codes go first. */
const togetherAttempts = 2;

/** Thrown out of a commit to begin again with codes first; never seen by callers. */
class CodesMovedTwice extends Error {}

export class InsertWriter {
  readonly #options: InsertWriterOptions;
  readonly #stage: RowStage;
  readonly #flushBytes: number;
  readonly #written: NewStripe[] = [];
  #uploadedAfter = Number.POSITIVE_INFINITY;
  #hasNewSegments = false;
  #partitions: ReadonlySet<string> = new Set();
  /** With the rows. */
  #committed: Snapshot | undefined;

  constructor(options: InsertWriterOptions) {
    this.#options = options;
    this.#stage = new RowStage(options.table.columns);
    const budget = options.context.settings.maxMemoryUsage;
    const share = budget > 0 ? Math.floor(budget / budgetShare) : flushBytesMax;
    this.#flushBytes = Math.min(flushBytesMax, share);
  }

  /** Columns as the table's. May write a stripe that nothing refers to yet. */
  async add(block: InsertBlock): Promise<void> {
    this.#stage.add(block);
    this.#options.context.progress.writtenRows += block.rows;
    if (this.#stage.bytes >= this.#flushBytes) await this.#flush();
  }

  /** Makes all rows visible at once. */
  async commit(): Promise<void> {
    await this.#commitAll();
    const { context, database, table } = this.#options;
    if (this.#hasNewSegments) context.merges.schedule(database);
    // A function is frozen when it has answered.
    const isOff = !context.settings.backgroundCompaction || context.functionSize !== undefined;
    if (isOff || this.#committed === undefined) return;
    const [snapshot, partitions] = [this.#committed, this.#partitions];
    context.compactions.schedule({ database, table, partitions, snapshot });
  }

  async #commitAll(): Promise<void> {
    if (this.#written.length === 0 && this.#options.codesFirst !== true) {
      if (this.#stage.rows > 0) await this.#commitTogether(this.#stage.take());
      return;
    }
    if (this.#stage.rows > 0) await this.#flush();
    if (this.#written.length > 0) await this.#commitStripes();
  }

  async #commitTogether(staged: StagedRows): Promise<void> {
    const { context, database } = this.#options;
    try {
      const { snapshot: committed } = await context.catalog.commit(database, {
        ...this.#commitLimits(),
        propose: async (snapshot, attempt) => {
          if (attempt >= togetherAttempts) throw new CodesMovedTwice();
          return this.#proposeTogether(staged, snapshot);
        },
      });
      this.#committed = committed;
    } catch (error) {
      if (!(error instanceof CodesMovedTwice)) throw error;
      await this.#flush(staged);
      await this.#commitStripes();
    }
  }

  async #proposeTogether(staged: StagedRows, snapshot: Snapshot): Promise<Proposal> {
    this.#checkTable(snapshot);
    const { context } = this.#options;
    const placed = placeRows(staged, this.#options.table, snapshot);
    const upload = this.#newUpload(snapshot);
    const { all, segments } = await encodePlacedRows(placed, { snapshot, context, upload });
    this.#hasNewSegments ||= segments.length > 0;
    const stripes = await this.#writeStripes(all, upload);
    await upload.finish();
    context.progress.writtenBytes += upload.bytesWritten;
    const changes: Change[] = [
      ...segments.map((finish): Change => ({ kind: 'add-segment', segment: finish() })),
      ...this.#addStripes(stripes.map((finish) => finish())),
    ];
    return withDate(changes, upload.uploadedAfter);
  }

  /** Gives the new ids codes in a commit of their own, then writes stripes with them. */
  async #flush(given?: StagedRows): Promise<void> {
    const { context, database } = this.#options;
    // Taken here, so that nobody holds what is put in another order.
    let staged = given ?? this.#stage.take();
    let encoded: readonly EncodedRows[] = [];
    const { snapshot } = await context.catalog.commit(database, {
      ...this.#commitLimits(),
      propose: async (current) => {
        this.#checkTable(current);
        staged = inGroupOrder(staged, current);
        const placed = placeRows(staged, this.#options.table, current);
        const upload = this.#newUpload(current);
        const encoding = await encodePlacedRows(placed, { snapshot: current, context, upload });
        encoded = encoding.all;
        const { segments } = encoding;
        if (segments.length === 0) return undefined;
        this.#hasNewSegments = true;
        await upload.finish();
        context.progress.writtenBytes += upload.bytesWritten;
        const changes = segments.map(
          (finish): Change => ({ kind: 'add-segment', segment: finish() }),
        );
        return withDate(changes, upload.uploadedAfter);
      },
    });
    const upload = this.#newUpload(snapshot);
    const stripes = await this.#writeStripes(encoded, upload);
    await upload.finish();
    context.progress.writtenBytes += upload.bytesWritten;
    this.#written.push(...stripes.map((finish) => finish()));
    this.#checkPartitions(this.#written);
    this.#uploadedAfter = Math.min(
      this.#uploadedAfter,
      upload.uploadedAfter ?? Number.POSITIVE_INFINITY,
    );
  }

  async #commitStripes(): Promise<void> {
    const { context, database } = this.#options;
    const { snapshot: committed } = await context.catalog.commit(database, {
      ...this.#commitLimits(),
      propose: async (snapshot) => {
        this.#checkTable(snapshot);
        return withDate(this.#addStripes(this.#written), this.#uploadedAfter);
      },
    });
    this.#committed = committed;
  }

  async #writeStripes(
    all: readonly EncodedRows[],
    upload: InsertUpload,
  ): Promise<readonly PendingStripe[]> {
    const { table, context } = this.#options;
    const stripes: PendingStripe[] = [];
    for (const { rows, encoded } of all) {
      stripes.push(...(await writeStripes(rows, { table, encoded, upload, context })));
    }
    return stripes;
  }

  #addStripes(stripes: readonly NewStripe[]): Change[] {
    this.#checkPartitions(stripes);
    const { context, table } = this.#options;
    const { insertDeduplicationToken, insertDeduplicate } = context.settings;
    const token = insertDeduplicate ? insertDeduplicationToken : '';
    const partitions = new Set(stripes.map((stripe) => stripe.partition));
    this.#partitions = partitions;
    const tokens = [...partitions].map(
      (partition): Change => ({
        kind: 'token',
        token: { table: table.id, partition, viewPath: '', token },
      }),
    );
    return [
      ...(token === '' ? [] : tokens),
      ...stripes.map((stripe): Change => ({ kind: 'add-stripe', stripe })),
    ];
  }

  #checkPartitions(stripes: readonly NewStripe[]): void {
    const count = new Set(stripes.map((stripe) => stripe.partition)).size;
    checkPartitionCount(count, this.#options.context);
  }

  #checkTable(snapshot: Snapshot): void {
    const { table, namespace } = this.#options;
    const current = snapshot.namespace === namespace ? snapshot.tables.get(table.name) : undefined;
    if (current?.id === table.id && current.schemaVersion === table.schemaVersion) return;
    throw new MusterError(
      'UNKNOWN_TABLE',
      `Table ${snapshot.database}.${table.name} was dropped or changed while rows were inserted; nothing was inserted`,
    );
  }

  #commitLimits(): { readonly deadline: number; readonly signal: AbortSignal } {
    const { deadline, signal } = this.#options.context;
    return { deadline, signal };
  }

  #newUpload(snapshot: Snapshot): InsertUpload {
    const { store, clock, signal } = this.#options.context;
    return new InsertUpload({ store, clock, signal, namespace: snapshot.namespace });
  }
}

function withDate(changes: readonly Change[], uploadedAfter: number | undefined): Proposal {
  return uploadedAfter !== undefined && Number.isFinite(uploadedAfter)
    ? { changes, uploadedAfter }
    : { changes };
}
