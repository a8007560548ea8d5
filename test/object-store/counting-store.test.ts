import { expect, it } from 'vitest';
import { CountingStore } from '../../object-store/counting-store.ts';
import { MemoryStore } from '../../object-store/memory-store.ts';
import { objectKey } from '../../object-store/object-key.ts';
import { describeObjectStore } from './contract.ts';

describeObjectStore('counting', async () => ({
  store: new CountingStore(new MemoryStore()),
  close: async () => {},
}));

it('counts calls, bytes and dependent rounds', async () => {
  const store = new CountingStore(new MemoryStore());
  const [a, b, absent] = [objectKey('a'), objectKey('b'), objectKey('absent')];
  await Promise.all([store.put(a, new Uint8Array(10)), store.put(b, new Uint8Array(5))]);
  await store.create(objectKey('c'), new Uint8Array(3));
  await Promise.all([store.read(a), store.read(b, { start: 1, end: 3 }), store.read(absent)]);
  await store.list({ prefix: '', max: 9 });
  const writer = await store.writer(objectKey('d'));
  await writer.write(new Uint8Array(4));
  await writer.finish();
  await store.remove([a]);
  expect(store.counts()).toEqual({
    reads: 3,
    absentReads: 1,
    creates: 1,
    puts: 3,
    lists: 1,
    removes: 1,
    bytesRead: 12,
    bytesWritten: 22,
    rounds: 6,
  });
  expect(store.calls.map((call) => call.round)).toEqual([1, 1, 2, 3, 3, 3, 4, 5, 6]);
  store.reset();
  expect([store.counts().rounds, store.calls.length]).toEqual([0, 0]);
});
