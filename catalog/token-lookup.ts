// Insert tokens, finished files and the commit log: what earlier commits left for later ones to ask.

import { createHash } from 'node:crypto';
import type { CatalogState } from './catalog-state.ts';
import type { FinishedFile, InsertToken } from './commit.ts';
import { rangesTaken } from './commit-record.ts';
import { tokenKeepMs } from './limits.ts';
import type { PageStore } from './page-store.ts';
import {
  type CommitRow,
  type FinishedFileRow,
  rangeHolds,
  sortKeyOf,
  type TokenRow,
} from './row.ts';
import { digestBytes } from './row-codec.ts';
import type { CatalogVersion } from './schema.ts';
import { findRow } from './tree-scan.ts';

/** As the commit that says it keeps it. */
export function tokenRow(token: InsertToken, { version, date }: CommitRow): TokenRow {
  const { table, partition } = token;
  return { table, partition, digest: tokenDigest(token), version, date };
}

export function finishedFileRow(file: FinishedFile, { version, date }: CommitRow): FinishedFileRow {
  return { ...file, version, date };
}

/** 16 bytes over the view path and the token, as a byte string. */
function tokenDigest({ viewPath, token }: InsertToken): string {
  const text = JSON.stringify([viewPath, token]);
  return createHash('sha256').update(text).digest().toString('latin1', 0, digestBytes);
}

/**
 * Whether a commit up to `state` had the token of `row`, less than seven days before `row.date`,
 * and no drop or truncation forgot it since. Reads pages of the log where the tail does not know.
 */
export async function tokenIsKnown(
  pages: PageStore,
  state: CatalogState,
  row: TokenRow,
): Promise<boolean> {
  const key = sortKeyOf({ space: 'token', value: row });
  const { tail, roots } = state.head;
  for (const { record } of tail.toReversed()) {
    const found = record.tokens.find((token) => sameToken(token, row));
    if (found !== undefined) return isRecent(found, row);
    if (rangesTaken(record).some((range) => rangeHolds(range, key))) return false;
  }
  const folded = await findRow(pages, roots.log, key);
  return folded?.space === 'token' && isRecent(folded.value, row);
}

/** Whether a commit up to `state` finished the file of `row`, and its job was not removed since. */
export async function fileIsFinished(
  pages: PageStore,
  state: CatalogState,
  row: FinishedFileRow,
): Promise<boolean> {
  const key = sortKeyOf({ space: 'finished-file', value: row });
  const { tail, roots } = state.head;
  for (const { record } of tail.toReversed()) {
    if (record.finishedFiles.some((other) => sameFile(other, row))) return true;
    if (rangesTaken(record).some((range) => rangeHolds(range, key))) return false;
  }
  return (await findRow(pages, roots.log, key)) !== undefined;
}

/** Whatever commits they are of. */
export function sameToken(a: TokenRow, b: TokenRow): boolean {
  return a.table === b.table && a.partition === b.partition && a.digest === b.digest;
}

/** Whatever commits they are of. */
export function sameFile(a: FinishedFileRow, b: FinishedFileRow): boolean {
  return a.table === b.table && a.job === b.job && a.digest === b.digest;
}

/** The digest of a file's name within its job: 16 bytes, a byte string. */
export function fileDigest(name: string): string {
  return createHash('sha256').update(name).digest().toString('latin1', 0, digestBytes);
}

/** The id of the commit that made `version`; undefined where the log does not reach it. */
export async function findCommitId(
  pages: PageStore,
  state: CatalogState,
  version: CatalogVersion,
): Promise<string | undefined> {
  const { head } = state;
  const inTail = head.tail[version - head.foldedThrough - 1];
  if (inTail !== undefined) return inTail.record.commitId;
  const value = { version, commitId: head.commitId, date: 0 };
  const row = await findRow(pages, head.roots.log, sortKeyOf({ space: 'commit', value }));
  return row?.space === 'commit' ? row.value.commitId : undefined;
}

function isRecent(found: TokenRow, asked: TokenRow): boolean {
  return asked.date - found.date <= tokenKeepMs;
}
