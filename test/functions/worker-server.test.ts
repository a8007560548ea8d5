import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { decodeReply, encodeBatch, encodeInvocation } from '../../engine/batch/batch-codec.ts';
import type { Batch } from '../../engine/batch/batch.ts';
import { slicesOf } from '../../engine/batch/slices.ts';
import { startWorkerServer, type WorkerServer } from '../../functions/worker-server.ts';
import { DirectoryStore } from '../../object-store/directory-store.ts';
import {
  contractWorld,
  longQuestionOf,
  pause,
  questionOf,
} from '../engine/batch/invoker-contract.ts';
import type { World } from '../engine/worker/world.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'muster-worker-server-'));
const secret = 'seventeen letters';
const expected = { id: 'one', queryId: 'test' };
let world: World;

beforeAll(async () => {
  world = await contractWorld(await DirectoryStore.open(directory, systemClock));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function start(invocationsMax = 2, stallMs = 60_000): Promise<WorkerServer> {
  return await startWorkerServer({
    host: '127.0.0.1',
    port: 0,
    store: directory,
    endpoint: undefined,
    region: undefined,
    secret,
    logLevel: 'silent',
    invocationsMax,
    stallMs,
  });
}

/** A root that is gone in the middle of its request, and whose machine can't say so. */
async function halfRequest({ port }: WorkerServer, as = `Bearer ${secret}`): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  const head = `POST /invocations HTTP/1.1\r\nHost: worker\r\nAuthorization: ${as}\r\n`;
  socket.write(`${head}Content-Length: 100\r\n\r\nabc`);
  return socket;
}

function requestOf(batch: Batch): Uint8Array<ArrayBuffer> {
  const head = { ...expected, sentAt: Date.now(), slices: slicesOf(batch) };
  return Uint8Array.from(encodeInvocation({ ...head, batch: encodeBatch(batch) }));
}

interface PostOptions {
  readonly as?: string;
  readonly signal?: AbortSignal;
  readonly path?: string;
}

async function post({ port }: WorkerServer, batch: Batch, options: PostOptions = {}) {
  const { as = `Bearer ${secret}`, signal, path: to = '/invocations' } = options;
  const headers = as === '' ? {} : { authorization: as };
  const init = { method: 'POST', body: requestOf(batch), headers };
  return await fetch(
    `http://127.0.0.1:${port}${to}`,
    signal === undefined ? init : { ...init, signal },
  );
}

test('answers who knows the secret; others learn nothing, whatever they ask', async () => {
  const worker = await start();
  const right = await post(worker, questionOf(world));
  expect(right.status).toBe(200);
  const reply = decodeReply(new Uint8Array(await right.arrayBuffer()), expected);
  expect(reply.usages[0]?.worker).toContain(`process ${process.pid}`);
  const wrong = ['', 'Bearer', 'Bearer wrong', `Bearer ${secret}x`, secret];
  for (const as of wrong) {
    for (const to of ['/invocations', '/', '/nowhere']) {
      const refused = await post(worker, questionOf(world), { as, path: to });
      expect([refused.status, await refused.text()]).toEqual([403, '']);
    }
  }
  expect((await post(worker, questionOf(world), { path: '/other' })).status).toBe(404);
  const ping = await fetch(`http://127.0.0.1:${worker.port}/ping`);
  expect([ping.status, await ping.text()]).toEqual([200, 'Ok.\n']);
  await worker.close();
});

test('more than it takes at once is refused with a time to come again', async () => {
  const worker = await start(1);
  const controller = new AbortController();
  const first = post(worker, longQuestionOf(world), { signal: controller.signal });
  while (worker.running === 0) await pause(5);
  const refused = await post(worker, questionOf(world));
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('1');
  controller.abort();
  await expect(first).rejects.toThrow();
  while (worker.running > 0) await pause(5);
  expect((await post(worker, questionOf(world))).status).toBe(200);
  await worker.close();
});

test('a root that is gone in the middle of a request does not keep its place', async () => {
  const worker = await start(1, 100);
  const half = await halfRequest(worker);
  const closed = once(half, 'close');
  while (worker.running === 0) await pause(5);
  await closed;
  while (worker.running > 0) await pause(5);
  expect((await post(worker, questionOf(world))).status).toBe(200);
  const unknown = await halfRequest(worker, 'Bearer wrong');
  await once(unknown, 'close');
  await worker.close();
});

test('closing does not wait for a root that is gone', async () => {
  const worker = await start();
  const half = await halfRequest(worker);
  while (worker.running === 0) await pause(5);
  await worker.close(10);
  expect(worker.running).toBe(0);
  half.destroy();
});

test('closing lets what runs finish, and takes nothing new', async () => {
  const worker = await start();
  const running = post(worker, longQuestionOf(world, 60_000));
  while (worker.running === 0) await pause(5);
  const closed = worker.close();
  const late = await post(worker, questionOf(world)).then(
    ({ status }) => status,
    () => 503,
  );
  expect(late).toBe(503);
  const reply = await running;
  expect(reply.headers.get('connection')).toBe('close');
  decodeReply(new Uint8Array(await reply.arrayBuffer()), expected);
  await closed;
});

test('what runs too long while closing is cancelled, and says so', async () => {
  const worker = await start();
  const running = post(worker, longQuestionOf(world));
  while (worker.running === 0) await pause(5);
  await worker.close(100);
  const reply = await (await running).arrayBuffer();
  expect(() => decodeReply(new Uint8Array(reply), expected)).toThrow(/cancelled/);
});

test('a port that is taken is a clear error', async () => {
  const worker = await start();
  const again = startWorkerServer({
    host: '127.0.0.1',
    port: worker.port,
    store: directory,
    endpoint: undefined,
    region: undefined,
    secret,
    logLevel: 'silent',
  });
  await expect(again).rejects.toThrow(/Port \d+ of 127\.0\.0\.1 is in use/);
  await worker.close();
});
