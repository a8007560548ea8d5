// Time that passes only when nothing else can go on: sleepers wake in the order of their times, and of
// their coming where times are equal. A seed is a run; nobody really waits. Tests use it too.

import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import { seededRandom } from './seeded-random.ts';

interface Sleeper {
  readonly at: number;
  readonly order: number;
  readonly wake: () => void;
  isAborted: boolean;
}

export class VirtualClock implements Clock {
  readonly random: () => number;
  #now = 0;
  #order = 0;
  /** A binary heap, the next to wake in front. */
  readonly #sleepers: Sleeper[] = [];

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  randomId(): string {
    const word = () => Math.floor(this.random() * 2 ** 32).toString(16);
    return Array.from({ length: 4 }, () => word().padStart(8, '0')).join('');
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const wake = () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const sleeper = { at: this.#now + ms, order: this.#order++, wake, isAborted: false };
      const abort = () => {
        sleeper.isAborted = true;
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#push(sleeper);
    });
  }

  /** Until `work` is done. Throws when all sleep for ever. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => {});
    while (true) {
      await turn();
      if (isDone) return await done;
      const next = this.#pop();
      if (next === undefined) throw new Error(`nothing goes on any more at ${this.#now} ms`);
      if (next.isAborted) continue;
      this.#now = next.at;
      next.wake();
    }
  }

  #push(sleeper: Sleeper): void {
    const heap = this.#sleepers;
    let at = heap.push(sleeper) - 1;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!isBefore(heap[at]!, heap[parent]!)) return;
      [heap[at], heap[parent]] = [heap[parent]!, heap[at]!];
      at = parent;
    }
  }

  #pop(): Sleeper | undefined {
    const heap = this.#sleepers;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || first === last) return first;
    heap[0] = last;
    for (let at = 0; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && isBefore(heap[child]!, heap[least]!)) least = child;
      }
      if (least === at) return first;
      [heap[at], heap[least]] = [heap[least]!, heap[at]!];
      at = least;
    }
  }
}

function isBefore(a: Sleeper, b: Sleeper): boolean {
  return a.at === b.at ? a.order < b.order : a.at < b.at;
}
