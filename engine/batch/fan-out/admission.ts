// Admission of dispatches to the slots of an account, within one root process: waiting, giving up, and
// deadlines around the queue that decides (admission-queue.ts). Between processes nobody coordinates:
// there the service itself refuses, and adapters try again.

import type { Clock } from '../../../base/clock.ts';
import { MusterError } from '../../../base/errors.ts';
import { cancelled } from '../../worker/pacer.ts';
import { AdmissionQueue } from './admission-queue.ts';
import { extraMax } from './hedging.ts';

export interface AdmissionOptions {
  readonly signal?: AbortSignal;
  /** Wall-clock ms. */
  readonly deadline?: number;
}

export class Admission {
  readonly #queue: AdmissionQueue;
  readonly #clock: Clock;
  readonly #served = new Map<number, () => void>();
  #nextId = 0;

  constructor(slots: number, clock: Clock) {
    this.#queue = new AdmissionQueue(slots);
    this.#clock = clock;
  }

  get slots(): number {
    return this.#queue.slots;
  }

  get free(): number {
    return this.#queue.free;
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /**
   * What one should ask for at most. Alone: all but what hedges need. Beside others: its part, but no
   * less than a quarter, so that few slots stand empty until there are enough for the next; with ever
   * smaller parts questions would be narrow, slow workers hit them the harder, and every cut would be
   * another one, which cools caches.
   */
  share(others: number): number {
    const { slots } = this;
    if (others === 0) return slots - Math.floor((slots * extraMax) / (1 + extraMax));
    return Math.max(1, Math.floor(slots / Math.min(4, 1 + others)));
  }

  /**
   * All slots at once, at most as many as there are. TOO_MANY_SIMULTANEOUS_QUERIES where the deadline
   * passes first; what `cancelled` makes of the signal where it aborts first.
   */
  async enter(slots: number, options: AdmissionOptions = {}): Promise<Admitted> {
    const id = this.#nextId++;
    const admitted = new Promise<void>((resolve) => this.#served.set(id, resolve));
    this.#queue.enter(id, slots);
    this.#serve();
    if (this.#served.has(id)) await this.#wait(id, admitted, options);
    return new Admitted(slots, this.#queue, () => this.#serve());
  }

  async #wait(id: number, admitted: Promise<void>, options: AdmissionOptions): Promise<void> {
    const { signal, deadline } = options;
    const done = new AbortController();
    try {
      await Promise.race([
        admitted,
        ...(signal === undefined ? [] : [aborted(signal, done.signal)]),
        ...(deadline === undefined ? [] : [this.#expired(deadline, done.signal)]),
      ]);
    } catch (error) {
      const wasServed = !this.#served.delete(id);
      if (!wasServed) {
        this.#queue.leave(id);
        this.#serve();
        throw error;
      }
      // Served in the same turn in which it gave up: the caller takes the slots and ends by itself.
    } finally {
      done.abort();
    }
  }

  #serve(): void {
    for (const id of this.#queue.admit()) {
      const resolve = this.#served.get(id);
      this.#served.delete(id);
      resolve?.();
    }
  }

  async #expired(deadline: number, done: AbortSignal): Promise<never> {
    const { slots } = this.#queue;
    while (true) {
      const leftMs = deadline - this.#clock.now();
      if (leftMs <= 0) break;
      await this.#clock.sleep(Math.min(leftMs, sleepMsMax), done);
    }
    throw new MusterError(
      'TOO_MANY_SIMULTANEOUS_QUERIES',
      `Too many simultaneous queries: no turn among the ${slots} worker slots of this server ` +
        'came before the deadline. Try again, or give the workers more concurrency',
    );
  }
}

/** Slots in hand; they come back one by one as invocations end, or all at the end. */
export class Admitted {
  readonly #queue: AdmissionQueue;
  readonly #onRelease: () => void;
  #held: number;

  constructor(slots: number, queue: AdmissionQueue, onRelease: () => void) {
    this.#held = slots;
    this.#queue = queue;
    this.#onRelease = onRelease;
  }

  /** One slot more, for a hedge: only one that nobody waits for, while others are held. */
  tryTake(): boolean {
    if (this.#held === 0 || !this.#queue.tryTake()) return false;
    this.#held++;
    return true;
  }

  /** Never more than are held. */
  release(slots: number): void {
    const back = Math.min(slots, this.#held);
    if (back === 0) return;
    this.#held -= back;
    this.#queue.release(back);
    this.#onRelease();
  }

  releaseAll(): void {
    this.release(this.#held);
  }
}

/** Timers can't be set for longer than this. */
const sleepMsMax = 2 ** 31 - 1;

function aborted(signal: AbortSignal, done: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(cancelled(signal));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true, signal: done });
  });
}
