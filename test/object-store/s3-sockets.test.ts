import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../base/clock.ts';
import { objectKey } from '../../object-store/object-key.ts';
import { S3Store, type S3StoreOptions } from '../../object-store/s3-store.ts';
import { FaultServer } from './fault-server.ts';

let server: FaultServer;
const key = objectKey('some/object');
const body = Buffer.alloc(1000, 'sockets');

beforeAll(async () => {
  server = await FaultServer.start();
  server.model.put(key, body, undefined);
});
afterAll(() => server.close());

function newStore(options: Partial<S3StoreOptions> = {}): S3Store {
  return server.store(options);
}

async function read(store: S3Store): Promise<void> {
  expect((await store.read(key))?.bytes.length).toBe(body.length);
}

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !condition(); i++) await systemClock.sleep(5);
  expect(condition()).toBe(true);
}

/** What the system clock says, and a jump that a test makes. */
function jumpingClock(which: 'now' | 'monotonic') {
  let jumped = 0;
  const clock: Clock = { ...systemClock, [which]: () => systemClock[which]() + jumped };
  return { clock, jump: (ms: number) => (jumped += ms) };
}

it('connections are reused, and no more than may be under way', async () => {
  const store = newStore({ socketsMax: 3 });
  const before = server.connectionsMade;
  for (let i = 0; i < 5; i++) await read(store);
  expect(server.connectionsMade - before).toBe(1);
  await Promise.all(Array.from({ length: 40 }, () => read(store)));
  expect(server.connectionsMade - before).toBeLessThanOrEqual(3);
  await until(() => store.sockets().inUse === 0);
  expect(store.sockets()).toMatchObject({ queued: 0 });
  expect(store.sockets().idle).toBeLessThanOrEqual(3);
  await store.close();
});

it('an environment thawed after an hour uses no connection from before, by either clock', async () => {
  for (const which of ['now', 'monotonic'] as const) {
    const { clock, jump } = jumpingClock(which);
    const store = newStore({ clock });
    await Promise.all(Array.from({ length: 8 }, () => read(store)));
    await until(() => store.sockets().inUse === 0);
    server.reset();
    // Whatever comes by a connection of before finds nobody.
    server.inject({ when: ({ reused }) => reused, times: 1_000, action: { do: 'kill' } });
    jump(3_600_000);
    // A create has one attempt: nothing else would save it.
    const head = objectKey(`heads/${which}`);
    expect((await store.create(head, body)).outcome).toBe('created');
    expect(server.seen.map(({ reused }) => reused)).toEqual([false]);
    await store.close();
  }
  server.reset();
});

it('a create by a connection that died is unknown, and the next one is made by a new one', async () => {
  const store = newStore();
  await Promise.all(Array.from({ length: 8 }, () => read(store)));
  await until(() => store.sockets().inUse === 0);
  server.inject({ when: ({ reused }) => reused, times: 1_000, action: { do: 'kill' } });
  expect((await store.create(objectKey('heads/a'), body)).outcome).toBe('unknown');
  expect((await store.create(objectKey('heads/a'), body)).outcome).toBe('created');
  server.reset();
  await store.close();
});

it('nothing leaks: not by callers that leave, not by errors, and nothing is left by close', async () => {
  const store = newStore({ socketsMax: 16, requestTimeoutMs: 5_000 });
  const actions = [
    { do: 'stall' },
    { do: 'stall-body', fraction: 0.5 },
    { do: 'cut-body', fraction: 0.5 },
    { do: 'page', status: 200 },
    { do: 'status', status: 403, code: 'AccessDenied' },
    { do: 'ignore-range' },
  ] as const;
  for (const action of actions) {
    server.inject({ when: ({ headers }) => headers.range !== undefined, times: 20, action });
    const leaving = new AbortController();
    const { signal } = leaving;
    const reads = Array.from({ length: 20 }, () =>
      store.read(key, { start: 1, end: 900 }, { signal }).catch(() => undefined),
    );
    await systemClock.sleep(30);
    leaving.abort(new Error('left'));
    await Promise.all(reads);
    server.reset();
  }
  await read(store);
  await until(() => store.sockets().inUse === 0);
  await store.close();
  await until(() => server.connections === 0);
  expect(store.sockets()).toEqual({ inUse: 0, idle: 0, queued: 0 });
});

it('idle connections are closed after a few seconds', async () => {
  const store = newStore();
  await read(store);
  await until(() => store.sockets().idle === 1);
  await systemClock.sleep(3_800);
  await until(() => server.connections === 0);
  expect(store.sockets()).toEqual({ inUse: 0, idle: 0, queued: 0 });
}, 10_000);
