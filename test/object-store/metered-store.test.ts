import { afterAll, expect, it } from 'vitest';
import { MemoryStore } from '../../object-store/memory-store.ts';
import { emptyUsage, MeteredStore } from '../../object-store/metered-store.ts';
import { objectKey } from '../../object-store/object-key.ts';
import type { ObjectStore, StoreRequest } from '../../object-store/port.ts';
import { S3Store } from '../../object-store/s3-store.ts';
import { describeObjectStore } from './contract.ts';
import { FaultServer } from './fault-server.ts';

const server = await FaultServer.start();
afterAll(() => server.close());

describeObjectStore('metered', async () => ({
  store: new MeteredStore(new MemoryStore(), emptyUsage()),
  close: async () => {},
}));

function s3(): S3Store {
  return server.store({
    retry: { budgetMs: 2_000, throttledBudgetMs: 2_000, firstDelayMs: 1, delayMsMax: 10 },
  });
}

async function useAll(store: ObjectStore): Promise<void> {
  const [a, b] = [objectKey('a'), objectKey('b')];
  await store.create(a, new Uint8Array(10));
  await store.create(a, new Uint8Array(10));
  await store.put(b, new Uint8Array(5));
  await store.read(a);
  await store.read(a, { start: 1, end: 3 });
  await store.read(objectKey('absent'));
  await store.list({ prefix: '', max: 9 });
  const writer = await store.writer(objectKey('c'));
  await writer.write(new Uint8Array(4));
  await writer.finish();
  await store.remove([a, b]);
}

it('adds up requests and bytes of every kind of call, the same over memory and S3', async () => {
  const right = { reads: 3, writes: 4, lists: 1, removes: 1, bytesRead: 12, bytesWritten: 19 };
  for (const inner of [new MemoryStore(), s3()]) {
    const usage = emptyUsage();
    await useAll(new MeteredStore(inner, usage));
    expect(usage).toEqual(right);
  }
});

it('counts retries and parts, since they are what is paid', async () => {
  const usage = emptyUsage();
  const store = new MeteredStore(s3(), usage);
  const key = objectKey('large');
  const slowDown = { do: 'status', status: 503, code: 'SlowDown' } as const;
  const isPart = ({ query }: { query: URLSearchParams }) => query.has('partNumber');
  server.inject({ when: isPart, times: 2, action: slowDown });
  const writer = await store.writer(key);
  await writer.write(new Uint8Array(20 << 20));
  await writer.finish();
  // Begin, three parts, two of them again, the end; then a look at the size.
  expect(usage).toMatchObject({ writes: 7, reads: 1, bytesWritten: 20 << 20 });
  server.inject({ when: ({ method }) => method === 'GET', times: 3, action: slowDown });
  await store.read(key, { start: 0, end: 8 });
  expect(usage).toMatchObject({ reads: 5, writes: 7, bytesRead: 8, bytesWritten: 20 << 20 });
});

it('passes on dates, signals and the meter of whoever is above', async () => {
  const seen: (StoreRequest | number)[] = [];
  const options = {
    onDate: (date: number) => seen.push(date),
    onRequest: (request: StoreRequest) => seen.push(request),
  };
  const usage = emptyUsage();
  const clock = { now: () => 7 };
  const store = new MeteredStore(new MeteredStore(new MemoryStore({ clock }), usage), usage);
  await store.read(objectKey('a'), undefined, options);
  expect(seen).toEqual(['read', 7]);
  expect(usage.reads).toBe(2);
  const signal = AbortSignal.abort(new Error('gone'));
  await expect(store.list({ prefix: '', max: 1, signal })).rejects.toThrow('gone');
});
