// One worker gets what many would get.

import { expect, it } from 'vitest';
import { isTinyBatch, planBatch } from '../../../../engine/batch/fan-out/batch-plan.ts';
import { slicesOf } from '../../../../engine/batch/slices.ts';
import { contractWorld, longQuestionOf, questionOf } from '../invoker-contract.ts';

it('the slices of a batch are the same for one worker as for many with little to do', async () => {
  const batch = questionOf(await contractWorld());
  for (const rangesPerGroup of [1, 3]) {
    const one = planBatch(batch, { invocationsMax: 1, invocationMsMin: 0, rangesPerGroup });
    expect(one).toEqual({ invocations: [slicesOf(batch, rangesPerGroup)] });
    expect(planBatch(batch, { invocationsMax: 9, invocationMsMin: 40, rangesPerGroup })).toEqual(
      one,
    );
    const many = planBatch(batch, { invocationsMax: 9, invocationMsMin: 0, rangesPerGroup });
    expect(many.invocations.flat()).toEqual(one.invocations.flat());
    expect(many.invocations.length).toBeGreaterThanOrEqual(3);
  }
});

it('next to nothing is tiny, and less so among others', async () => {
  const world = await contractWorld();
  expect(isTinyBatch(longQuestionOf(world, 1), 9)).toBe(true);
  const rows = Array.from({ length: 18 }, (_, i) => 2 ** i);
  const sizes = rows.map((count) => longQuestionOf(world, count));
  const alone = sizes.filter((batch) => isTinyBatch(batch, 0)).length;
  const among = sizes.filter((batch) => isTinyBatch(batch, 3)).length;
  expect(alone).toBeLessThan(sizes.length);
  expect(among).toBeLessThan(alone);
});
