// Reading a stored table at the root: live stripes of the statement's snapshot, scalars of one
// group's part of each, sets as one symbolic column. Aggregating and Replacing tables are always read
// merged within a partition; what merging decided is kept per list of stripes, which never changes.

import type { StripeEntry } from '../../catalog/entry.ts';
import type { TableSchema } from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { Column } from '../../storage-format/column.ts';
import { concatColumns } from '../../storage-format/column-rows.ts';
import { type StripeRef, stripeRef } from '../batch/batch.ts';
import { DataObjects } from '../dictionary/data-objects.ts';
import { take } from '../library/columns/take.ts';
import type { Operator } from '../plan/physical-plan.ts';
import { checkRunning } from '../query-context.ts';
import { columnBytes } from '../rows/column-bytes.ts';
import {
  absent,
  plain,
  type Relation,
  type RelationColumn,
  sliceRelation,
} from '../rows/relation.ts';
import { defaultColumn } from '../values/column-shape.ts';
import { PartObjects } from '../worker/part-objects.ts';
import { dictionaryOf } from './dictionary-refs.ts';
import type { Evaluation, SetEvaluation } from './evaluation.ts';
import { mergeRows } from './merged-rows.ts';
import type { Merging } from './scan-cache.ts';
import { scannedStripes } from './scanned-stripes.ts';
import type { SetNodeId } from './set-graph.ts';

type ScanOperator = Extract<Operator, { op: 'scan' }>;

export const blockRows = 65_536;

interface ScanOptions {
  readonly operator: ScanOperator;
  readonly needed: readonly boolean[];
  readonly evaluation: Evaluation;
}

/** Blocks of at most 65,536 rows where no sets are read; one relation where they are. */
export async function* scanTable(options: ScanOptions): AsyncGenerator<Relation> {
  const scan = await TableScan.open(options);
  if (scan.streams) {
    for (let i = 0; i < scan.stripes.length; i++) {
      checkRunning(options.evaluation.context);
      yield* inBlocks(await scan.stripeRows(i), options.evaluation);
    }
    return;
  }
  yield* inBlocks(await scan.allRows(), options.evaluation);
}

export async function readTable(options: ScanOptions): Promise<Relation> {
  const scan = await TableScan.open(options);
  return await scan.allRows();
}

export function* inBlocks(relation: Relation, { graph }: SetEvaluation): Generator<Relation> {
  for (let start = 0; start < relation.rows; start += blockRows) {
    yield sliceRelation(relation, { start, end: start + blockRows }, graph);
  }
}

class TableScan {
  readonly stripes: readonly StripeEntry[];
  readonly #options: ScanOptions;
  readonly #snapshot: Snapshot;
  readonly #refs: readonly StripeRef[];
  readonly #parts: PartObjects;
  readonly #key: string;

  private constructor(options: ScanOptions, snapshot: Snapshot, stripes: readonly StripeEntry[]) {
    const { context } = options.evaluation;
    this.#options = options;
    this.#snapshot = snapshot;
    this.stripes = stripes;
    this.#refs = stripes.map(stripeRef);
    const data = new DataObjects(context.store, snapshot.namespace, context.signal);
    this.#parts = new PartObjects(data, context.rootCaches, { opened: context.opened });
    this.#key = `${context.store.id}|${snapshot.namespace}|${this.#schema.id}|${stripesKey(stripes)}`;
  }

  static async open(options: ScanOptions): Promise<TableScan> {
    const { context } = options.evaluation;
    const { snapshot, stripes } = await scannedStripes(options.operator, context);
    return new TableScan(options, snapshot, stripes);
  }

  /** Whether rows can come stripe by stripe: nothing to merge and no sets. */
  get streams(): boolean {
    return !this.#merges && !this.#schemaColumns.some((column) => column.type.kind === 'Bitmap');
  }

  /** Scalars of one stripe. */
  async stripeRows(stripe: number): Promise<Relation> {
    const columns = await Promise.all(
      this.#options.operator.columns.map(async (at, i): Promise<RelationColumn> => {
        if (this.#options.needed[i] !== true) return absent;
        return plain(await this.#stripeColumn(stripe, at));
      }),
    );
    return { rows: this.stripes[stripe]!.rows, columns };
  }

