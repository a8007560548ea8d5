// Work done by other processes, on this or other machines, over HTTP (functions/worker-server.ts). A
// worker that can't be reached, or says that it is busy, is left out for a while and its work goes to
// another; when everybody is, the work waits as long as there is time.

import { type Clock, systemClock } from '../../base/clock.ts';
import { type ExchangeOutcome, HttpExchange } from './http-exchange.ts';
import type { InvokeOptions, Invoker } from './invoker.ts';
import { type Outcome, untilReply } from './remote-attempts.ts';
import { cancelled } from '../worker/pacer.ts';
import { rankedFor } from './rendezvous.ts';
import { type Resolve, WorkerAddresses } from './worker-addresses.ts';
import { type PulseOptions, pulseDefault, speaks } from './worker-pulse.ts';

interface HttpInvokerOptions {
  readonly addresses: readonly string[];
  readonly secret: string;
  readonly clock?: Clock;
  readonly resolve?: Resolve;
  readonly pulse?: PulseOptions;
  /** As in Invoker. */
  readonly invocationMsMin?: number;
}

const socketsMaxPerWorker = 64;
const leftOutMsMin = 500;
const leftOutMsMax = 30_000;
/** As long as one call waits before it asks again (remote-attempts.ts). */
const tooBusyMsMax = 10_000;
/** For one that was silent to show that it is back. */
const returnMsMax = 1000;

interface WorkerState {
  busy: number;
  /** As it says itself; 1 before its first reply. */
  parallelism: number;
  /** Monotonic: until then nothing is sent there, where there are others. */
  leftOutUntil: number;
  /** Why it is left out: it said so, and is not away. */
  isTooBusy: boolean;
  /** It stopped answering, or it seems so; it is asked for a sign of life before it is sent anything again. */
  wasSilent: boolean;
  nextLeftOutMs: number;
}

interface SendOptions {
  readonly signal: AbortSignal | undefined;
  readonly affinity: string;
  /** There are others that could be asked. */
  readonly others: boolean;
}

export class HttpInvoker implements Invoker {
  readonly isRemote = true;
  readonly invocationMsMin: number;
  readonly #addresses: WorkerAddresses;
  readonly #exchange: HttpExchange;
  readonly #clock: Clock;
  readonly #states = new Map<string, WorkerState>();
  #turn = 0;

  constructor(options: HttpInvokerOptions) {
    const { addresses, secret, clock = systemClock, resolve, pulse = pulseDefault } = options;
    this.#clock = clock;
    this.invocationMsMin = options.invocationMsMin ?? 0;
    this.#addresses = new WorkerAddresses(addresses, { clock, resolve });
    const socketsMax = socketsMaxPerWorker;
    this.#exchange = new HttpExchange({ secret, socketsMax, clock, pulse });
    // Names are known, if all goes well, before the first question comes.
    this.#addresses.current().catch(() => {});
  }

