import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { HttpInvoker } from '../../../engine/batch/http-invoker.ts';
import { startWorkerServer } from '../../../functions/worker-server.ts';
import { DirectoryStore } from '../../../object-store/directory-store.ts';
import { FaultyHttpWorker } from './faulty-http-worker.ts';
import {
  contractWorld,
  expectRight,
  type FaultyCase,
  hourMs,
  invokerContract,
  JumpingClock,
  pause,
  questionOf,
} from './invoker-contract.ts';

const secret = 'known to both ends';
const directory = mkdtempSync(path.join(tmpdir(), 'muster-http-'));
type Closable = { close(): Promise<void> };
/** Until the end of a test, and of all tests. */
const opened: Closable[] = [];
const kept: Closable[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});
afterAll(async () => {
  await Promise.all(kept.map((one) => one.close()));
  rmSync(directory, { recursive: true, force: true });
});

interface FaultyWorkers extends FaultyCase {
  readonly workers: readonly FaultyHttpWorker[];
}

async function openFaulty(count = 1): Promise<FaultyWorkers> {
  const world = await contractWorld();
  const clock = new JumpingClock();
  const workers: FaultyHttpWorker[] = [];
  for (let i = 0; i < count; i++) workers.push(await FaultyHttpWorker.start(world.store, clock));
  opened.push(...workers);
  const addresses = workers.map(({ url }) => url);
  return { world, clock, workers, invoker: new HttpInvoker({ addresses, secret, clock }) };
}

async function faulty(
  arrange: (worker: FaultyHttpWorker) => void,
  count = 1,
): Promise<FaultyWorkers> {
  const one = await openFaulty(count);
  for (const worker of one.workers) arrange(worker);
  return one;
}

invokerContract('HTTP', {
  open: async () => {
    const store = await DirectoryStore.open(directory, systemClock);
    const world = await contractWorld(store);
    const place = { host: '127.0.0.1', port: 0, endpoint: undefined, region: undefined };
    const options = { ...place, store: directory, secret, logLevel: 'silent' } as const;
    const servers = [await startWorkerServer(options), await startWorkerServer(options)];
    const invoker = new HttpInvoker({
      addresses: servers.map(({ port }) => `http://127.0.0.1:${port}`),
      secret,
    });
    kept.push(...servers);
    return { world, invoker };
  },
  stops: true,
  faults: {
    'a worker that dies over the work is replaced by another': async () =>
      await faulty((worker) => worker.next({ fault: 'dies' })),
    'work that kills two workers is not given to a third': async () =>
      await faulty((worker) => worker.always({ fault: 'dies' }), 3),
    'a worker that never answers is waited for until the deadline': async () =>
      await faulty((worker) => worker.always({ fault: 'hangs' })),
    'a worker that is too busy is asked again': async () =>
      await faulty((worker) => worker.next({ fault: 'status', status: 429, retryAfter: 0 })),
    'workers that stay too busy are an error before the deadline': async () =>
      await faulty((worker) => worker.always({ fault: 'status', status: 429, retryAfter: 1 }), 2),
    'a reply that comes twice counts once': 'HTTP has one response for each request',
    'a reply to another question is never taken': async () => {
      const one = await openFaulty();
      const strike = () => one.workers[0]?.always({ fault: 'foreign' });
      return { ...one, strike };
    },
    // Sockets break when they are used, and the clocks of both ends have gone on by an hour.
    'an environment that was frozen goes on': async () => {
      const one = await openFaulty();
      const strike = () => {
        one.workers[0]?.makeStale();
        (one.clock as JumpingClock).jump(hourMs);
      };
      return { ...one, strike };
    },
  },
});

test('an idle socket that was closed costs no retry, and connections are kept', async () => {
  const one = await openFaulty();
  const [worker] = one.workers;
  for (let i = 0; i < 5; i++) await expectRight(questionOf(one.world), one);
  expect(worker?.connections).toBe(1);
  worker?.makeStale();
  expect((await expectRight(questionOf(one.world), one)).retried).toBe(0);
  await one.invoker.close();
});

test('a worker that is away is left out, and its work goes to another', async () => {
  const one = await openFaulty(2);
  const [away, here] = one.workers;
  await away?.close();
  for (let i = 0; i < 6; i++) await expectRight(questionOf(one.world), one);
  expect(here?.requests).toBeGreaterThanOrEqual(6);
  await one.invoker.close();
});

test('a worker that hangs is found out, and its work goes to another', async () => {
  const one = await openFaulty(2);
  const [hung, here] = one.workers;
  hung?.always({ fault: 'hangs' });
  const addresses = one.workers.map(({ url }) => url);
  const pulse = { everyMs: 20, patienceMs: 100 };
  const invoker = new HttpInvoker({ addresses, secret, clock: one.clock as JumpingClock, pulse });
  for (let i = 0; i < 6; i++) await expectRight(questionOf(one.world), { ...one, invoker });
  expect(here?.requests).toBeGreaterThanOrEqual(6);
  await invoker.close();
});

