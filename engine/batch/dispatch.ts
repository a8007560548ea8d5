// Sends one batch to all its slices and gives back whole answers: slices are shared out over as many
// invocations as the invoker runs side by side, all at once; the first failure cancels the rest.

import { assert } from '../../base/assert.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { ObjectStore } from '../../object-store/port.ts';
import type { Answer, Batch, InvocationReply, Slice } from './batch.ts';
import { decodeReply, encodeBatch, encodeInvocation, type SpillRef } from './batch-codec.ts';
import type { Invoker } from './invoker.ts';
import { mergeReplies } from './merge.ts';
import { removeSpilled, spill, wholeReply } from './spill.ts';
import type { WorkerUsage } from './usage.ts';

interface DispatchOptions {
  readonly signal?: AbortSignal | undefined;
  /** Takes what is too big for the invoker; needed where the invoker has limits. */
  readonly store?: ObjectStore;
  readonly clock?: Clock;
}

export interface Dispatched {
  /** In the order of batch.asks. */
  readonly answers: readonly Answer[];
  readonly usages: readonly WorkerUsage[];
  readonly invocations: number;
  readonly hedged: number;
  readonly retried: number;
}

/** Throws what the first failing worker raised. */
export async function dispatch(
  batch: Batch,
  slices: readonly Slice[],
  invoker: Invoker,
  options: DispatchOptions = {},
): Promise<Dispatched> {
  const shares = shareOut(slices, invoker.parallelism);
  const placed = batch.fragments.length === 0 ? batch : { ...batch, slices };
  const sent = speaksOfIds(batch) ? placed : withoutSegments(placed);
  const cancel = new AbortController();
  const { signal, store, clock = systemClock } = options;
  const both = signal === undefined ? cancel.signal : AbortSignal.any([signal, cancel.signal]);
  const way = { invoker, store, clock, signal: both };
  const encoded = await encodedBatch(sent, way);
  const invoke = async (share: readonly Slice[]): Promise<InvocationReply> => {
    try {
      return await invokeOnce({ batch, encoded, share }, way);
    } catch (error) {
      cancel.abort(error);
      throw error;
    }
  };
  const settled = await Promise.allSettled(shares.map(invoke));
  if (store !== undefined && !(encoded instanceof Uint8Array)) await removeSpilled(store, encoded);
  if (cancel.signal.aborted) throw cancel.signal.reason;
  const replies = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  return {
    answers: mergeReplies(
      batch,
      slices,
      replies.flatMap((one) => one.replies),
    ),
    usages: replies.flatMap(({ usages }) => usages),
    invocations: shares.length,
    hedged: 0,
    retried: 0,
  };
}

interface Way {
  readonly invoker: Invoker;
  readonly store: ObjectStore | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What goes around the batch in a request: slices, ids, times. */
const headBytesMax = 256 * 1024;

async function encodedBatch(
  batch: Batch,
  { invoker, store, clock, signal }: Way,
): Promise<Uint8Array | SpillRef> {
  const bytes = encodeBatch(batch);
  const { requestBytesMax = Number.POSITIVE_INFINITY } = invoker;
  if (bytes.length + headBytesMax <= requestBytesMax) return bytes;
  assert(store !== undefined, 'a store takes what is too big for the invoker');
  return await spill(store, bytes, { namespace: batch.namespace, clock, signal });
}

async function invokeOnce(
  asked: {
    readonly batch: Batch;
    readonly encoded: Uint8Array | SpillRef;
    readonly share: readonly Slice[];
  },
  { invoker, store, clock, signal }: Way,
): Promise<InvocationReply> {
  const { queryId, deadline } = asked.batch;
  const id = clock.randomId();
  const { replyBytesMax } = invoker;
  const request = encodeInvocation({
    id,
    queryId,
    sentAt: clock.now(),
    ...(replyBytesMax === undefined ? {} : { replyBytesMax }),
    slices: asked.share,
    batch: asked.encoded,
  });
  const reply = await invoker.invoke(request, { signal, deadline });
  const whole = store === undefined ? reply : await wholeReply(store, reply, signal);
  return decodeReply(whole, { id, queryId });
}

/** Whether a worker must encode or decode ids: otherwise codes are enough. */
function speaksOfIds(batch: Batch): boolean {
  return (
    batch.sets.some((column) => column.op === 'raw' || column.op === 'range') ||
    batch.asks.some(({ ask }) => ask !== 'card' && ask !== 'any' && ask !== 'rows')
  );
}

/** A dictionary may have thousands of segments, which no count needs. */
function withoutSegments(batch: Batch): Batch {
  return {
    ...batch,
    dictionaries: batch.dictionaries.map((dictionary) => ({ ...dictionary, segments: [] })),
  };
}

/** Runs of neighbours, as even as can be, so that slices of one group meet in one worker. */
function shareOut(slices: readonly Slice[], parallelism: number): readonly (readonly Slice[])[] {
  const shares = Math.max(1, Math.min(parallelism, slices.length));
  return Array.from({ length: shares }, (_, share) =>
    slices.slice(
      Math.floor((share * slices.length) / shares),
      Math.floor(((share + 1) * slices.length) / shares),
    ),
  );
}
