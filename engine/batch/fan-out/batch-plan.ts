// The plan of a batch's dispatch: its work estimated and cut, or, where one worker does it all, no more
// than its slices. And whether it is so little work that it is done before a worker has begun.

import type { Batch } from '../batch.ts';
import { slicesOf } from '../slices.ts';
import { evenPlan, type FanOutLimits, type FanOutPlan, planFanOut } from './fan-out-plan.ts';
import { estimateWork } from './work-estimate.ts';

/**
 * Estimated, of all groups together. To a thread and back takes a ms or so, of which the sender's part
 * is 0.3 ms; what computes for longer keeps it from its other questions.
 */
const tinyComputeMs = 2;
/** Where others are about: they wait for this thread meanwhile. */
const tinyComputeMsAmongOthers = 0.5;
/** Empty caches; each byte is looked at once when it is read: this is 5 MB, or 64 parts. */
const tinyReadMs = 64;

export function planBatch(batch: Batch, limits: FanOutLimits): FanOutPlan {
  if (limits.invocationsMax > 1) return planFanOut(estimateWork(batch), limits);
  return evenPlan(slicesOf(batch, limits.rangesPerGroup), 1);
}

/** Whether who sends it may as well do it. `others`: dispatches that share the sender's thread. */
export function isTinyBatch(batch: Batch, others: number): boolean {
  const work = estimateWork(batch);
  const computeMs = work.reduce((sum, { divisibleMs }) => sum + divisibleMs, 0);
  const readMs = work.reduce((sum, { fixedMs }) => sum + fixedMs, 0);
  return (
    computeMs <= (others > 0 ? tinyComputeMsAmongOthers : tinyComputeMs) && readMs <= tinyReadMs
  );
}
