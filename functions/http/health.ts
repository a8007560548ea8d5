// /health: whether this server should be sent queries now. Not for whether it lives: that is /ping,
// which asks nothing and waits for nothing. The store is asked seldom, however often /health is.

import type { Clock } from '../../base/clock.ts';
import { objectKey } from '../../object-store/object-key.ts';
import type { ObjectStore } from '../../object-store/port.ts';

/** Rejects when the store can't be reached. */
type StoreProbe = (signal: AbortSignal) => Promise<unknown>;

interface HealthOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** Absent: the store is not asked. */
  readonly probe: StoreProbe | undefined;
}

const askedEveryMs = 5000;
const patienceMs = 2000;

/** Asks for what is never there: a store that says so is reached. */
export function probeOf(store: ObjectStore): StoreProbe {
  return async (signal) => await store.read(objectKey('health/probe'), undefined, { signal });
}

export class StoreHealth {
  readonly #options: HealthOptions;
  #last: { readonly at: number; readonly reachable: Promise<boolean> } | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  /** As of five seconds ago at most. */
  reachable(): Promise<boolean> {
    const { clock, probe } = this.#options;
    if (probe === undefined) return Promise.resolve(true);
    const now = clock.monotonic();
    if (this.#last === undefined || now - this.#last.at >= askedEveryMs) {
      this.#last = { at: now, reachable: this.#ask(probe) };
    }
    return this.#last.reachable;
  }

  async #ask(probe: StoreProbe): Promise<boolean> {
    const patience = new AbortController();
    const tooLong = this.#options.clock.sleep(patienceMs, patience.signal);
    const stop = new AbortController();
    try {
      const answered = probe(stop.signal).then(() => true);
      return await Promise.race([answered, tooLong.then(() => false)]);
    } catch {
      return false;
    } finally {
      patience.abort();
      stop.abort();
      tooLong.catch(() => undefined);
    }
  }
}
