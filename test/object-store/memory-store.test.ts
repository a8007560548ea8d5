import { expect, it } from 'vitest';
import { MemoryStore } from '../../object-store/memory-store.ts';
import { objectKey } from '../../object-store/object-key.ts';
import { describeObjectStore } from './contract.ts';

describeObjectStore('memory', async () => ({ store: new MemoryStore(), close: async () => {} }));

it('tells the time of the clock it was given', async () => {
  let now = 1_000;
  const store = new MemoryStore({ clock: { now: () => now } });
  const key = objectKey('a');
  expect(await store.create(key, new Uint8Array(1))).toEqual({ outcome: 'created', date: 1_000 });
  now = 90_000_000;
  expect((await store.read(key))?.date).toBe(90_000_000);
  const listed = await store.list({ prefix: '', max: 1 });
  expect([listed.date, listed.objects[0]?.modified]).toEqual([90_000_000, 1_000]);
});
