// From a batch to the head that says it: folds where the tail is long, and keeps heads within their
// bounds (SPEC.md, "Folding").

import { MusterError } from '../base/errors.ts';
import { applyRecord, type CatalogState } from './catalog-state.ts';
import type { CommitBatch } from './batch-change.ts';
import { uploadedInTime } from './commit-batch.ts';
import { encodeRecord } from './commit-record.ts';
import { catalogFormat, newerFormat } from './envelope.ts';
import { applyFold, type Fold, foldFits, foldTail } from './fold.ts';
import { encodeHead, type Head } from './head.ts';
import type { CatalogIo, ChainParts } from './head-chain.ts';
import type { DictionaryId, NamespaceId, TableId } from './schema.ts';

export interface NextHead {
  readonly state: CatalogState;
  readonly body: Uint8Array;
}

/** Builds heads; keeps the last fold until a head with it, or with another, is the newest. */
export class HeadBuilder {
  readonly #parts: ChainParts;
  #fold: Fold | undefined;

  constructor(parts: ChainParts) {
    this.#parts = parts;
  }

  /**
   * The head after the batch's. Without requests where no fold is due. TOO_MANY_PARTS where the head
   * would pass its bound and folding fails for as long as `fullTailMs`.
   */
  async build(batch: CommitBatch, io: CatalogIo = this.#parts): Promise<NextHead> {
    const { clock, limits } = this.#parts;
    const giveUpAt = clock.monotonic() + limits.fullTailMs;
    for (let tries = 0; ; tries++) {
      let failure = await this.#foldIfDue(batch.state, io);
      const next = await this.#extend(batch, io);
      if (next instanceof MusterError) failure = next;
      else if (next.body.length <= limits.headBytesMax) return next;
      if (clock.monotonic() >= giveUpAt) throw fullTail(failure);
      await clock.sleep(clock.random() * Math.min(2_000, 50 * 2 ** Math.min(tries, 10)));
    }
  }

  /** A failed fold is no failure of the commit while the tail has room; the error is returned. */
  async #foldIfDue(state: CatalogState, io: CatalogIo): Promise<MusterError | undefined> {
    const { limits } = this.#parts;
    if (this.#fold !== undefined && usable(this.#fold, state.head)) return undefined;
    this.#fold = undefined;
    if (tailBytes(state.head) <= limits.tailFoldBytes) return undefined;
    const fold = await this.#tryFold(state, io);
    if (fold instanceof MusterError) return fold;
    this.#fold = fold;
    return undefined;
  }

  async #extend(batch: CommitBatch, io: CatalogIo): Promise<NextHead | MusterError> {
    const folded =
      this.#fold === undefined ? batch.state.head : applyFold(this.#fold, batch.state.head);
    const bytes = encodeRecord(batch.record);
    const head = headAfter(folded, batch, bytes);
    const state = { head, contents: applyRecord(batch.state.contents, batch.record) };
    if (bytes.length <= this.#parts.limits.recordBytesMax) return { state, body: encodeHead(head) };
    // Too large to rest in tails: its own head folds it, and after a lost race it is folded again.
    const fold = await this.#tryFold(state, io);
    if (fold instanceof MusterError) return fold;
    const whole = { head: applyFold(fold, head), contents: state.contents };
    return { state: whole, body: encodeHead(whole.head) };
  }

  async #tryFold(state: CatalogState, { pages }: CatalogIo): Promise<Fold | MusterError> {
    const { limits } = this.#parts;
    try {
      return await foldTail(pages, state, limits);
    } catch (error) {
      if (error instanceof MusterError && error.action === 'retry') return error;
      throw error;
    }
  }
}

function usable(fold: Fold, head: Head): boolean {
  if (!foldFits(fold, head)) return false;
  return fold.uploadedAfter === undefined || uploadedInTime(head, fold.uploadedAfter);
}

function fullTail(cause: MusterError | undefined): MusterError {
  return new MusterError(
    'TOO_MANY_PARTS',
    "the catalog's tail is full and could not be folded into pages; nothing was written",
    { cause },
  );
}

function tailBytes(head: Head): number {
  return head.tail.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

function headAfter(head: Head, batch: CommitBatch, bytes: Uint8Array): Head {
  const { record } = batch;
  if (head.numbers.minWriter > catalogFormat) {
    throw newerFormat(`namespace ${head.namespace}`, 'write', head.numbers.minWriter);
  }
  return {
    ...head,
    version: record.version,
    commitId: record.commitId,
    date: record.date,
    tombstone: batch.tombstone,
    nextTableId: batch.nextTableId as TableId,
    nextDictionaryId: batch.nextDictionaryId as DictionaryId,
    nextColumnId: batch.nextColumnId,
    nextNamespaceId: batch.nextNamespaceId as NamespaceId,
    tail: [...head.tail, { record, bytes }],
  };
}
