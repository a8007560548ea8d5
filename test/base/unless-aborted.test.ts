import { expect, it } from 'vitest';
import { unlessAborted } from '../../base/unless-aborted.ts';

it('gives what the work gives, until the signal fires; what comes later is handed over', async () => {
  const { signal } = new AbortController();
  const late: number[] = [];
  const onLate = (value: number) => late.push(value);
  expect(await unlessAborted(signal, Promise.resolve(1), onLate)).toBe(1);
  const failed = unlessAborted(signal, Promise.reject(new Error('no')), onLate);
  await expect(failed).rejects.toThrow('no');
  const leaving = new AbortController();
  const finish = new AbortController();
  const work = new Promise<number>((resolve) => {
    finish.signal.addEventListener('abort', () => resolve(2));
  });
  const waiting = unlessAborted(leaving.signal, work, onLate);
  leaving.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
  finish.abort();
  await work;
  expect(late).toEqual([2]);
  const after = unlessAborted(leaving.signal, Promise.reject(new Error('unseen')), onLate);
  await expect(after).rejects.toThrow('left');
});
