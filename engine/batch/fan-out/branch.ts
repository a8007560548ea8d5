// An inner node of a fan-out tree: sends a branch's invocations to workers and merges their replies into
// one, by the rules that the root merges by. It waits for workers alone, and no worker waits for it,
// so that nesting can't lock up; inner nodes are a function of their own, with their own concurrency.

import type { Clock } from '../../../base/clock.ts';
import type { ObjectStore } from '../../../object-store/port.ts';
import type { Batch, FanOutCounts, SliceReply } from '../batch.ts';
import type { BranchRequest } from '../batch-codec.ts';
import type { Invoker } from '../invoker.ts';
import { mergeReplies } from '../merge.ts';
import type { WorkerUsage } from '../usage.ts';
import { stateOf } from './invoker-state.ts';
import { type Errand, sendRequests } from './send-requests.ts';

interface BranchOptions {
  /** Of the workers. */
  readonly invoker: Invoker;
  readonly clock: Clock;
  /** Holds what is too big for the way. */
  readonly store?: ObjectStore;
}

interface BranchFindings {
  readonly replies: readonly SliceReply[];
  readonly usages: readonly WorkerUsage[];
  readonly sent: FanOutCounts;
}

/**
 * Runs one branch. `batch` is the request's, decoded. The slots that the root was admitted to are
 * those of the workers, so that nothing is waited for here.
 */
export async function runBranch(
  request: BranchRequest,
  batch: Batch,
  options: BranchOptions & { readonly signal?: AbortSignal | undefined },
): Promise<BranchFindings> {
  const { invoker, clock } = options;
  const { children } = request;
  const errands = children.map((slices): Errand => ({ kind: 'invocation', slices }));
  const asked = { batch, encoded: request.batch };
  const { budget } = stateOf(invoker, clock);
  const { replies, hedged, retried } = await sendRequests(errands, asked, { ...options, budget });
  const slices = children.flat();
  const answers = mergeReplies(
    batch,
    slices,
    replies.flatMap((one) => one.replies),
  );
  return {
    replies: [{ slices, answers }],
    usages: replies.flatMap((one) => one.usages),
    sent: { invocations: children.length, hedged, retried },
  };
}
