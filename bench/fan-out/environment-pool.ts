// A function's environments: idle ones are used again, the last used first, others start cold, and
// beyond the account's concurrency a call is refused. Each keeps what it has read. What was called
// runs to its end, and is paid for, whether somebody still waits for it or not.

import type { VirtualClock } from './virtual-clock.ts';

interface Environment {
  /** Groups whose data it has read. */
  readonly kept: Set<number>;
  /** What it was first called for. */
  readonly affinity: string | undefined;
}

interface PoolUse {
  invocations: number;
  cold: number;
  refused: number;
  busyMs: number;
  requests: number;
}

export class EnvironmentPool {
  use: PoolUse = noUse();
  readonly #clock: VirtualClock;
  readonly #concurrency: number;
  readonly #byAffinity: boolean;
  readonly #idle: Environment[] = [];
  #running = 0;

  constructor(
    clock: VirtualClock,
    options: { readonly concurrency: number; readonly byAffinity: boolean },
  ) {
    this.#clock = clock;
    this.#concurrency = options.concurrency;
    this.#byAffinity = options.byAffinity;
  }

  /** Undefined: refused (429). Without an affinity: the one that was idle for longest. */
  take(affinity: string | undefined): Taken | undefined {
    if (this.#running >= this.#concurrency) {
      this.use.refused++;
      return undefined;
    }
    this.#running++;
    this.use.invocations++;
    const [found] = this.#idle.splice(this.#choose(affinity), 1);
    if (found === undefined) this.use.cold++;
    const isCold = found === undefined;
    return { environment: found ?? { kept: new Set<number>(), affinity }, isCold };
  }

  #choose(affinity: string | undefined): number {
    if (affinity === undefined) return 0;
    const own = this.#byAffinity ? this.#idle.findIndex((one) => one.affinity === affinity) : -1;
    return own >= 0 ? own : Math.max(0, this.#idle.length - 1);
  }

  /** The environment is busy for so long, then idle; `startMs` of it are not paid for. */
  async run({ environment }: Taken, startMs: number, busyMs: number): Promise<void> {
    this.use.busyMs += busyMs;
    await this.#clock.sleep(startMs + busyMs);
    this.#running--;
    this.#idle.push(environment);
  }
}

export function noUse(): PoolUse {
  return { invocations: 0, cold: 0, refused: 0, busyMs: 0, requests: 0 };
}

export interface Taken {
  readonly environment: Environment;
  readonly isCold: boolean;
}
