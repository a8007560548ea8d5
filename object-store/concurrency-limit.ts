// How many requests may be under way at once: additive increase, multiplicative decrease. A store
// that asks for fewer gets half as many, down to one; each success adds a part of one more, one per
// round of requests. Who waits here has not started its time limit.
//
// In order of arrival. It counts requests in flight: a request that was refused keeps its place
// through its pause, so that few in flight is also few per second.

import { setMaxListeners } from 'node:events';

interface Waiter {
  readonly start: () => void;
}

/** A place among those under way; `generation` tells what was sent before the last decrease. */
interface Slot {
  readonly generation: number;
}

export class ConcurrencyLimit {
  readonly #max: number;
  readonly #waiting: Waiter[] = [];
  #allowed: number;
  #running = 0;
  #generation = 0;

  constructor(max: number) {
    this.#max = max;
    this.#allowed = max;
  }

  get allowed(): number {
    return Math.floor(this.#allowed);
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Waits for a place; rejects with the signal's reason. Each place must be left. */
  async enter(signal?: AbortSignal): Promise<Slot> {
    signal?.throwIfAborted();
    if (this.#running < this.allowed && this.#waiting.length === 0) this.#running++;
    else await this.#turn(signal);
    return { generation: this.#generation };
  }

  leave(): void {
    this.#running--;
    this.#startWaiting();
  }

  succeeded(): void {
    this.#allowed = Math.min(this.#max, this.#allowed + 1 / this.#allowed);
  }

  /** Halves once for all requests that were under way together. */
  throttled(slot: Slot): void {
    if (slot.generation !== this.#generation) return;
    this.#generation++;
    this.#allowed = Math.max(1, this.#allowed / 2);
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    // All reads of a question share its signal: many listeners are no leak.
    if (signal !== undefined) setMaxListeners(0, signal);
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        start: () => {
          signal?.removeEventListener('abort', cancel);
          resolve();
        },
      };
      const cancel = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', cancel, { once: true });
      this.#waiting.push(waiter);
    });
  }

  #startWaiting(): void {
    while (this.#running < this.allowed) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#running++;
      next.start();
    }
  }
}
