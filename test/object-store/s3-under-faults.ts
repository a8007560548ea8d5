// An S3 store, its server whose requests can be made to fail, and what it takes to say which and to see
// what was sent. For a file of tests: importing it starts the server, and ends it with them.

import { afterAll, afterEach } from 'vitest';
import { objectKey } from '../../object-store/object-key.ts';
import type { ObjectKey, ObjectStore } from '../../object-store/port.ts';
import type { S3Store, S3StoreOptions } from '../../object-store/s3-store.ts';
import type { FaultAction, SeenRequest } from './fault.ts';
import { FaultServer } from './fault-server.ts';

export const body = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 7919) >>> 3));
export const server = await FaultServer.start();
export const store: ObjectStore = newStore();
/** For what ends at the time limit of a request. */
export const hasty: ObjectStore = newStore({ requestTimeoutMs: 250 });

// The SDK's first requests take longer than that.
await stored('first');
afterEach(() => server.reset());
afterAll(() => server.close());

export function newStore(options: Partial<S3StoreOptions> = {}): S3Store {
  return server.store({
    requestTimeoutMs: 5_000,
    retry: { budgetMs: 1_500, throttledBudgetMs: 1_500, firstDelayMs: 5, delayMsMax: 50 },
    ...options,
  });
}

/** The next requests of this method meet the fault. */
export function on(method: string, action: FaultAction, times = 1): void {
  server.inject({ when: (request) => request.method === method, times, action });
}

/** An object of that name holds `body`; nothing has been seen. */
export async function stored(name: string): Promise<ObjectKey> {
  const key = objectKey(name);
  await store.create(key, body);
  server.reset();
  return key;
}

export function seen(method: string): readonly SeenRequest[] {
  return server.seen.filter((request) => request.method === method);
}
