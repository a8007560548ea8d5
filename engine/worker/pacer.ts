// Keeps a worker polite and punctual: long loops ask it now and then whether to stop or to let other
// work of the process run. Asking costs a look at a clock.

import type { Clock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';

const turnMs = 25;

export class Pacer {
  readonly #clock: Clock;
  readonly #deadline: number;
  readonly #signal: AbortSignal | undefined;
  #turnEnds: number;

  /** `deadline`: wall-clock ms. */
  constructor(clock: Clock, deadline: number, signal?: AbortSignal) {
    this.#clock = clock;
    this.#deadline = deadline;
    this.#signal = signal;
    this.#turnEnds = clock.monotonic() + turnMs;
  }

  /** True when it is time to await `breathe`. */
  due(): boolean {
    return this.#clock.monotonic() >= this.#turnEnds;
  }

  /** Lets others run; throws QUERY_WAS_CANCELLED (394) or TIMEOUT_EXCEEDED (159). */
  async breathe(): Promise<void> {
    this.check();
    await this.#clock.sleep(0);
    this.#turnEnds = this.#clock.monotonic() + turnMs;
    this.check();
  }

  check(): void {
    if (this.#signal?.aborted === true) throw cancelled(this.#signal);
    if (this.#clock.now() >= this.#deadline) {
      throw new MusterError('TIMEOUT_EXCEEDED', 'Timeout exceeded (setting max_execution_time)');
    }
  }
}

/** The reason that an aborted signal gives, as an error that callers understand. */
export function cancelled(signal: AbortSignal): MusterError {
  const reason: unknown = signal.reason;
  if (reason instanceof MusterError) return reason;
  return new MusterError('QUERY_WAS_CANCELLED', 'Query was cancelled', { cause: reason });
}
