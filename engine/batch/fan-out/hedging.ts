// Which invocations are sent a second time while the first is still on its way: the slowest ones, when
// nearly all others are done. A pure function over the progress of one dispatch, and the budget that
// all dispatches of a process share. Nothing is cancelled by a hedge: the first valid reply wins.

/** Times are monotonic milliseconds. */
export interface InvocationProgress {
  readonly startedAt: number;
  /** Absent while it is on its way. */
  readonly finishedAt?: number;
  readonly hedged: boolean;
}

interface HedgeDecision {
  /** Positions of those to send again now, slowest first. */
  readonly reissue: readonly number[];
  /** When to look again, if nothing finishes before; absent: when something does. */
  readonly lookAt?: number;
}

/** Extra invocations per invocation. */
export const extraMax = 0.1;
/** So much slower than the 95th percentile of those done is slow. */
const slowFactor = 1.5;
/** A second invocation costs its own start: below this it could not win by much. */
export const hedgeFloorMs = 50;

/** `budget`: second invocations that may be sent now. A lone invocation is never hedged. */
export function hedgesDue(
  progress: readonly InvocationProgress[],
  now: number,
  budget: number,
): HedgeDecision {
  const count = progress.length;
  const late = progress.flatMap((one, i) => (one.finishedAt === undefined ? [i] : []));
  const tail = Math.max(1, Math.floor(extraMax * count));
  if (count < 2 || late.length === 0 || late.length > tail) return { reissue: [] };
  const slowMs = Math.max(hedgeFloorMs, slowFactor * percentile95(progress));
  const waiting = late
    .filter((i) => !progress[i]!.hedged)
    .toSorted((a, b) => progress[a]!.startedAt - progress[b]!.startedAt);
  const due = waiting.filter((i) => now >= progress[i]!.startedAt + slowMs);
  const next = waiting[due.length];
  const left = budget - due.length;
  return {
    reissue: due.slice(0, Math.max(0, budget)),
    ...(next === undefined || left <= 0 ? {} : { lookAt: progress[next]!.startedAt + slowMs }),
  };
}

/** Of the durations of those that are done. */
function percentile95(progress: readonly InvocationProgress[]): number {
  const durations = progress
    .flatMap((one) => (one.finishedAt === undefined ? [] : [one.finishedAt - one.startedAt]))
    .toSorted((a, b) => a - b);
  return durations[Math.ceil(0.95 * durations.length) - 1] ?? 0;
}

/**
 * At most one second invocation for ten first ones, over all dispatches that share the budget: a
 * dispatch of four may hedge too, but not each of them. What is unused is kept up to a limit, so that
 * a quiet hour does not pay for a storm.
 */
export class HedgeBudget {
  #credit = 0;

  /** Whole second invocations that may be sent. */
  get available(): number {
    return Math.floor(this.#credit + 1e-9);
  }

  earn(invocations: number): void {
    this.#credit = Math.min(creditMax, this.#credit + extraMax * invocations);
  }

  spend(hedges: number): void {
    this.#credit -= hedges;
  }
}

const creditMax = 32;
