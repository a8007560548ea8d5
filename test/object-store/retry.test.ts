import { expect, it } from 'vitest';
import type { Clock } from '../../base/clock.ts';
import { retrying } from '../../object-store/retry.ts';

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

const policy = { budgetMs: 1_000, firstDelayMs: 10, delayMsMax: 100 };

it('waits longer each time, up to the greatest delay, until the budget is spent', async () => {
  const { clock, slept } = manualClock(0.5);
  let calls = 0;
  const failing = async () => {
    calls++;
    throw new Error('again');
  };
  const run = retrying(failing, { clock, policy, retryable: () => true });
  await expect(run).rejects.toThrow('again');
  expect(slept.slice(0, 6)).toEqual([5, 10, 20, 40, 50, 50]);
  expect(slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(policy.budgetMs);
  expect(calls).toBe(slept.length + 1);
});

it('stops at the first success, at what is not retryable, and for a caller that is gone', async () => {
  const { clock, slept } = manualClock(0.5);
  const options = { clock, policy, retryable: (error: unknown) => String(error).includes('again') };
  expect(await retrying(twice, options)).toBe(2);
  expect(slept).toHaveLength(2);
  await expect(retrying(definite, options)).rejects.toThrow('no');
  const signal = AbortSignal.abort(new Error('gone'));
  await expect(retrying(twice, { ...options, signal })).rejects.toThrow('gone');
  expect(slept).toHaveLength(2);
});
