// When to try again, and for how long: the only retries in the store layer (the SDK's own are off).
//
// The budget is time, not attempts: a store that answers 503 for a second is waited for, one that
// is gone is given up. Delays are "full jitter", so that many functions that were refused together
// don't come back together.

import type { Clock } from '../base/clock.ts';

export interface RetryPolicy {
  /** No attempt starts later than this after the first. */
  readonly budgetMs: number;
  readonly firstDelayMs: number;
  readonly delayMsMax: number;
}

interface RetryOptions {
  readonly clock: Clock;
  readonly policy: RetryPolicy;
  readonly signal?: AbortSignal | undefined;
  readonly retryable: (error: unknown) => boolean;
}

/** The first success, or the last error. `work` is told how many attempts failed before. */
export async function retrying<T>(
  work: (failures: number) => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  const { clock, policy, signal } = options;
  const start = clock.monotonic();
  for (let failures = 0; ; failures++) {
    signal?.throwIfAborted();
    try {
      return await work(failures);
    } catch (error) {
      const ceiling = Math.min(policy.delayMsMax, policy.firstDelayMs * 2 ** failures);
      const delay = clock.random() * ceiling;
      const late = clock.monotonic() - start + delay > policy.budgetMs;
      if (late || signal?.aborted === true || !options.retryable(error)) throw error;
      await clock.sleep(delay, signal);
    }
  }
}
