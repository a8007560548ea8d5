// Tries to get one reply from workers on other machines, again and again while that can help: throttled
// ones are given time, unreachable ones are passed over, and work is sent once more when a worker died
// over it, but not a third time, for then the work may be what kills.

import type { Clock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { cancelled } from '../worker/pacer.ts';
import { untilDeadline } from './deadline.ts';
import type { InvokeOptions } from './invoker.ts';

export type Outcome =
  | { readonly outcome: 'reply'; readonly reply: Uint8Array }
  /** Nothing was sent that could have been worked on: an old socket, or a worker that is too busy. */
  | { readonly outcome: 'elsewhere'; readonly why: string }
  /** Everybody is too busy. */
  | { readonly outcome: 'throttled'; readonly why: string; readonly retryAfterMs?: number }
  /** Nobody could be reached. */
  | { readonly outcome: 'unreachable'; readonly why: string; readonly cause?: unknown }
  /** Work was on the way to somebody who then was gone. */
  | { readonly outcome: 'died'; readonly why: string; readonly cause?: unknown };

/** Sends the request. `number` counts what this call has tried before. Rejects for good. */
export type Attempt = (number: number, signal: AbortSignal | undefined) => Promise<Outcome>;

/** Less than requests may be old (invocation-service.ts). */
const throttledMsMax = 4 * 60_000;
/** Long enough for workers that are being restarted. */
const unreachableMsMax = 15_000;
const firstDelayMs = 50;
const delayMsMax = 5000;
const retryAfterMsMax = 10_000;
const elsewhereMax = 1000;
const deathsMax = 2;

export async function untilReply(
  attempt: Attempt,
  options: InvokeOptions,
  clock: Clock,
): Promise<Uint8Array> {
  return await untilDeadline(options, clock, async (signal) => {
    const patience = new Patience(options.deadline, clock);
    for (let number = options.attempt ?? 0; ; number++) {
      if (signal?.aborted === true) throw cancelled(signal);
      const outcome = await attempt(number, signal);
      if (outcome.outcome === 'reply') return outcome.reply;
      const delayMs = patience.delayAfter(outcome);
      options.onRetry?.();
      if (delayMs > 0) await sleep(delayMs, clock, signal);
    }
  });
}

type Setback = Exclude<Outcome, { readonly outcome: 'reply' }>;

class Patience {
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #endsAt: number;
  #deaths = 0;
  #detours = 0;
  #nextDelayMs = firstDelayMs;

  constructor(deadline: number | undefined, clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
    this.#endsAt = this.#startedAt + (deadline ?? Number.POSITIVE_INFINITY) - clock.now();
  }

  /** How long to wait before the next attempt. Throws when another makes no sense. */
  delayAfter(setback: Setback): number {
    switch (setback.outcome) {
      case 'elsewhere':
        if (++this.#detours > elsewhereMax) throw lost(setback, 'again and again');
        return 0;
      case 'died':
        if (++this.#deaths === deathsMax) throw lost(setback, 'twice for the same work');
        return 0;
      case 'unreachable':
        return this.#waitFor(this.#jittered(), unreachableMsMax, () => lost(setback));
      case 'throttled': {
        const { retryAfterMs } = setback;
        const asked = retryAfterMs === undefined ? 0 : Math.min(retryAfterMs, retryAfterMsMax);
        // What was asked for is kept to; jitter on top keeps those who wait from coming back at once.
        const delayMs = asked * (1 + this.#clock.random() / 4) + this.#jittered();
        return this.#waitFor(delayMs, throttledMsMax, () => throttled(setback));
      }
    }
  }

  #jittered(): number {
    const delayMs = this.#nextDelayMs * (0.5 + this.#clock.random());
    this.#nextDelayMs = Math.min(delayMsMax, this.#nextDelayMs * 2);
    return delayMs;
  }

  #waitFor(delayMs: number, budgetMs: number, failure: () => MusterError): number {
    const resumesAt = this.#clock.monotonic() + delayMs;
    if (resumesAt > Math.min(this.#endsAt, this.#startedAt + budgetMs)) throw failure();
    return delayMs;
  }
}

async function sleep(ms: number, clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    throw signal?.aborted === true ? cancelled(signal) : error;
  }
}

function lost(setback: Setback, how?: string): MusterError {
  const text = how === undefined ? setback.why : `${setback.why}, ${how}`;
  const cause = 'cause' in setback ? { cause: setback.cause } : {};
  return new MusterError('NETWORK_ERROR', text, cause);
}

function throttled({ why }: Setback): MusterError {
  return new MusterError(
    'TOO_MANY_SIMULTANEOUS_QUERIES',
    `The workers are too busy: ${why}. Ask again later, or give them more room`,
  );
}
