// An immutable view of one namespace at one version, as the catalog's users see it. Made by
// snapshot-view.ts; nothing here does I/O by itself.

import type { SegmentEntry, StripeEntry } from './entry.ts';
import type { FinishedFileRow } from './row.ts';
import type {
  CatalogVersion,
  DictionaryId,
  DictionarySchema,
  NamespaceId,
  TableId,
  TableSchema,
} from './schema.ts';

/** Bounds of a run of entries, as pruning sees them; at every level of the tree. */
export interface EntryBounds {
  readonly partitionMin: string;
  readonly partitionMax: string;
  readonly keyMin: string;
  readonly keyMax: string;
}

/**
 * One version of one namespace: never changes, pins every object it reaches. Names are looked up
 * in memory; entries may read pages.
 */
export interface Snapshot {
  readonly database: string;
  /** The same object for all snapshots of a catalog that are of one version: for caches. */
  readonly identity: object;
  readonly namespace: NamespaceId;
  readonly version: CatalogVersion;
  /** By name, in byte order of names. */
  readonly tables: ReadonlyMap<string, TableSchema>;
  readonly dictionaries: ReadonlyMap<DictionaryId, DictionarySchema>;
  /** Next code of each group: every code below is given out, for ever. */
  nextCodes(dictionary: DictionaryId): readonly number[];
  /** Grows with each erasure of ids; 0: none ever. */
  erasureEpoch(dictionary: DictionaryId): number;
  /** Ids for new objects of this namespace; a create must use the next ones. */
  readonly nextTableId: TableId;
  readonly nextDictionaryId: DictionaryId;
  readonly nextColumnId: number;
  /** Live stripes in order of (partition, first sequence); `keep` prunes pages and entries. */
  stripes(table: TableId, keep?: (bounds: EntryBounds) => boolean): Promise<readonly StripeEntry[]>;
  /** Files that a backfill has finished, by the digests of their names. */
  finishedFiles(table: TableId, job: string): Promise<ReadonlyMap<string, FinishedFileRow>>;
  /** In order of (group, base). */
  segments(dictionary: DictionaryId): Promise<readonly SegmentEntry[]>;
}
