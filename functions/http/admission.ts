// The door that queries pass: so many side by side, a bounded line of those that wait, first come
// first served, and a clear refusal to the rest, before they have cost anything. Whoever waits too
// long, or leaves, gives up its place in the line.

import type { Clock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';

interface AdmissionOptions {
  readonly queriesMax: number;
  readonly clock: Pick<Clock, 'sleep'>;
  /** At most so many wait; absent: twice as many as run. */
  readonly waitingMax?: number;
}

/** Lets the next one in; once. */
type Leave = () => void;

interface Waiting {
  readonly admit: () => void;
}

/** Nobody waits longer, whatever time it has. */
const waitMsMax = 5000;

export class Admission {
  readonly #queriesMax: number;
  readonly #waitingMax: number;
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #line = new Set<Waiting>();
  #running = 0;

  constructor(options: AdmissionOptions) {
    this.#queriesMax = options.queriesMax;
    this.#waitingMax = options.waitingMax ?? 2 * options.queriesMax;
    this.#clock = options.clock;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#line.size;
  }

  /**
   * Resolves when the query may run. TOO_MANY_SIMULTANEOUS_QUERIES (202) when the line is full or
   * `waitMs` are over; the signal's reason when it is aborted in the line.
   */
  async enter(signal: AbortSignal, waitMs: number = waitMsMax): Promise<Leave> {
    signal.throwIfAborted();
    if (this.#running >= this.#queriesMax) {
      if (this.#line.size >= this.#waitingMax) throw this.#refusal();
      await this.#admitted(signal, Math.min(waitMs, waitMsMax));
    } else this.#running++;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#leave();
    };
  }

  /** Whoever leaves hands its place to the first in the line, so that nobody slips in between. */
  #leave(): void {
    const [first] = this.#line;
    if (first === undefined) {
      this.#running--;
      return;
    }
    this.#line.delete(first);
    first.admit();
  }

  #admitted(signal: AbortSignal, waitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const patience = new AbortController();
      const give = (reason: unknown) => {
        if (!this.#line.delete(waiting)) return;
        patience.abort();
        reject(reason);
      };
      const waiting: Waiting = {
        admit: () => {
          patience.abort();
          resolve();
        },
      };
      this.#line.add(waiting);
      signal.addEventListener('abort', () => give(signal.reason), { signal: patience.signal });
      this.#clock.sleep(waitMs, patience.signal).then(
        () => give(this.#refusal()),
        () => undefined,
      );
    });
  }

  #refusal(): MusterError {
    return new MusterError(
      'TOO_MANY_SIMULTANEOUS_QUERIES',
      `Too many simultaneous queries. Maximum: ${this.#queriesMax}`,
    );
  }
}
