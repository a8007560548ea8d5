// The check at every rebase, and the record that passes it (SPEC.md, "Check"). A batch is what one
// head will say: the proposals of one or more commits of this process, each checked against the head
// to be replaced and against those before it. Pure but for the look-up of tokens in pages.

import { assert } from '../base/assert.ts';
import { addChange, type AnyChange, type CommitBatch } from './batch-change.ts';
import type { CatalogState } from './catalog-state.ts';
import type { Proposal } from './commit.ts';
import { emptyRecord, recordIsEmpty } from './commit-record.ts';
import type { Head } from './head.ts';
import { sweepMarginMs } from './limits.ts';
import type { PageStore } from './page-store.ts';
import {
  fileIsFinished,
  finishedFileRow,
  sameFile,
  sameToken,
  tokenIsKnown,
  tokenRow,
} from './token-lookup.ts';

export interface AnyProposal extends Omit<Proposal, 'changes'> {
  readonly changes: readonly AnyChange[];
}

/**
 * `stale`: the proposal was made for another head; `known`: nothing is left to commit; `wait`: that
 * depends on whether this batch, which has the same token, is committed.
 */
export type BatchOutcome =
  | { readonly outcome: 'added'; readonly batch: CommitBatch }
  | { readonly outcome: 'known' | 'wait' }
  /** `misfit`: a proposal made for this very state should have known. */
  | { readonly outcome: 'stale'; readonly reason: string; readonly misfit: boolean };

/** Of the head after `state`: nothing changed yet. */
export function emptyBatch(
  state: CatalogState,
  attempt: { readonly commitId: string; readonly date: number },
): CommitBatch {
  const { head } = state;
  const version = (head.version + 1) as typeof head.version;
  const { nextTableId, nextDictionaryId, nextColumnId, nextNamespaceId } = head;
  return {
    state,
    record: emptyRecord({ ...attempt, version }),
    tombstone: false,
    nextTableId,
    nextDictionaryId,
    nextColumnId,
    nextNamespaceId,
    nextCodes: new Map(),
    nextOrdinal: 0,
  };
}

/**
 * The batch with all of the proposal's changes, or with none of them and why. Requests: none, unless it
 * has tokens or finishes files that the tail doesn't know; then one page of the log for each level.
 */
export async function addProposal(
  batch: CommitBatch,
  proposal: AnyProposal,
  pages: PageStore,
): Promise<BatchOutcome> {
  const sweep = sweepReason(batch.state, proposal);
  if (sweep !== undefined) return { outcome: 'stale', reason: sweep, misfit: false };
  if (tokenIsPending(batch, proposal)) return { outcome: 'wait' };
  const finished = await finishedReason(batch, proposal, pages);
  if (finished !== undefined) return { outcome: 'stale', reason: finished, misfit: false };
  const changes = await withoutKnownTokens(batch, proposal.changes, pages);
  if (changes === undefined) return { outcome: 'known' };
  let next = batch;
  for (const change of changes) {
    const added = addChange(next, change);
    if (typeof added === 'string') return { outcome: 'stale', reason: added, misfit: true };
    next = added;
  }
  const added = !recordIsEmpty(next.record) || next.tombstone;
  return added ? { outcome: 'added', batch: next } : { outcome: 'known' };
}

/**
 * Invariant C6: every object that a head refers to was in the replaced head, or was uploaded more
 * than an hour after `sweptBefore`.
 */
export function uploadedInTime(
  { sweptBefore }: Pick<Head, 'sweptBefore'>,
  uploadedAfter: number,
): boolean {
  return sweptBefore === 0 || uploadedAfter > sweptBefore + sweepMarginMs;
}

function sweepReason(state: CatalogState, proposal: AnyProposal): string | undefined {
  const uploads = proposal.changes.some(
    ({ kind }) =>
      kind === 'add-stripe' ||
      kind === 'add-segment' ||
      kind === 'merge-segments' ||
      kind === 'merge-stripes',
  );
  if (!uploads || state.head.sweptBefore === 0) return undefined;
  assert(proposal.uploadedAfter !== undefined, 'a proposal with objects tells their upload date');
  if (uploadedInTime(state.head, proposal.uploadedAfter)) return undefined;
  return `objects of ${proposal.uploadedAfter} may be swept`;
}

function tokenIsPending(batch: CommitBatch, { changes }: AnyProposal): boolean {
  return changes.some((change) => {
    if (change.kind !== 'token') return false;
    const row = tokenRow(change.token, batch.record);
    return batch.record.tokens.some((other) => sameToken(other, row));
  });
}

/**
 * Invariant C9: a job's file is finished once, in the commit of its rows: a proposal that finishes
 * one again is proposed anew, on a head that says so.
 */
async function finishedReason(
  batch: CommitBatch,
  { changes }: AnyProposal,
  pages: PageStore,
): Promise<string | undefined> {
  for (const change of changes) {
    if (change.kind !== 'finish-file') continue;
    const row = finishedFileRow(change.file, batch.record);
    const known =
      batch.record.finishedFiles.some((other) => sameFile(other, row)) ||
      (await fileIsFinished(pages, batch.state, row));
    if (known) return 'a file of it is finished';
  }
  return undefined;
}

/** Drops the stripes whose token is known; undefined where no stripe is left of some. */
async function withoutKnownTokens(
  batch: CommitBatch,
  changes: readonly AnyChange[],
  pages: PageStore,
): Promise<readonly AnyChange[] | undefined> {
  const known = new Set<string>();
  for (const change of changes) {
    if (change.kind !== 'token') continue;
    const row = tokenRow(change.token, batch.record);
    if (await tokenIsKnown(pages, batch.state, row)) {
      known.add(`${row.table} ${row.partition}`);
    }
  }
  if (known.size === 0) return changes;
  const left = changes.filter((change) => {
    if (change.kind === 'token') {
      return !known.has(`${change.token.table} ${change.token.partition}`);
    }
    if (change.kind !== 'add-stripe') return true;
    return !known.has(`${change.stripe.table} ${change.stripe.partition}`);
  });
  // Codes without rows are harmless, but nobody needs them.
  return left.every(({ kind }) => kind === 'add-segment') ? undefined : left;
}
