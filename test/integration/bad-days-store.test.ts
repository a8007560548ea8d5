// The store's bad days, seen by who asks: an engine over a strict S3 server that refuses, throttles,
// moves or keeps another time. Each ends well or in a clear error within the deadline, and what was
// in the store is in it afterwards.

import { afterEach, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { openStore } from '../../object-store/open-store.ts';
import { S3Store, type S3StoreOptions } from '../../object-store/s3-store.ts';
import { Session } from '../engine/queries/session.ts';
import {
  FaultServer,
  faultServerBucket,
  faultServerCredentials,
  readOnlyCredentials,
} from '../object-store/fault-server.ts';
import type { Habits } from '../object-store/s3-model.ts';

let server: FaultServer | undefined;
const stores: S3Store[] = [];

afterEach(async () => {
  for (const store of stores.splice(0)) {
    await store.close();
    expect(store.sockets()).toMatchObject({ queued: 0 });
  }
  await server?.close();
});

const setUp = [
  'CREATE DATABASE bm',
  'CREATE TABLE t (tag UInt32, users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY tag',
  'INSERT INTO t SELECT number % 3, groupBitmapState(number) FROM numbers(300) GROUP BY 1',
];
const insert =
  'INSERT INTO t SELECT number % 3, groupBitmapState(number) FROM numbers(600) GROUP BY 1';
const ask = 'SELECT count(), groupBitmapMerge(users) FROM t';
const before = '3\t300';

function storeOf(at: FaultServer, options: Partial<S3StoreOptions> = {}): S3Store {
  const store = at.store({ prefix: 'root', ...options });
  stores.push(store);
  return store;
}

/** A store with 300 users in it. */
async function begun(habits: Habits = {}): Promise<FaultServer> {
  server = await FaultServer.start(habits);
  const session = await Session.open({ store: storeOf(server) });
  for (const sql of setUp) await session.ask(sql);
  server.reset();
  return server;
}

async function expectAsBefore(at: FaultServer): Promise<void> {
  at.reset();
  const session = await Session.open({ store: storeOf(at) });
  expect((await session.ask(ask)).text).toBe(before);
}

it('read-only credentials answer questions and refuse an INSERT with what is missing', async () => {
  const at = await begun();
  const told: string[] = [];
  const store = await openStore(`s3://${faultServerBucket}/root`, {
    clock: systemClock,
    endpoint: at.endpoint,
    credentials: readOnlyCredentials,
    onReadOnly: () => told.push('read-only'),
  });
  const session = await Session.open({ store });
  expect(told).toEqual(['read-only']);
  expect((await session.ask(ask)).text).toBe(before);
  for (const sql of [insert, 'CREATE TABLE t2 (n UInt32) ENGINE = MergeTree ORDER BY n']) {
    await expect(session.ask(sql)).rejects.toMatchObject({
      errorName: 'S3_ERROR',
      message: expect.stringContaining('only questions can be answered: grant s3:PutObject'),
    });
  }
  await store.close();
  await expectAsBefore(at);
});

it('read-only credentials over a store that nobody has begun: says why it cannot be begun', async () => {
  server = await FaultServer.start();
  const store = storeOf(server, { credentials: readOnlyCredentials });
  await expect(Session.open({ store })).rejects.toThrow('grant s3:PutObject');
});

it('a clock 20 minutes off changes nothing, from the first request on', async () => {
  for (const clockAheadMs of [-20 * 60_000, 20 * 60_000]) {
    const at = await begun({ clockAheadMs });
    const session = await Session.open({ store: storeOf(at) });
    await session.ask(insert);
    expect((await session.ask(ask)).text).toBe('3\t600');
    await at.close();
  }
});

it('credentials that expire between two statements are renewed, unseen', async () => {
  const expiredTokens = new Set<string>();
  const at = await begun({ expiredTokens });
  let token = 0;
  const credentials = async () => ({ ...faultServerCredentials, sessionToken: `${++token}` });
  const session = await Session.open({ store: storeOf(at, { credentials }) });
  expect((await session.ask(ask)).text).toBe(before);
  expiredTokens.add('1');
  await session.ask(insert);
  expiredTokens.add('2');
  expect((await session.ask(ask)).text).toBe('3\t600');
});

it('an environment thawed after an hour goes on, though all its connections are dead', async () => {
  const at = await begun();
  let slept = 0;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + slept };
  const session = await Session.open({ store: storeOf(at, { clock }) });
  expect((await session.ask(ask)).text).toBe(before);
  at.inject({ when: ({ reused }) => reused, times: 4, action: { do: 'kill' } });
  slept = 3_600_000;
  await session.ask(insert);
  expect((await session.ask(ask)).text).toBe('3\t600');
});

