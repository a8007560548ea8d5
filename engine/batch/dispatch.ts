// Sends one batch to all its slices and gives back whole answers: slices are shared out over as many
// invocations as the invoker runs side by side, all at once; the first failure cancels the rest.

import type { Answer, Batch, Slice, SliceReply } from './batch.ts';
import { decodeReplies, encodeInvocation } from './batch-codec.ts';
import type { Invoker } from './invoker.ts';
import { mergeReplies } from './merge.ts';

interface DispatchOptions {
  readonly signal?: AbortSignal;
}

/** Answers in the order of batch.asks. Throws what the first failing worker raised. */
export async function dispatch(
  batch: Batch,
  slices: readonly Slice[],
  invoker: Invoker,
  options: DispatchOptions = {},
): Promise<readonly Answer[]> {
  const shares = shareOut(slices, invoker.parallelism);
  const placed = batch.fragments.length === 0 ? batch : { ...batch, slices };
  const sent = speaksOfIds(batch) ? placed : withoutSegments(placed);
  const cancel = new AbortController();
  const { signal } = options;
  const both = signal === undefined ? cancel.signal : AbortSignal.any([signal, cancel.signal]);
  const invoke = async (share: readonly Slice[]): Promise<readonly SliceReply[]> => {
    try {
      const request = encodeInvocation({ batch: sent, slices: share });
      return decodeReplies(await invoker.invoke(request, { signal: both }));
    } catch (error) {
      cancel.abort(error);
      throw error;
    }
  };
  const settled = await Promise.allSettled(shares.map(invoke));
  if (cancel.signal.aborted) throw cancel.signal.reason;
  const replies = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  return mergeReplies(batch, slices, replies);
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
