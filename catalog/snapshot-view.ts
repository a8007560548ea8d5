// A snapshot over one state: pages and tail read as one. Immutable, so the answers of a table
// without pruning are kept.

import type { CatalogState } from './catalog-state.ts';
import { rangesTaken, tableRangesTaken } from './commit-record.ts';
import type { SegmentEntry, Sequence, StripeEntry } from './entry.ts';
import type { PageRef } from './page.ts';
import type { PageStore } from './page-store.ts';
import { compareByteStrings, type FinishedFileRow, rangeHolds, type RowRange } from './row.ts';
import type {
  CatalogVersion,
  DictionaryId,
  DictionarySchema,
  NamespaceId,
  TableId,
  TableSchema,
} from './schema.ts';
import type { EntryBounds, Snapshot } from './snapshot.ts';
import { leavesOf } from './tree-scan.ts';

type Keep = (bounds: EntryBounds) => boolean;

export class SnapshotView implements Snapshot {
  readonly database: string;
  readonly #state: CatalogState;
  readonly #pages: PageStore;
  readonly #whole: Map<string, Promise<readonly unknown[]>>;

  constructor(database: string, state: CatalogState, pages: PageStore, whole = new Map()) {
    this.database = database;
    this.#state = state;
    this.#pages = pages;
    this.#whole = whole;
  }

  /** The same view, whose own requests go through `pages`. */
  through(pages: PageStore): SnapshotView {
    return new SnapshotView(this.database, this.#state, pages, this.#whole);
  }

  get identity(): object {
    return this.#state;
  }

  get namespace(): NamespaceId {
    return this.#state.head.namespace;
  }

  get version(): CatalogVersion {
    return this.#state.head.version;
  }

  get tables(): ReadonlyMap<string, TableSchema> {
    return this.#state.contents.tables;
  }

  get dictionaries(): ReadonlyMap<DictionaryId, DictionarySchema> {
    return this.#state.contents.dictionaries;
  }

  get nextTableId(): TableId {
    return this.#state.head.nextTableId;
  }

  get nextDictionaryId(): DictionaryId {
    return this.#state.head.nextDictionaryId;
  }

  get nextColumnId(): number {
    return this.#state.head.nextColumnId;
  }

  nextCodes(dictionary: DictionaryId): readonly number[] {
    return this.#state.contents.nextCodes.get(dictionary) ?? [];
  }

  erasureEpoch(dictionary: DictionaryId): number {
    return erasureEpoch(this.#state, dictionary);
  }

  async stripes(table: TableId, keep?: Keep): Promise<readonly StripeEntry[]> {
    if (!this.#state.contents.tablesById.has(table)) return [];
    if (keep !== undefined) return this.#readStripes(table, keep);
    return this.#once(`stripes ${table}`, () => this.#readStripes(table, () => true));
  }

  async segments(dictionary: DictionaryId): Promise<readonly SegmentEntry[]> {
    return this.#once(`segments ${dictionary}`, () => this.#readSegments(dictionary));
  }

  async finishedFiles(table: TableId, job: string): Promise<ReadonlyMap<string, FinishedFileRow>> {
    const range = { space: 'finished-file', id: table, partition: job } as const;
    const { head } = this.#state;
    const leaves = await leavesOf(this.#pages, head.roots.log, { range, keep: () => true });
    const files = new Map<string, FinishedFileRow>();
    const add = (file: FinishedFileRow): void => {
      if (file.table === table && file.job === job) files.set(file.digest, file);
    };
    for (const { rows } of leaves) {
      for (const row of rows) if (row.space === 'finished-file') add(row.value);
    }
    for (const { record } of head.tail) {
      const key = { ...range, key: '', version: 0, ordinal: 0 };
      if (rangesTaken(record).some((taken) => rangeHolds(taken, key))) files.clear();
      record.finishedFiles.forEach(add);
    }
    return files;
  }

  #once<T>(key: string, read: () => Promise<readonly T[]>): Promise<readonly T[]> {
    const known = this.#whole.get(key);
    if (known !== undefined) return known as Promise<readonly T[]>;
    const reading = read();
    this.#whole.set(key, reading);
    reading.catch(() => this.#whole.delete(key));
    return reading;
  }

  async #readStripes(table: TableId, keep: Keep): Promise<readonly StripeEntry[]> {
    const { head } = this.#state;
    const range: RowRange = { space: 'stripe', id: table };
    const leaves = await leavesOf(this.#pages, head.roots.entries, {
      range,
      keep: (ref) => keepsRef(ref, table, keep),
    });
    const isTaken = this.#taken(table);
    const own = (stripe: StripeEntry, since: number): boolean =>
      stripe.table === table && !isTaken(stripe, since) && keep(boundsOf(stripe));
    const folded = leaves.flatMap(({ rows }) =>
      rows.flatMap((row) =>
        row.space === 'stripe' && own(row.value, head.foldedThrough) ? [row.value] : [],
      ),
    );
    const tail = head.tail.flatMap(({ record }) =>
      [...record.stripes, ...record.mergedStripes.map(({ stripe }) => stripe)].filter((stripe) =>
        own(stripe, record.version),
      ),
    );
    return [...folded, ...tail].sort(compareStripes);
  }

  /** Whether the tail takes a stripe of a record of version `since`, or of an earlier one. */
  #taken(table: TableId): (stripe: StripeEntry, since: number) => boolean {
    let wholeBelow = 0;
    const partitionBelow = new Map<string, number>();
    const mergedAt = new Map<string, number>();
    for (const { record } of this.#state.head.tail) {
      for (const { space, id, partition } of tableRangesTaken(record)) {
        if (space !== 'stripe' || id !== table) continue;
        if (partition === undefined) wholeBelow = record.version;
        else partitionBelow.set(partition, record.version);
      }
      for (const { stripe, taken } of record.mergedStripes) {
        if (stripe.table !== table) continue;
        for (const { first } of taken)
          mergedAt.set(nameOf(stripe.partition, first), record.version);
      }
    }
    return ({ first, partition }, since) =>
      first.version < wholeBelow ||
      first.version < (partitionBelow.get(partition) ?? 0) ||
      (mergedAt.size > 0 && (mergedAt.get(nameOf(partition, first)) ?? 0) > since);
  }

  async #readSegments(dictionary: DictionaryId): Promise<readonly SegmentEntry[]> {
    const { head } = this.#state;
    const leaves = await leavesOf(this.#pages, head.roots.entries, {
      range: { space: 'segment', id: dictionary },
      keep: () => true,
    });
    // A leaf may hold what lies beside the range too.
    let live = leaves
      .flatMap(({ rows }) => rows.flatMap((row) => (row.space === 'segment' ? [row.value] : [])))
      .filter((segment) => segment.dictionary === dictionary);
    for (const { record } of head.tail) {
      const merged = record.mergedSegments.filter((segment) => segment.dictionary === dictionary);
      const added = record.segments.filter((segment) => segment.dictionary === dictionary);
      if (merged.length > 0) live = live.filter((segment) => !merged.some(covers(segment)));
      live = [...live, ...merged, ...added];
    }
    return live.sort((a, b) => a.group - b.group || a.base - b.base);
  }
}