/** Time passes 50 times as fast: minutes of throttling are seconds here. */
function fastClock(): Clock {
  const start = systemClock.monotonic();
  return {
    ...systemClock,
    monotonic: () => (systemClock.monotonic() - start) * 50,
    sleep: (ms, signal) => systemClock.sleep(ms / 50, signal),
  };
}

it('throttling for two minutes is waited for: fewer at once, and nothing is lost', async () => {
  const at = await begun();
  // Requests get their time in fast milliseconds too.
  const options = { clock: fastClock(), requestTimeoutMs: 500_000, socketsMax: 32 };
  const store = storeOf(at, options);
  const session = await Session.open({ store });
  const end = options.clock.monotonic() + 120_000;
  let refused = 0;
  at.inject({
    when: () => {
      const isThrottled = options.clock.monotonic() < end;
      if (isThrottled) refused++;
      return isThrottled;
    },
    times: 1e9,
    action: { do: 'status', status: 503, code: 'SlowDown' },
  });
  const asks = Array.from({ length: 30 }, () => session.ask(ask));
  const answers = new Set((await Promise.all(asks)).map(({ text }) => text));
  expect([...answers]).toEqual([before]);
  // 30 questions for two minutes, each as often as it may alone, would be some 3,600.
  expect(refused).toBeGreaterThan(30);
  expect(refused).toBeLessThan(1_000);
});

it('throttling past the deadline: an error within it, and nothing is lost', async () => {
  const at = await begun();
  const session = await Session.open({ store: storeOf(at) });
  const slowDown = { do: 'status', status: 503, code: 'SlowDown' } as const;
  at.inject({ when: () => true, times: 1e9, action: slowDown });
  const settings = { max_execution_time: '1' };
  for (const sql of [ask, insert]) {
    // A commit may be on its way with an INSERT, or not: it says what it knows.
    const errorName = sql === ask ? 'TIMEOUT_EXCEEDED' : expect.stringMatching(/TIMEOUT|UNKNOWN/);
    await expect(session.ask(sql, { settings })).rejects.toMatchObject({
      errorName,
      message: expect.stringContaining('Timeout exceeded (maximum: 1 s'),
    });
  }
  await expectAsBefore(at);
});

it('a proxy that answers for an hour of one store is not taken for an empty one', async () => {
  const at = await begun();
  const fast = { budgetMs: 500, throttledBudgetMs: 500, firstDelayMs: 5, delayMsMax: 50 };
  const warm = await Session.open({ store: storeOf(at, { retry: fast }) });
  expect((await warm.ask(ask)).text).toBe(before);
  for (const status of [200, 407, 502]) {
    at.inject({ when: () => true, times: 1e9, action: { do: 'page', status } });
    const cold = Session.open({ store: storeOf(at, { retry: fast }) });
    const calls = [cold, warm.ask(ask), warm.ask(insert), warm.ask('SHOW TABLES FROM bm')];
    for (const call of await Promise.allSettled(calls)) {
      expect(call.status).toBe('rejected');
      const reason: unknown = call.status === 'rejected' ? call.reason : undefined;
      expect(reason).toBeInstanceOf(MusterError);
      expect(String(reason)).toContain('a proxy seems to answer');
    }
    at.reset();
  }
  await expectAsBefore(at);
});
