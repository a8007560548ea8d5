// A seeded world for the commit protocol: processes share one memory store, and one scheduler decides
// which pending call or sleep goes on next. Nothing depends on real time, so a seed is a run.

import type { ByteRange } from '../../base/byte-range.ts';
import type { Clock } from '../../base/clock.ts';
import { MemoryStore } from '../../object-store/memory-store.ts';
import type {
  CallOptions,
  CreateOutcome,
  ListOptions,
  ObjectKey,
  ObjectStore,
} from '../../object-store/port.ts';

interface Pending {
  readonly process: number;
  readonly isCreate: boolean;
  readonly run: () => Promise<void>;
}

export interface Faults {
  /** Chances that a create is stored without a reply, is lost on its way, or meets a conflict. */
  readonly lostReply: number;
  readonly lostRequest: number;
  readonly conflict: number;
}

export const noFaults: Faults = { lostReply: 0, lostRequest: 0, conflict: 0 };

/** Mulberry32: small, seeded, good enough to choose with. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class World {
  readonly random: () => number;
  readonly store: MemoryStore;
  readonly faults: Faults;
  /** The store's time; processes see the same through their clock. */
  time = 1_700_000_000_000;
  #pending: Pending[] = [];
  #frozen: Pending[] = [];
  readonly #dead = new Set<number>();
  #ids = 0;

  constructor(seed: number, faults: Faults = noFaults) {
    this.random = seededRandom(seed);
    this.faults = faults;
    this.store = new MemoryStore({ clock: { now: () => this.time } });
  }

  clockOf(process: number): Clock {
    return {
      now: () => this.time,
      monotonic: () => this.time,
      sleep: (ms) =>
        this.#enqueue(process, false, async () => {
          this.time += ms;
        }),
      random: this.random,
      randomId: () => (++this.#ids).toString(16).padStart(32, '0'),
    };
  }

  storeOf(process: number): ObjectStore {
    const call = <T>(work: () => Promise<T>, isCreate = false) =>
      this.#enqueue(process, isCreate, work);
    return {
      id: this.store.id,
      read: (key: ObjectKey, range?: ByteRange, options?: CallOptions) =>
        call(() => this.store.read(key, range, options)),
      create: (key: ObjectKey, body: Uint8Array) => call(() => this.#create(key, body), true),
      put: (key: ObjectKey, body: Uint8Array) => call(() => this.store.put(key, body)),
      writer: (key: ObjectKey) => this.store.writer(key),
      list: (options: ListOptions) => call(() => this.store.list(options)),
      remove: (keys: readonly ObjectKey[]) => call(() => this.store.remove(keys)),
      close: async () => {},
    };
  }

  /** Its calls never answer again; what it sent may still land. */
  kill(process: number): void {
    this.#dead.add(process);
  }

  /** Takes a pending create out of the order until `thaw`. */
  freeze(): boolean {
    const at = this.#pending.findIndex(({ isCreate }) => isCreate);
    if (at < 0) return false;
    this.#frozen.push(...this.#pending.splice(at, 1));
    return true;
  }

  thaw(): void {
    this.#pending.push(...this.#frozen);
    this.#frozen = [];
  }

  /** Runs until the work is done, calling `between` before each step. */
  async run(work: Promise<unknown>, between: () => void | Promise<void> = () => {}): Promise<void> {
    const state = { done: false };
    const settle = (): void => {
      state.done = true;
    };
    work.then(settle, settle);
    for (;;) {
      await new Promise(setImmediate);
      if (state.done) break;
      await between();
      if (this.#pending.length === 0) this.thaw();
      if (this.#pending.length === 0) throw new Error('the simulation is stuck');
      const at = Math.floor(this.random() * this.#pending.length);
      const [next] = this.#pending.splice(at, 1);
      this.time += 1;
      await next?.run();
    }
    await work;
  }

  #enqueue<T>(process: number, isCreate: boolean, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#dead.has(process)) return;
      const run = async (): Promise<void> => {
        // A dead process' request may or may not have left it.
        if (this.#dead.has(process) && this.random() < 0.5) return;
        try {
          const result = await work();
          if (!this.#dead.has(process)) resolve(result);
        } catch (error) {
          if (!this.#dead.has(process)) reject(error);
        }
      };
      this.#pending.push({ process, isCreate, run });
    });
  }

  async #create(key: ObjectKey, body: Uint8Array): Promise<CreateOutcome> {
    const { lostReply, lostRequest, conflict } = this.faults;
    const roll = this.random();
    const cause = new Error('simulated');
    if (roll < lostRequest) return { outcome: 'unknown', cause };
    if (roll < lostRequest + conflict) return { outcome: 'conflict', date: this.time };
    const outcome = await this.store.create(key, body);
    return roll < lostRequest + conflict + lostReply ? { outcome: 'unknown', cause } : outcome;
  }
}

/** The process dies at call `at`, before or after the store did it: no call answers from then on. */
export class DyingStore extends MemoryStore {
  readonly death: Promise<false>;
  readonly #inner: MemoryStore;
  readonly #fate: { readonly at: number; readonly moment: 'before' | 'after' };
  #die: () => void = () => {};
  #calls = 0;

  constructor(
    inner: MemoryStore,
    fate: { readonly at: number; readonly moment: 'before' | 'after' },
  ) {
    super();
    this.#inner = inner;
    this.#fate = fate;
    this.death = new Promise((resolve) => {
      this.#die = () => resolve(false);
    });
  }

  override read(key: ObjectKey, range?: ByteRange, options?: CallOptions) {
    return this.#call(() => this.#inner.read(key, range, options));
  }

  override create(key: ObjectKey, body: Uint8Array) {
    return this.#call(() => this.#inner.create(key, body));
  }

  override put(key: ObjectKey, body: Uint8Array) {
    return this.#call(() => this.#inner.put(key, body));
  }

  override list(options: ListOptions) {
    return this.#call(() => this.#inner.list(options));
  }

  async #call<T>(work: () => Promise<T>): Promise<T> {
    const { at, moment } = this.#fate;
    const call = this.#calls++;
    if (call < at) return work();
    if (call === at && moment === 'after') await work();
    this.#die();
    return new Promise(() => {});
  }
}
