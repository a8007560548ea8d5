import { expect, it } from 'vitest';
import type { Clock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { type RetryVerdict, retrying } from '../../object-store/retry.ts';

/** Time passes only by sleeping; `slept` holds each delay. */
function manualClock(random: number): { readonly clock: Clock; readonly slept: number[] } {
  const slept: number[] = [];
  let now = 0;
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
    },
    random: () => random,
    randomId: () => '',
  };
  return { clock, slept };
}

async function twice(failures: number): Promise<number> {
  if (failures < 2) throw new Error('again');
  return failures;
}

async function definite(): Promise<never> {
  throw new Error('no');
}

const policy = { budgetMs: 1_000, throttledBudgetMs: 5_000, firstDelayMs: 10, delayMsMax: 100 };

it('waits longer each time, up to the greatest delay, until the budget is spent', async () => {
  const { clock, slept } = manualClock(0.5);
  let calls = 0;
  const failing = async () => {
    calls++;
    throw new Error('again');
  };
  const run = retrying(failing, { clock, policy, verdictOf: () => 'again' });
  await expect(run).rejects.toThrow('again');
  expect(slept.slice(0, 6)).toEqual([5, 10, 20, 40, 50, 50]);
  expect(slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(policy.budgetMs);
  expect(calls).toBe(slept.length + 1);
});

it('stops at the first success, at what is not retryable, and for a caller that is gone', async () => {
  const { clock, slept } = manualClock(0.5);
  const verdictOf = (error: unknown) => (String(error).includes('again') ? 'again' : 'give-up');
  const options = { clock, policy, verdictOf } as const;
  expect(await retrying(twice, options)).toBe(2);
  expect(slept).toHaveLength(2);
  await expect(retrying(definite, options)).rejects.toThrow('no');
  const signal = AbortSignal.abort(new Error('gone'));
  await expect(retrying(twice, { ...options, signal })).rejects.toThrow('gone');
  expect(slept).toHaveLength(2);
});

/** Fails with each of these in turn, then answers how many attempts failed. */
function failingWith(...errors: readonly Error[]) {
  return async (failures: number) => {
    const error = errors[failures];
    if (error !== undefined) throw error;
    return failures;
  };
}

const verdictByMessage = (error: unknown): RetryVerdict =>
  error instanceof Error ? (error.message as RetryVerdict) : 'give-up';

it('a broken connection is replaced at once, the first time', async () => {
  const { clock, slept } = manualClock(0.5);
  const options = { clock, policy, verdictOf: verdictByMessage };
  const broken = new Error('at-once');
  expect(await retrying(failingWith(broken), options)).toBe(1);
  expect(slept).toEqual([]);
  expect(await retrying(failingWith(broken, broken, broken), options)).toBe(3);
  expect(slept).toEqual([10, 20]);
});

it('what may be cured is tried a second time, not a third', async () => {
  const { clock, slept } = manualClock(0.5);
  const options = { clock, policy, verdictOf: verdictByMessage };
  const once = new Error('once');
  expect(await retrying(failingWith(once), options)).toBe(1);
  expect(await retrying(failingWith(new Error('again'), once), options)).toBe(2);
  expect(slept).toEqual([5]);
  await expect(retrying(failingWith(once, once), options)).rejects.toThrow('once');
});

it('a store that asks for fewer requests is waited for longer than one that is gone', async () => {
  for (const [verdict, ms] of [
    ['again', 1_000],
    ['throttled', 5_000],
  ] as const) {
    const { clock } = manualClock(0.5);
    const failing = async () => {
      // As whoever reports throttling does.
      if (verdict === 'throttled') await clock.sleep(100);
      throw new Error(verdict);
    };
    const options = { clock, policy, verdictOf: verdictByMessage };
    await expect(retrying(failing, options)).rejects.toThrow(verdict);
    expect(Math.abs(clock.now() - ms)).toBeLessThanOrEqual(100);
  }
});

it('who leaves is told by its own reason, and what it was waiting for', async () => {
  const { clock } = manualClock(0.5);
  const leaving = new AbortController();
  const late = new MusterError('TIMEOUT_EXCEEDED', 'Timeout exceeded (5 s)');
  const failing = async (failures: number) => {
    if (failures === 3) leaving.abort(late);
    throw new Error('GET x failed: SlowDown');
  };
  const { signal } = leaving;
  const run = retrying(failing, { clock, policy, signal, verdictOf: () => 'again' });
  await expect(run).rejects.toMatchObject({
    errorName: 'TIMEOUT_EXCEEDED',
    message: 'Timeout exceeded (5 s); it was waiting for the store: GET x failed: SlowDown',
  });
});
