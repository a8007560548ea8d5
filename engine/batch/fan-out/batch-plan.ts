// The plan of a batch's dispatch: its work estimated and cut, or, where one worker does it all, no more
// than its slices.

import type { Batch } from '../batch.ts';
import { slicesOf } from '../slices.ts';
import { evenPlan, type FanOutLimits, type FanOutPlan, planFanOut } from './fan-out-plan.ts';
import { estimateWork } from './work-estimate.ts';

export function planBatch(batch: Batch, limits: FanOutLimits): FanOutPlan {
  if (limits.invocationsMax > 1) return planFanOut(estimateWork(batch), limits);
  return evenPlan(slicesOf(batch, limits.rangesPerGroup), 1);
}