  async allRows(): Promise<Relation> {
    const merging = this.#merges ? await this.#merging() : undefined;
    const rows =
      merging === undefined
        ? this.stripes.reduce((sum, stripe) => sum + stripe.rows, 0)
        : merging.chosen.length;
    const columns: RelationColumn[] = [];
    const source = this.#hasSets ? this.#addSource() : -1;
    for (const [i, at] of this.#options.operator.columns.entries()) {
      if (this.#options.needed[i] !== true) columns.push(absent);
      else if (this.#schema.columns[at]!.type.kind === 'Bitmap') {
        columns.push(await this.#setColumn(at, source, merging));
      } else columns.push(plain(await this.#scalarColumn(at, merging)));
    }
    return { rows, columns };
  }

  get #schema(): TableSchema {
    return this.#options.operator.table.schema;
  }

  /** Columns that are read. */
  get #schemaColumns() {
    const { operator, needed } = this.#options;
    return operator.columns.filter((_, i) => needed[i]).map((at) => this.#schema.columns[at]!);
  }

  get #hasSets(): boolean {
    return this.#schemaColumns.some((column) => column.type.kind === 'Bitmap');
  }

  /** A partition of one stripe is merged already: its insert did that. */
  get #merges(): boolean {
    if (this.#schema.engine === 'MergeTree') return false;
    return this.stripes.some(
      (stripe, i) => i > 0 && stripe.partition === this.stripes[i - 1]!.partition,
    );
  }

  async #setColumn(
    at: number,
    source: number,
    merging: Merging | undefined,
  ): Promise<RelationColumn> {
    const { graph } = this.#options.evaluation;
    const column = this.#schema.columns[at]!;
    const dictionary = await dictionaryOf(column, this.#snapshot, graph);
    const length = this.stripes.reduce((sum, stripe) => sum + stripe.rows, 0);
    const stored = graph.stored({ source, columnId: column.id, dictionary, length });
    let node: SetNodeId = stored;
    if (merging?.lists !== undefined) node = graph.fold('or', stored, merging.lists);
    else if (merging !== undefined) node = graph.take(stored, merging.chosen);
    return { kind: 'set', node, constant: false };
  }

  #addSource(): number {
    const groups = this.#schemaColumns.map((column) =>
      column.dictionary === undefined
        ? 1
        : (this.#snapshot.dictionaries.get(column.dictionary)?.groups ?? 1),
    );
    const { graph } = this.#options.evaluation;
    return graph.addSource({ groups: Math.max(...groups), stripes: this.#refs });
  }

  async #scalarColumn(at: number, merging: Merging | undefined): Promise<Column> {
    const cache = this.#options.evaluation.context.scanCache;
    const key = `${this.#key}|${at}`;
    const known = cache.column(key);
    if (known !== undefined) return known;
    const whole = await this.#wholeColumn(at);
    const column = merging === undefined ? whole : take(whole, merging.chosen);
    cache.keepColumn(key, column);
    return column;
  }

  async #wholeColumn(at: number): Promise<Column> {
    if (this.stripes.length === 0) return defaultColumn(this.#schema.columns[at]!.type, 0);
    const parts = await Promise.all(this.stripes.map((_, i) => this.#stripeColumn(i, at)));
    return concatColumns(parts);
  }

  async #stripeColumn(stripe: number, at: number): Promise<Column> {
    const { context } = this.#options.evaluation;
    const place = this.stripes[stripe]!.parts[0]!;
    const column = this.#schema.columns[at]!;
    const key = `${context.store.id}|${this.#snapshot.namespace}|${place.object}|${place.offset}|${column.id}`;
    const known = context.scanCache.column(key);
    if (known !== undefined) return known;
    const [read] = await this.#parts.scalars(this.#refs[stripe]!, [column.id]);
    context.progress.readBytes += columnBytes(read!);
    context.scanCache.keepColumn(key, read!);
    return read!;
  }

  async #merging(): Promise<Merging> {
    const cache = this.#options.evaluation.context.scanCache;
    const known = cache.merging(this.#key);
    if (known !== undefined) return known;
    const merging = await this.#merge();
    cache.keepMerging(this.#key, merging);
    return merging;
  }

  async #merge(): Promise<Merging> {
    const { context } = this.#options.evaluation;
    return await mergeRows({
      schema: this.#schema,
      stripes: this.stripes,
      functions: context.functions,
      column: (at) => this.#wholeColumn(at),
    });
  }
}

const keysOfLists = new WeakMap<readonly StripeEntry[], string>();

function stripesKey(stripes: readonly StripeEntry[]): string {
  const known = keysOfLists.get(stripes);
  if (known !== undefined) return known;
  // Not by sequence, which a merged stripe has from another.
  const key = stripes.map(({ parts }) => `${parts[0]!.object}@${parts[0]!.offset}`).join(',');
  keysOfLists.set(stripes, key);
  return key;
}
