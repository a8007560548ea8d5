// Time, randomness and timers pass through this file alone, so that simulations can replace them.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

export interface Clock {
  /** Wall clock, milliseconds since the epoch. */
  now(): number;
  /** Monotonic milliseconds, for durations. */
  monotonic(): number;
  /** 0: until sockets and files that are ready have been served once. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls once after so long; gives back how to prevent it. Absent: `alarm` makes it of `sleep`. */
  after?(ms: number, ring: () => void): () => void;
  /** Uniform in [0, 1). */
  random(): number;
  /** 32 lower-case hex digits, unguessable. */
  randomId(): string;
}

/** Timers of Node end at once when they are longer. */
const timerMsMax = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    const options = signal === undefined ? {} : { signal };
    // Timers of 0 that several loops set again and again keep Node from ever looking at its sockets.
    if (ms === 0) await turn(undefined, options);
    else await delay(ms, undefined, options);
  },
  after: (ms, ring) => {
    const timer = setTimeout(ring, Math.min(ms, timerMsMax));
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  randomId: () => randomBytes(16).toString('hex'),
};

/** For what hardly ever happens: to prevent it is cheap, where aborting a sleep makes an error. */
export function alarm(clock: Clock, ms: number, ring: () => void): () => void {
  if (clock.after !== undefined) return clock.after(ms, ring);
  const stop = new AbortController();
  clock.sleep(ms, stop.signal).then(ring, () => {});
  return () => stop.abort();
}
