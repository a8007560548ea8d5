// A fixed number of places for workers on this machine, threads or processes. Each starts when first
// needed; a dead one is replaced, and its work sent once more to another.
//
// Idle workers go first: on one machine a core that rests costs more than a cache that is missed.
// Among equals, and among busy ones that have hardly more to do than the least busy, the key decides.
// Measured with 2 threads and 8 askers over 16 slices: always to the preferred one is 1.4 times as fast
// where caches are too small for all slices, and 0.6 times where they are not; this is within 0.7 of the
// best in the first case, and the best in the second.

import { type Clock, systemClock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { untilDeadline } from './deadline.ts';
import type { InvokeOptions } from './invoker.ts';
import { rankedFor } from './rendezvous.ts';

/** The worker ended with work unfinished; the same request may be sent to another. */
export class WorkerGone extends Error {}

export interface LocalWorker {
  readonly alive: boolean;
  /**
   * Invocations that it has not answered, cancelled ones too: one that doesn't even answer those is
   * passed over while there are others.
   */
  readonly busy: number;
  /** Rejects with WorkerGone when the worker ends first, with the signal's reason when aborted. */
  invoke(request: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>;
  /** Work on the way fails. Resolves when the worker has ended. */
  close(): Promise<void>;
  /** Of one that doesn't end: nothing waits for it any more. */
  abandon(): void;
}

const closingMsMax = 2000;

export class LocalPool<W extends LocalWorker> {
  readonly #start: (place: number) => W;
  readonly #names: readonly string[];
  readonly #workers: (W | undefined)[];
  readonly #clock: Clock;
  #closed = false;

  constructor(places: number, start: (place: number) => W, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#start = start;
    this.#names = Array.from({ length: places }, (_, place) => `${place}`);
    this.#workers = this.#names.map(() => undefined);
  }

  get alive(): readonly W[] {
    return this.#workers.flatMap((worker) => (worker?.alive === true ? [worker] : []));
  }

  async invoke(request: Uint8Array, options: InvokeOptions): Promise<Uint8Array> {
    return await untilDeadline(options, this.#clock, async (signal) => {
      try {
        return await this.#pick(options).invoke(request, signal);
      } catch (error) {
        if (!(error instanceof WorkerGone)) throw error;
      }
      options.onRetry?.();
      try {
        return await this.#pick(options).invoke(request, signal);
      } catch (error) {
        if (!(error instanceof WorkerGone)) throw error;
        throw new MusterError('NETWORK_ERROR', `${error.message}, twice for the same work`, {
          cause: error,
        });
      }
    });
  }

  /** All of them, before there is work. */
  startAll(): void {
    for (const [place, worker] of this.#workers.entries()) {
      if (worker === undefined) this.#workers[place] = this.#start(place);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const all = this.alive;
    const done = new AbortController();
    const late = this.#clock.sleep(closingMsMax, done.signal).then(
      () => all.forEach((worker) => worker.abandon()),
      () => {},
    );
    await Promise.race([Promise.all(all.map((worker) => worker.close())), late]);
    done.abort();
    await late;
  }

  #pick({ affinity, attempt = 0 }: InvokeOptions): W {
    if (this.#closed) throw new MusterError('ABORTED', 'The workers are closed');
    const ranked =
      affinity === undefined ? [...this.#names.keys()] : rankedFor(affinity, this.#names);
    const turned = ranked.map((_, i) => ranked[(i + attempt) % ranked.length] as number);
    const busy = turned.map((place) => this.#busyAt(place));
    const least = Math.min(...busy);
    const slack = least >= 1 && affinity !== undefined ? 1 : 0;
    const place = turned[busy.findIndex((one) => one <= least + slack)] as number;
    const worker = this.#workers[place];
    if (worker?.alive === true) return worker;
    const started = this.#start(place);
    this.#workers[place] = started;
    return started;
  }

  /** To start one takes longer than to ask one that is idle, and less than to wait for a busy one. */
  #busyAt(place: number): number {
    const worker = this.#workers[place];
    return worker?.alive === true ? worker.busy : 0.5;
  }
}
