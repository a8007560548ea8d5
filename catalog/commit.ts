// What a commit asks for: changes, and what they were made for. The check at every rebase compares
// the latter with the head that is being replaced (see SPEC.md, "Commit").

import type { NewStripe, SegmentEntry, StripeEntry } from './entry.ts';
import type { FinishedFileRow } from './row.ts';
import type { CatalogVersion, DictionarySchema, TableId, TableSchema } from './schema.ts';
import type { Snapshot } from './snapshot.ts';

export type Change =
  | { readonly kind: 'create-table'; readonly table: TableSchema }
  | { readonly kind: 'drop-table'; readonly table: TableId }
  /** All rows below the version that this commit replaces: a predicate, evaluated at each rebase. */
  | { readonly kind: 'truncate-table'; readonly table: TableId; readonly partition?: string }
  | { readonly kind: 'create-dictionary'; readonly dictionary: DictionarySchema }
  | { readonly kind: 'add-stripe'; readonly stripe: NewStripe }
  /** `base` must be the group's next code in the replaced head. */
  | { readonly kind: 'add-segment'; readonly segment: Omit<SegmentEntry, 'first'> }
  /**
   * Takes the place of contiguous segments that were live at version `readAt`, with all their codes and
   * no other. Where one of them was merged since, the commit is proposed again.
   */
  | {
      readonly kind: 'merge-segments';
      readonly segment: Omit<SegmentEntry, 'first'>;
      readonly readAt: CatalogVersion;
    }
  /**
   * Takes the place of stripes that were live at version `readAt`, of one partition (and one group, where
   * rows are placed) and contiguous in sequence; inherits their range of it. Where one of them was taken
   * since, the commit is proposed again.
   */
  | {
      readonly kind: 'merge-stripes';
      readonly stripe: NewStripe;
      /** In order of sequence. */
      readonly inputs: readonly StripeEntry[];
      readonly readAt: CatalogVersion;
    }
  /** Insert deduplication: the commit succeeds without its stripes when the token is known. */
  | { readonly kind: 'token'; readonly token: InsertToken }
  /** Of a backfill: where the replaced head knows the file, the commit is proposed again. */
  | { readonly kind: 'finish-file'; readonly file: FinishedFile }
  /** Forgets which files a backfill has finished; their rows stay. */
  | { readonly kind: 'remove-job'; readonly table: TableId; readonly job: string };

export interface InsertToken {
  readonly table: TableId;
  readonly partition: string;
  readonly viewPath: string;
  readonly token: string;
}

/** A record that is made with the rows of the file (row.ts). */
export type FinishedFile = Omit<FinishedFileRow, 'version' | 'date'>;

/**
 * One attempt's proposal. `uploadedAfter`: the store's Date before the first upload of its objects.
 * Checked at each rebase: tables written to exist with the same schemaVersion and dictionaries;
 * segments' bases are the next codes. Where a check fails the commit asks `propose` again.
 */
export interface Proposal {
  readonly changes: readonly Change[];
  readonly uploadedAfter?: number;
}

export interface CommitRequest {
  /**
   * Called with the head to build on, and again after a lost race that the last proposal does not
   * survive; attempt counts from 0, and each one uploads under new names. Throwing gives the commit
   * up. An undefined proposal ends the commit as done without a new head (somebody else did it).
   */
  propose(snapshot: Snapshot, attempt: number): Promise<Proposal | undefined>;
  /** Absolute, by base clock; past it nothing more is sent. */
  readonly deadline?: number;
  readonly signal?: AbortSignal;
}

export interface CommitResult {
  /** The head that holds the changes. */
  readonly snapshot: Snapshot;
  /** Heads that were lost to others before. */
  readonly lostRaces: number;
}
