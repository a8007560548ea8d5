// The catalog as its users see it: databases, snapshots and commits. Implemented by catalog.ts over
// an object store.

import type { StoreUsage } from '../object-store/metered-store.ts';
import type { CommitRequest, CommitResult } from './commit.ts';
import type { Snapshot } from './snapshot.ts';

export interface Catalog {
  /** Names in byte order. */
  databases(): Promise<readonly string[]>;
  /** False when it existed. */
  createDatabase(name: string): Promise<boolean>;
  /** False when it did not exist. */
  dropDatabase(name: string): Promise<boolean>;
  /** The newest version at some moment after this call began. UNKNOWN_DATABASE (81) if absent. */
  snapshot(database: string): Promise<Snapshot>;
  /**
   * An older version of the database, as long as its head is kept. BAD_ARGUMENTS for a version that
   * is not, or that was of another database of the name. Requests: the newest head and that one.
   */
  snapshotAt(database: string, version: number): Promise<Snapshot>;
  /** See commit.ts. Errors: UNKNOWN_STATUS_OF_INSERT when the outcome is unknown, ABORTED if late. */
  commit(database: string, request: CommitRequest): Promise<CommitResult>;
  /**
   * The same catalog; what its calls send is counted into `usage`. A request that several calls wait
   * for (a probe, a page, a head with several commits) counts for the one that caused it.
   */
  metered(usage: StoreUsage): Catalog;
}
