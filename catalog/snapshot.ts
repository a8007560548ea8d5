// The catalog as its users see it: databases, immutable snapshots and commits. Implemented by
// catalog.ts over an object store; nothing here does I/O by itself.

import type { CommitRequest, CommitResult } from './commit.ts';
import type { SegmentEntry, StripeEntry } from './entry.ts';
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
  /** In order of (group, base). */
  segments(dictionary: DictionaryId): Promise<readonly SegmentEntry[]>;
}

export interface Catalog {
  /** Names in byte order. */
  databases(): Promise<readonly string[]>;
  /** False when it existed. */
  createDatabase(name: string): Promise<boolean>;
  /** False when it did not exist. */
  dropDatabase(name: string): Promise<boolean>;
  /** The newest version at some moment after this call began. UNKNOWN_DATABASE (81) if absent. */
  snapshot(database: string): Promise<Snapshot>;
  /** See commit.ts. Errors: UNKNOWN_STATUS_OF_INSERT when the outcome is unknown, ABORTED if late. */
  commit(database: string, request: CommitRequest): Promise<CommitResult>;
}
