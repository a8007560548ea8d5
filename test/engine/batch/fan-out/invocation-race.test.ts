// Invocations side by side, hedged, in virtual time: who wins, who is aborted, which failures count.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../bench/fan-out/virtual-clock.ts';
import { HedgeBudget } from '../../../../engine/batch/fan-out/hedging.ts';
import {
  type RaceOptions,
  raceInvocations,
} from '../../../../engine/batch/fan-out/invocation-race.ts';

/** How long attempts of one invocation take; a negative time ends in a failure. */
type Script = readonly (readonly number[])[];

function race(script: Script, given: Partial<RaceOptions> = {}) {
  const clock = new VirtualClock(1);
  const log: string[] = [];
  const budget = new HedgeBudget();
  budget.earn(100);
  const run = raceInvocations(
    script.length,
    async (position, { attempt, signal }) => {
      const ms = script[position]![attempt]!;
      const name = `${position}.${attempt}`;
      try {
        await clock.sleep(Math.abs(ms), signal);
      } catch (error) {
        log.push(`${name} aborted at ${clock.now()}`);
        throw error;
      }
      if (ms < 0) throw new Error(`${name} failed`);
      return name;
    },
    { clock, budget, ...given },
  );
  return { clock, log, result: clock.run(run) };
}

const nine = Array.from({ length: 9 }, () => [100]);

describe('hedging', () => {
  it('sends the slowest again, the first reply wins and the other is aborted', async () => {
    const { clock, log, result } = race([...nine, [5000, 100]]);
    expect(await result).toEqual({
      replies: [...nine.map((_, i) => `${i}.0`), '9.1'],
      hedged: 1,
    });
    expect(clock.now()).toBe(150 + 100);
    expect(log).toEqual(['9.0 aborted at 250']);
  });

  it('the first may win too', async () => {
    const { clock, log, result } = race([...nine, [180, 100]]);
    expect((await result).replies[9]).toBe('9.0');
    expect(clock.now()).toBe(180);
    expect(log).toEqual(['9.1 aborted at 180']);
  });

  it('is not done without a budget, beyond it, or without a slot', async () => {
    const slow = [...nine, [5000, 100]];
    for (const given of [
      { budget: undefined },
      { budget: new HedgeBudget() },
      { takeSlot: () => false },
    ]) {
      const { clock, result } = race(slow.slice(1), given);
      expect(await result).toMatchObject({ hedged: 0 });
      expect(clock.now()).toBe(5000);
    }
  });

  it('is not done for a lone invocation', async () => {
    const { clock, result } = race([[5000, 1]]);
    expect(await result).toEqual({ replies: ['0.0'], hedged: 0 });
    expect(clock.now()).toBe(5000);
  });
});

describe('failures', () => {
  it('the first definite one cancels the rest, and is what is raised', async () => {
    const { clock, log, result } = race([[300], [-100], [-200], [400]]);
    await expect(result).rejects.toThrow('1.0 failed');
    expect(clock.now()).toBe(100);
    expect(log).toEqual(['0.0 aborted at 100', '2.0 aborted at 100', '3.0 aborted at 100']);
  });

  it('of a second attempt does not count while the first may succeed, and the other way round', async () => {
    const first = race([...nine, [400, -100]]);
    expect((await first.result).replies[9]).toBe('9.0');
    const second = race([...nine, [-300, 400]]);
    expect((await second.result).replies[9]).toBe('9.1');
    expect(second.clock.now()).toBe(150 + 400);
  });

  it('of both attempts is the failure of the invocation', async () => {
    const { clock, result } = race([...nine, [-300, -400]]);
    await expect(result).rejects.toThrow('9.1 failed');
    expect(clock.now()).toBe(550);
  });
});

describe('aborting', () => {
  it('ends what is on its way', async () => {
    const controller = new AbortController();
    const { log, result } = race([[100], [200]], { signal: controller.signal });
    controller.abort();
    await expect(result).rejects.toMatchObject({ errorName: 'QUERY_WAS_CANCELLED' });
    expect(log).toEqual(['0.0 aborted at 0', '1.0 aborted at 0']);
  });

  it('before the start sends nothing', async () => {
    const { log, result } = race([[100]], { signal: AbortSignal.abort() });
    await expect(result).rejects.toMatchObject({ errorName: 'QUERY_WAS_CANCELLED' });
    expect(log).toEqual([]);
  });
});

it('tells of every attempt that has ended', async () => {
  const ended: number[] = [];
  const { result } = race([...nine, [5000, 100]], { onEnd: (position) => ended.push(position) });
  await result;
  await Promise.resolve();
  expect(ended.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9]);
});
