import { expect, it } from 'vitest';
import { ConcurrencyLimit } from '../../object-store/concurrency-limit.ts';

it('lets as many in as allowed, and the others in their order', async () => {
  const limit = new ConcurrencyLimit(2);
  const entered: number[] = [];
  const enter = async (n: number) => {
    await limit.enter();
    entered.push(n);
  };
  await Promise.all([enter(1), enter(2)]);
  const later = [enter(3), enter(4)];
  await Promise.resolve();
  expect([entered, limit.running, limit.waiting]).toEqual([[1, 2], 2, 2]);
  limit.leave();
  await later[0];
  expect(entered).toEqual([1, 2, 3]);
  limit.leave();
  await later[1];
  expect([entered, limit.running, limit.waiting]).toEqual([[1, 2, 3, 4], 2, 0]);
});

it('halves once for all that were under way together, down to one, and grows by rounds', async () => {
  const limit = new ConcurrencyLimit(16);
  const slots = await Promise.all(Array.from({ length: 16 }, () => limit.enter()));
  for (const slot of slots) limit.throttled(slot);
  expect(limit.allowed).toBe(8);
  for (let i = 0; i < 6; i++) {
    limit.leave();
    limit.throttled({ generation: i + 1 });
  }
  expect(limit.allowed).toBe(1);
  const rounds = (count: number) => {
    for (let i = 0; i < count; i++) {
      for (let sent = limit.allowed; sent > 0; sent--) limit.succeeded();
    }
  };
  rounds(8);
  expect(limit.allowed).toBeGreaterThanOrEqual(7);
  expect(limit.allowed).toBeLessThanOrEqual(9);
  rounds(20);
  expect(limit.allowed).toBe(16);
});

it('who leaves while waiting takes no place', async () => {
  const limit = new ConcurrencyLimit(1);
  await limit.enter();
  const leaving = new AbortController();
  const waiting = limit.enter(leaving.signal);
  const next = limit.enter();
  leaving.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  limit.leave();
  await next;
  expect([limit.running, limit.waiting]).toEqual([1, 0]);
});
