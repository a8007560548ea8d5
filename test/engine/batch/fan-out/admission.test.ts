// Waiting for slots: turns, deadlines, giving up. In virtual time.

import { expect, it } from 'vitest';
import { VirtualClock } from '../../../../bench/fan-out/virtual-clock.ts';
import { Admission, type Admitted } from '../../../../engine/batch/fan-out/admission.ts';

function open(slots: number) {
  const clock = new VirtualClock(1);
  return { clock, admission: new Admission(slots, clock) };
}

it('is no wait where slots are free, and a turn where they come back', async () => {
  const { clock, admission } = open(4);
  const times: number[] = [];
  const question = async (slots: number, ms: number) => {
    const admitted = await admission.enter(slots, { deadline: 1000 });
    times.push(clock.now());
    await clock.sleep(ms);
    admitted.releaseAll();
  };
  await clock.run(Promise.all([question(3, 10), question(4, 10), question(1, 100)]));
  expect(times).toEqual([0, 0, 100]);
  expect(admission.free).toBe(4);
});

it('slots come back one by one, and never more than are held', async () => {
  const { clock, admission } = open(4);
  const admitted = await clock.run(admission.enter(3));
  admitted.release(2);
  expect(admission.free).toBe(3);
  expect(admitted.tryTake()).toBe(true);
  expect(admission.free).toBe(2);
  admitted.releaseAll();
  admitted.releaseAll();
  admitted.release(5);
  expect(admission.free).toBe(4);
});

it('a lone question may have nearly all slots, others a part, a quarter at least', () => {
  const { admission } = open(300);
  expect([0, 1, 2, 3, 40].map((others) => admission.share(others))).toEqual([
    273, 150, 100, 75, 75,
  ]);
  expect([0, 1, 9].map((others) => open(3).admission.share(others))).toEqual([3, 1, 1]);
});

it('a deadline that passes while waiting is a clear error, and leaves the queue', async () => {
  const { clock, admission } = open(2);
  const first = await clock.run(admission.enter(2));
  const late = admission.enter(1, { deadline: 250 });
  await expect(clock.run(late)).rejects.toMatchObject({
    errorName: 'TOO_MANY_SIMULTANEOUS_QUERIES',
    http: 429,
    message: expect.stringMatching(/2 worker slots.*Try again/s),
  });
  expect(clock.now()).toBe(250);
  expect(admission.waiting).toBe(0);
  first.releaseAll();
  expect(admission.free).toBe(2);
});

it('who is aborted while waiting makes way for others', async () => {
  const { clock, admission } = open(2);
  const first = await clock.run(admission.enter(1));
  const controller = new AbortController();
  const large = admission.enter(2, { signal: controller.signal, deadline: 1e9 });
  const ended = large.catch((error: unknown) => error);
  const small = admission.enter(1).then(() => admission.enter(1));
  await Promise.resolve();
  controller.abort();
  expect(await clock.run(ended)).toMatchObject({ errorName: 'QUERY_WAS_CANCELLED' });
  first.release(1);
  const second: Admitted = await clock.run(small);
  expect(admission.free).toBe(0);
  second.releaseAll();
  expect(admission.free).toBe(1);
});

it('who is aborted before is not let in', async () => {
  const { clock, admission } = open(2);
  await clock.run(admission.enter(2));
  const waiting = admission.enter(1, { signal: AbortSignal.abort() });
  await expect(clock.run(waiting)).rejects.toMatchObject({ errorName: 'QUERY_WAS_CANCELLED' });
  expect(admission.waiting).toBe(0);
});
