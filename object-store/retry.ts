// When to try again, and for how long: the only retries in the store layer (the SDK's own are off).
//
// The budget is time, not attempts: a store that answers 503 for a second is waited for, one that
// is gone is given up. A store that asks for fewer requests is alive and gets a longer budget.
// Delays are "full jitter", so that many functions that were refused together don't come back
// together.

import type { Clock } from '../base/clock.ts';
import { MusterError } from '../base/errors.ts';

export interface RetryPolicy {
  /** No attempt starts later than this after the first. */
  readonly budgetMs: number;
  /** The same, while the store asks for fewer requests. */
  readonly throttledBudgetMs: number;
  readonly firstDelayMs: number;
  readonly delayMsMax: number;
}

/**
 * `at-once`: the first time without a delay. `once`: a second time only, without a delay.
 * `throttled`: whoever reported it has paused already, while it held its place.
 */
export type RetryVerdict = 'give-up' | 'again' | 'at-once' | 'once' | 'throttled';

interface RetryOptions {
  readonly clock: Clock;
  readonly policy: RetryPolicy;
  readonly signal?: AbortSignal | undefined;
  readonly verdictOf: (error: unknown) => RetryVerdict;
}

/**
 * The first success, or the last error. `work` is told how many attempts failed before. A caller
 * that leaves gets its signal's reason, with the last failure if there was one.
 */
export async function retrying<T>(
  work: (failures: number) => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  const { clock, policy, signal } = options;
  const start = clock.monotonic();
  const seen = new Set<RetryVerdict>();
  let last: unknown;
  for (let failures = 0; ; failures++) {
    throwIfLeft(signal, last);
    try {
      return await work(failures);
    } catch (error) {
      throwIfLeft(signal, last);
      last = error;
      const verdict = options.verdictOf(error);
      if (verdict === 'give-up' || (verdict === 'once' && seen.has(verdict))) throw error;
      const isBackingOff = verdict === 'again' || (verdict === 'at-once' && seen.has(verdict));
      const delay = isBackingOff ? backoffMs(clock, policy, failures) : 0;
      const budget = verdict === 'throttled' ? policy.throttledBudgetMs : policy.budgetMs;
      if (clock.monotonic() - start + delay > budget) throw error;
      seen.add(verdict);
      // A caller that leaves meanwhile is noticed at the top.
      if (delay > 0) await clock.sleep(delay, signal).catch(() => {});
    }
  }
}

/** A random part of a delay that doubles with each failure. */
export function backoffMs(clock: Clock, policy: RetryPolicy, failures: number): number {
  return clock.random() * Math.min(policy.delayMsMax, policy.firstDelayMs * 2 ** failures);
}

/** Says what it was waiting for: else a throttled store looks like a slow query. */
function throwIfLeft(signal: AbortSignal | undefined, last: unknown): void {
  if (signal?.aborted !== true) return;
  const reason: unknown = signal.reason;
  if (!(reason instanceof MusterError) || !(last instanceof Error)) throw reason;
  const message = `${reason.message}; it was waiting for the store: ${last.message}`;
  throw new MusterError(reason.errorName, message, { cause: last });
}
