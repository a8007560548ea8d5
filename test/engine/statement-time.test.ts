import { expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { settledInTime, withinTime } from '../../engine/statement-time.ts';

const clock = systemClock;

it('work that goes on after the end is left alone, the statement ends', async () => {
  const stop = new AbortController();
  const waiting = withinTime({ signal: stop.signal, clock }, new Promise(() => {}));
  stop.abort(new Error('out of time'));
  await expect(waiting).rejects.toThrow('out of time');
  const after = withinTime({ signal: stop.signal, clock }, new Promise(() => {}));
  await expect(after).rejects.toThrow('out of time');
});

it('work that heeds the end says by itself what it was waiting for', async () => {
  const stop = new AbortController();
  const heeding = new Promise<never>((_, reject) => {
    const say = () => reject(new Error('it was waiting for the store'));
    stop.signal.addEventListener('abort', say);
  });
  const waiting = withinTime({ signal: stop.signal, clock }, heeding);
  stop.abort(new Error('out of time'));
  await expect(waiting).rejects.toThrow('waiting for the store');
  expect(await withinTime({ signal: stop.signal, clock }, Promise.resolve(1))).toBe(1);
});

it('a commit that is not settled in time is said to be unknown, not to have failed', async () => {
  const stop = new AbortController();
  const clockOf = { ...clock, sleep: async () => {} };
  const waiting = settledInTime({ signal: stop.signal, clock: clockOf }, new Promise(() => {}));
  stop.abort(new Error('out of time'));
  await expect(waiting).rejects.toMatchObject({ errorName: 'UNKNOWN_STATUS_OF_INSERT' });
  const definite = new Error('nothing was written');
  const failed = settledInTime({ signal: stop.signal, clock }, Promise.reject(definite));
  await expect(failed).rejects.toBe(definite);
});
