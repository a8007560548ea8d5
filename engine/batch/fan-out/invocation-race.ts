// Runs invocations side by side to their first valid replies: slow ones are sent a second time as
// hedging.ts says, whoever replies first wins and the other is aborted. An invocation has failed when
// nothing of it is on its way any more; the first failure cancels the rest. No bytes here.

import { assert } from '../../../base/assert.ts';
import { alarm, type Clock } from '../../../base/clock.ts';
import { cancelled } from '../../worker/pacer.ts';
import { type HedgeBudget, hedgesDue, type InvocationProgress } from './hedging.ts';

/** Sends invocation `position`. `attempt` 0 is the first. */
export type Send<T> = (
  position: number,
  how: { readonly attempt: number; readonly signal: AbortSignal },
) => Promise<T>;

export interface RaceOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Absent: nothing is sent twice. */
  readonly budget?: HedgeBudget | undefined;
  /** Whether there is a slot for a second attempt; by default there is. */
  readonly takeSlot?: (() => boolean) | undefined;
  /** An attempt has ended, whatever came of it. */
  readonly onEnd?: ((position: number) => void) | undefined;
}

interface RaceResult<T> {
  /** By position. */
  readonly replies: readonly T[];
  readonly hedged: number;
}

/** Rejects with the first failure, when all that was on its way has ended. */
export async function raceInvocations<T>(
  count: number,
  send: Send<T>,
  options: RaceOptions,
): Promise<RaceResult<T>> {
  const race = new Race(count, send, options);
  const { signal } = options;
  const cancel = () => race.cancel(signal === undefined ? undefined : cancelled(signal));
  if (signal?.aborted === true) throw cancelled(signal);
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    return await race.run();
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

type Progress = { -readonly [K in keyof InvocationProgress]: InvocationProgress[K] };

class Race<T> {
  readonly #send: Send<T>;
  readonly #options: RaceOptions;
  readonly #progress: Progress[] = [];
  readonly #running: Set<AbortController>[];
  readonly #replies: (readonly [T] | undefined)[];
  #left: number;
  #onTheWay = 0;
  #failure: readonly [unknown] | undefined;
  #hedged = 0;
  #stopLook = (): void => {};
  #finish: () => void = () => {};

  constructor(count: number, send: Send<T>, options: RaceOptions) {
    this.#send = send;
    this.#options = options;
    this.#left = count;
    this.#running = Array.from({ length: count }, () => new Set());
    this.#replies = Array.from({ length: count }, () => undefined);
  }

  async run(): Promise<RaceResult<T>> {
    const { clock, budget } = this.#options;
    const count = this.#left;
    budget?.earn(count);
    await new Promise<void>((resolve) => {
      this.#finish = resolve;
      for (let position = 0; position < count; position++) {
        this.#progress.push({ startedAt: clock.monotonic(), hedged: false });
        this.#start(position, 0);
      }
      if (count === 0) resolve();
    });
    this.#stopLook();
    if (this.#failure !== undefined) throw this.#failure[0];
    const replies = this.#replies.map((reply) => {
      assert(reply !== undefined, 'all invocations have replied');
      return reply[0];
    });
    return { replies, hedged: this.#hedged };
  }

  cancel(reason: unknown): void {
    this.#failure ??= [reason];
    for (const running of this.#running) for (const one of running) one.abort(reason);
  }

  #start(position: number, attempt: number): void {
    const controller = new AbortController();
    this.#running[position]!.add(controller);
    this.#onTheWay++;
    void this.#attempt(position, attempt, controller);
  }

  async #attempt(position: number, attempt: number, controller: AbortController): Promise<void> {
    const running = this.#running[position]!;
    try {
      const reply = await this.#send(position, { attempt, signal: controller.signal });
      running.delete(controller);
      this.#win(position, reply);
    } catch (error) {
      running.delete(controller);
      const isLast = running.size === 0 && this.#replies[position] === undefined;
      if (isLast) this.cancel(error);
    }
    this.#onTheWay--;
    this.#options.onEnd?.(position);
    this.#look();
    const isOver = this.#failure === undefined ? this.#left === 0 : this.#onTheWay === 0;
    if (isOver) this.#finish();
  }

  #win(position: number, reply: T): void {
    if (this.#replies[position] !== undefined) return;
    this.#replies[position] = [reply];
    this.#progress[position]!.finishedAt = this.#options.clock.monotonic();
    this.#left--;
    for (const loser of this.#running[position]!) loser.abort(new Error('Another attempt replied'));
  }

  #look(): void {
    const { budget, clock, takeSlot = () => true } = this.#options;
    if (budget === undefined || this.#failure !== undefined || this.#left === 0) return;
    this.#stopLook();
    const due = hedgesDue(this.#progress, clock.monotonic(), budget.available);
    for (const position of due.reissue) {
      if (!takeSlot()) break;
      budget.spend(1);
      this.#hedged++;
      this.#progress[position]!.hedged = true;
      this.#start(position, 1);
    }
    if (due.lookAt === undefined) return;
    const ms = Math.max(1, due.lookAt - clock.monotonic());
    this.#stopLook = alarm(clock, ms, () => this.#look());
  }
}
