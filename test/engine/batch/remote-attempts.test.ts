import { expect, test } from 'vitest';
import type { Clock } from '../../../base/clock.ts';
import { type Outcome, untilReply } from '../../../engine/batch/remote-attempts.ts';

/** Time passes by sleeping alone, and at once. */
class VirtualClock implements Clock {
  #now = 1_000_000;
  readonly slept: number[] = [];

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    // The timer of the deadline: it never comes here.
    if (signal !== undefined) {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error())));
    }
    this.slept.push(ms);
    this.#now += ms;
  }

  random(): number {
    return 0.5;
  }

  randomId(): string {
    return '0'.repeat(32);
  }
}

const reply = new Uint8Array(1);
const throttled: Outcome = { outcome: 'throttled', why: 'busy' };
const unreachable: Outcome = { outcome: 'unreachable', why: 'away' };
const died: Outcome = { outcome: 'died', why: 'gone' };
const elsewhere: Outcome = { outcome: 'elsewhere', why: 'old' };

async function run(outcomes: readonly Outcome[], last: Outcome = { outcome: 'reply', reply }) {
  const clock = new VirtualClock();
  const numbers: number[] = [];
  let retries = 0;
  const left = [...outcomes];
  const done = untilReply(
    async (number) => {
      numbers.push(number);
      return left.shift() ?? last;
    },
    { attempt: 1, onRetry: () => retries++ },
    clock,
  );
  const error = await done.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { error, clock, numbers, retries };
}

test('attempts are numbered from the first one, and repetitions told', async () => {
  const { numbers, retries, error } = await run([elsewhere, died, unreachable]);
  expect(error).toBeUndefined();
  expect(numbers).toEqual([1, 2, 3, 4]);
  expect(retries).toBe(3);
});

test('what was asked for is waited for, with growing delays on top', async () => {
  const { clock } = await run([{ ...throttled, retryAfterMs: 2000 }, throttled, throttled]);
  expect(clock.slept).toEqual([2000 * 1.125 + 50, 100, 200]);
  const far = await run([{ ...throttled, retryAfterMs: 3_600_000 }]);
  expect(far.clock.slept[0]).toBeLessThan(12_000);
});

test.each([
  ['throttled', throttled, 'TOO_MANY_SIMULTANEOUS_QUERIES', 4 * 60_000],
  ['unreachable', unreachable, 'NETWORK_ERROR', 15_000],
  ['dead twice', died, 'NETWORK_ERROR', 0],
  ['sent on for ever', elsewhere, 'NETWORK_ERROR', 0],
] as const)('%s for good is given up', async (_, outcome, errorName, msMax) => {
  const { error, clock } = await run([], outcome);
  expect(error).toMatchObject({ errorName });
  const waited = clock.slept.reduce((sum, ms) => sum + ms, 0);
  expect(waited).toBeLessThanOrEqual(msMax);
  expect(waited).toBeGreaterThanOrEqual(msMax * 0.6);
});

test('what an attempt throws ends it', async () => {
  const clock = new VirtualClock();
  const done = untilReply(() => Promise.reject(new Error('for good')), {}, clock);
  await expect(done).rejects.toThrow('for good');
});