test('one that hangs is found out too where nobody has the time to wait for it', async () => {
  const one = await openFaulty(2);
  const [hung] = one.workers;
  hung?.always({ fault: 'hangs' });
  const invoke = async (affinity: string) =>
    await one.invoker.invoke(new Uint8Array(8), { affinity, deadline: Date.now() + 500 }).then(
      () => true,
      () => false,
    );
  const keys = Array.from({ length: 8 }, (_, i) => `key ${i}`);
  const first = await Promise.all(keys.map(invoke));
  expect(new Set(first)).toEqual(new Set([true, false]));
  // Asked for a sign of life, it is passed over.
  for (const affinity of keys) {
    await expect(one.invoker.invoke(new Uint8Array(8), { affinity })).resolves.toBeDefined();
  }
  await one.invoker.close();
});

test('a worker that lives is waited for, however long its work takes', async () => {
  const one = await openFaulty();
  const [worker] = one.workers;
  const addresses = [worker?.url ?? ''];
  const pulse = { everyMs: 5, patienceMs: 5000 };
  const invoker = new HttpInvoker({ addresses, secret, clock: one.clock as JumpingClock, pulse });
  worker?.next({ fault: 'hangs' });
  const late = new AbortController();
  const asked = invoker.invoke(new Uint8Array(8), { signal: late.signal });
  // Asked again and again whether it lives, it says so.
  await vi.waitUntil(() => (worker?.requests ?? 0) >= 5, 10_000);
  late.abort();
  await expect(asked).rejects.toMatchObject({ code: 394 });
  await invoker.close();
});

test('a proxy that asks for an hour is not left out for so long', async () => {
  const busy = { fault: 'status', status: 429, retryAfter: 3600 } as const;
  const one = await faulty((worker) => worker.next(busy));
  const asked = one.invoker.invoke(new Uint8Array(8), { deadline: Date.now() + 100 });
  await expect(asked).rejects.toMatchObject({ code: 202 });
  (one.clock as JumpingClock).jump(31_000);
  await expectRight(questionOf(one.world), one);
  await one.invoker.close();
});

test('a lost reply is asked for again', async () => {
  const one = await faulty((worker) => worker.next({ fault: 'lost reply' }));
  expect((await expectRight(questionOf(one.world), one)).retried).toBe(1);
  await one.invoker.close();
});

test('a proxy without its worker, and a worker that drains, are passed over', async () => {
  const one = await faulty((worker) => worker.next({ fault: 'status', status: 503 }));
  expect((await expectRight(questionOf(one.world), one)).retried).toBe(1);
  await one.invoker.close();
});

test('what is no worker, or does not know the secret, is said so at once', async () => {
  for (const [status, text] of [
    [404, /status 404, as no worker of Muster does/],
    [403, /does not know this server: give both the same secret/],
  ] as const) {
    const one = await faulty((worker) => worker.always({ fault: 'status', status }));
    await expect(one.invoker.invoke(new Uint8Array(8))).rejects.toMatchObject({
      message: expect.stringMatching(text),
      code: 210,
    });
    await one.invoker.close();
  }
});

test('equal keys go to one worker, other keys to others, repetitions elsewhere', async () => {
  const one = await openFaulty(3);
  const invoke = async (affinity: string, attempt = 0) => {
    const before = one.workers.map(({ requests }) => requests);
    await one.invoker.invoke(new Uint8Array(8), { affinity, attempt });
    return one.workers.findIndex(({ requests }, i) => requests > (before[i] ?? 0));
  };
  const keys = Array.from({ length: 64 }, (_, i) => `key ${i}`);
  const first = [];
  for (const key of keys) first.push(await invoke(key));
  expect(new Set(first).size).toBe(3);
  for (const [i, key] of keys.entries()) {
    expect(await invoke(key)).toBe(first[i]);
    expect(await invoke(key, 1)).not.toBe(first[i]);
  }
  await one.invoker.close();
});

test('the sender going away ends the work', async () => {
  const one = await faulty((worker) => worker.always({ fault: 'hangs' }));
  const controller = new AbortController();
  const asked = one.invoker.invoke(new Uint8Array(8), { signal: controller.signal });
  while (one.workers[0]?.requests === 0) await pause(5);
  controller.abort();
  await expect(asked).rejects.toMatchObject({ code: 394 });
  while (one.workers[0]?.aborted === 0) await pause(5);
  await one.invoker.close();
});

test('workers come and go by name', async () => {
  const one = await openFaulty(1);
  const port = new URL(one.workers[0]?.url ?? '').port;
  let found: readonly string[] = ['127.0.0.1'];
  const invoker = new HttpInvoker({
    addresses: [`dns:workers.example:${port}`],
    secret,
    clock: one.clock as JumpingClock,
    resolve: async (name) => (name === 'workers.example' ? found : []),
  });
  await expectRight(questionOf(one.world), { ...one, invoker });
  found = ['127.0.0.1', '127.0.0.9', '127.0.0.8'];
  (one.clock as JumpingClock).jump(10_000);
  await invoker.invoke(new Uint8Array(8));
  await pause(10);
  expect(invoker.parallelism).toBe(3);
  await invoker.close();
  await one.invoker.close();
});

test.each([
  '',
  'worker:8124',
  'ftp://a:1',
  'http://a/b',
  'dns:name',
  'http://u:p@a:1',
  'http://:p@a:1',
])('an address that cannot be read is refused: %j', (address) => {
  expect(() => new HttpInvoker({ addresses: [address], secret })).toThrow(
    expect.objectContaining({ errorName: 'BAD_ARGUMENTS' }),
  );
});