/** Whether a merged segment has the codes of this one. */
function covers(segment: SegmentEntry): (merged: SegmentEntry) => boolean {
  return ({ group, base, count }) =>
    segment.group === group && segment.base >= base && segment.base < base + count;
}

export function erasureEpoch({ head }: CatalogState, dictionary: DictionaryId): number {
  return head.erasures.find((erasure) => erasure.dictionary === dictionary)?.epoch ?? 0;
}

/** Of a stripe in its table. */
function nameOf(partition: string, { version, ordinal }: Sequence): string {
  return `${version}.${ordinal} ${partition}`;
}

function compareSequences(a: Sequence, b: Sequence): number {
  return a.version - b.version || a.ordinal - b.ordinal;
}

function compareStripes(a: StripeEntry, b: StripeEntry): number {
  return compareByteStrings(a.partition, b.partition) || compareSequences(a.first, b.first);
}

function boundsOf({ partition, keyMin, keyMax }: StripeEntry): EntryBounds {
  return { partitionMin: partition, partitionMax: partition, keyMin, keyMax };
}

// Where the partitions below are told, each is judged alone; else their range, if it is one table's.
function keepsRef(ref: PageRef, table: TableId, keep: Keep): boolean {
  const { keyMin, keyMax, partitions, first, last } = ref;
  if (partitions !== undefined) {
    return partitions.some(
      (value) =>
        value.table === table &&
        keep({ partitionMin: value.partition, partitionMax: value.partition, keyMin, keyMax }),
    );
  }
  const oneTable = last.space === 'stripe' && first.id === table && last.id === table;
  if (!oneTable) return true;
  return keep({ partitionMin: first.partition, partitionMax: last.partition, keyMin, keyMax });
}