  get parallelism(): number {
    const known = this.#addresses.known;
    return Math.max(
      1,
      known.reduce((sum, origin) => sum + this.#state(origin).parallelism, 0),
    );
  }

  async invoke(request: Uint8Array, options: InvokeOptions = {}): Promise<Uint8Array> {
    const key = options.affinity ?? `${this.#turn++}`;
    return await untilReply(
      async (number, signal) => {
        const origins = await this.#origins();
        if (typeof origins !== 'object') return { outcome: 'unreachable', why: origins };
        const origin = this.#pick(origins, { key, number });
        if (typeof origin !== 'string') return origin;
        const others = origins.some((one) => one !== origin && this.#isOpen(one));
        return await this.#send(origin, request, { signal, others, affinity: key });
      },
      options,
      this.#clock,
    );
  }

  async close(): Promise<void> {
    this.#exchange.close();
  }

  async #origins(): Promise<readonly string[] | string> {
    try {
      const origins = await this.#addresses.current();
      return origins.length > 0 ? origins : 'The name of the workers has no addresses';
    } catch (error) {
      return `The name of the workers can't be looked up: ${textOf(error)}`;
    }
  }

  /**
   * Of those that may be asked now, the one that the key prefers, or another that has less to do; the
   * next for each repetition. Where all are away, the one that was away first is asked again.
   */
  #pick(
    origins: readonly string[],
    { key, number }: { readonly key: string; readonly number: number },
  ): string | Outcome {
    const now = this.#clock.monotonic();
    const ranked = rankedFor(key, origins).map((at) => origins[at] as string);
    const open = ranked.filter((origin) => this.#isOpen(origin));
    if (open.length > 0) {
      const turned = open.map((_, i) => open[(i + number) % open.length] as string);
      const least = Math.min(...turned.map((origin) => this.#load(origin)));
      return turned.find((origin) => this.#load(origin) <= least + 1) as string;
    }
    const leftOut = (origin: string) => this.#state(origin).leftOutUntil;
    const soonest = ranked.toSorted((a, b) => leftOut(a) - leftOut(b));
    const busy = soonest.find((origin) => this.#state(origin).isTooBusy);
    if (busy === undefined) return soonest[0] as string;
    const why = `all ${origins.length} have as much to do as they take, or are away`;
    return { outcome: 'throttled', why, retryAfterMs: leftOut(busy) - now };
  }

  async #send(
    origin: string,
    request: Uint8Array,
    { others, ...options }: SendOptions,
  ): Promise<Outcome> {
    const state = this.#state(origin);
    const startedAt = this.#clock.monotonic();
    state.busy++;
    try {
      const outcome = (await this.#isBack(origin, state, options))
        ? await this.#exchange.send(origin, request, options)
        : ({ outcome: 'unreachable', why: `The worker at ${origin} does not answer` } as const);
      return this.#noted(outcome, state, others);
    } catch (error) {
      // Given up on before anything was known of it: by a short deadline, or by the client.
      const waitedMs = this.#clock.monotonic() - startedAt;
      if (options.signal?.aborted === true && waitedMs > returnMsMax) state.wasSilent = true;
      throw error;
    } finally {
      state.busy--;
    }
  }

  /** What came of it, for whoever is asked next. */
  #noted(outcome: ExchangeOutcome, state: WorkerState, others: boolean): Outcome {
    switch (outcome.outcome) {
      case 'reply':
        state.nextLeftOutMs = leftOutMsMin;
        state.parallelism = outcome.parallelism;
        return outcome;
      case 'throttled':
        state.isTooBusy = true;
        state.leftOutUntil = this.#clock.monotonic() + leftOutMsOf(outcome);
        return others ? { ...outcome, outcome: 'elsewhere' } : outcome;
      case 'unreachable':
        this.#leaveOut(state);
        return others ? { ...outcome, outcome: 'elsewhere' } : outcome;
      case 'died':
        this.#leaveOut(state);
        return outcome;
      case 'silent':
        state.wasSilent = true;
        this.#leaveOut(state);
        return { outcome: 'died', why: outcome.why };
    }
  }

  async #isBack(
    origin: string,
    state: WorkerState,
    { signal }: Pick<SendOptions, 'signal'>,
  ): Promise<boolean> {
    if (!state.wasSilent) return true;
    const patience = { patienceMs: returnMsMax, signal };
    const isBack = await speaks(origin, this.#clock, patience).catch((error: unknown) => {
      throw signal?.aborted === true ? cancelled(signal) : error;
    });
    state.wasSilent = !isBack;
    return isBack;
  }

  #load(origin: string): number {
    const { busy, parallelism } = this.#state(origin);
    return busy / parallelism;
  }

  #isOpen(origin: string): boolean {
    return this.#state(origin).leftOutUntil <= this.#clock.monotonic();
  }

  #leaveOut(state: WorkerState): void {
    state.isTooBusy = false;
    const ms = state.nextLeftOutMs * (0.75 + this.#clock.random() / 2);
    state.leftOutUntil = this.#clock.monotonic() + ms;
    state.nextLeftOutMs = Math.min(leftOutMsMax, state.nextLeftOutMs * 2);
  }

  #state(origin: string): WorkerState {
    const known = this.#states.get(origin);
    if (known !== undefined) return known;
    const leftOutUntil = Number.NEGATIVE_INFINITY;
    const state = {
      busy: 0,
      parallelism: 1,
      isTooBusy: false,
      wasSilent: false,
      leftOutUntil,
      nextLeftOutMs: leftOutMsMin,
    };
    this.#states.set(origin, state);
    return state;
  }
}

/** As long as it asks for, but never for long: a proxy may say an hour. */
function leftOutMsOf({ retryAfterMs = leftOutMsMin }: Extract<Outcome, { outcome: 'throttled' }>) {
  return Math.min(tooBusyMsMax, retryAfterMs);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
