import { expect, it } from 'vitest';
import { MemoryStore } from '../../object-store/memory-store.ts';
import { objectKey } from '../../object-store/object-key.ts';
import { FaultyStore, writingCalls } from './faulty-store.ts';

const key = objectKey('a');
const body = new Uint8Array(3);

it('fails the k-th call alone, before or after it ran', async () => {
  const inner = new MemoryStore();
  const store = new FaultyStore(inner, { at: 1, moment: 'after', kind: 'fail', calls: ['create'] });
  expect((await store.create(key, body)).outcome).toBe('created');
  expect((await store.create(objectKey('b'), body)).outcome).toBe('unknown');
  expect(await inner.read(objectKey('b'))).toBeDefined();
  expect((await store.create(objectKey('c'), body)).outcome).toBe('created');
  expect(store.count).toBe(3);
});

it('can go on failing, and can be full at any write', async () => {
  const inner = new MemoryStore();
  const fault = { at: 1, everyLater: true, moment: 'before', kind: 'full' } as const;
  const store = new FaultyStore(inner, { ...fault, calls: writingCalls });
  const writer = await store.writer(key);
  await writer.write(body);
  await expect(writer.finish()).rejects.toMatchObject({ errorName: 'NOT_ENOUGH_SPACE' });
  await expect(store.put(key, body)).rejects.toMatchObject({ errorName: 'NOT_ENOUGH_SPACE' });
  await expect(store.create(key, body)).rejects.toMatchObject({ errorName: 'NOT_ENOUGH_SPACE' });
  expect(await store.read(key)).toBeUndefined();
});
