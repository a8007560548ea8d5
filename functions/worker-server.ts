// The HTTP worker of `muster worker`: takes invocations of roots on other machines and evaluates them
// here, with nothing but the store. One path, one secret; who doesn't know it learns nothing.

import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { systemClock } from '../base/clock.ts';
import { MusterError } from '../base/errors.ts';
import {
  affinityHeader,
  invocationPath,
  parallelismHeader,
} from '../engine/batch/http-exchange.ts';
import { InProcessInvoker } from '../engine/batch/in-process-invoker.ts';
import type { Invoker } from '../engine/batch/invoker.ts';
import { createWorkerEnvironment } from '../engine/worker/worker-environment.ts';
import { openStore } from '../object-store/open-store.ts';
import type { ObjectStore } from '../object-store/port.ts';
import { type Log, openLog } from './log.ts';
import type { LogLevel } from './serve-options.ts';
import { openInvoker } from './worker-pool.ts';

export interface WorkerServerOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** A directory or s3://bucket/prefix: the same one as the roots'. */
  readonly store: string;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  /** Shared with the roots; requests without it are refused. */
  readonly secret: string;
  readonly logLevel: LogLevel;
  /** That evaluate; 0, or absent: the server's own. */
  readonly threads?: number | undefined;
  /** Invocations side by side; more are refused, and go elsewhere or wait. */
  readonly invocationsMax?: number;
}

export interface WorkerServer {
  readonly port: number;
  /** Invocations that run now. */
  readonly running: number;
  /** Takes nothing new, and lets what runs finish for up to `graceMs`; the rest is cancelled. */
  close(graceMs?: number): Promise<void>;
}

/** For each thread: more of them side by side would only make all late. */
const invocationsMaxPerThread = 16;
const drainMsDefault = 30_000;
const requestBytesMax = 512 * 1024 * 1024;
const discardedBytesMax = 64 * 1024 * 1024;
const retryAfterSeconds = 1;

export async function startWorkerServer(options: WorkerServerOptions): Promise<WorkerServer> {
  const { endpoint, region, host, port } = options;
  const clock = systemClock;
  const store = await openStore(options.store, { clock, endpoint, region, probe: false });
  // A wrong bucket, or missing credentials, are said now and not by the first question.
  const { objects } = await store.list({ prefix: 'catalog/', max: 1 });
  const invoker = openEvaluator(store, options);
  const log = openLog({ level: options.logLevel });
  const desk = new InvocationDesk(invoker, { ...options, log });
  const server = createServer((request, response) => void desk.receive(request, response));
  // Longer than roots keep theirs: it is they who close idle sockets.
  server.keepAliveTimeout = 65_000;
  server.requestTimeout = 0;
  const listening = await listenOn(server, host, port);
  if (objects.length === 0) {
    log.event('warn', "nothing is in this store: is it the servers' one?", { store: store.id });
  }
  log.event('info', 'worker listens', { host, port: listening, store: store.id });
  return {
    port: listening,
    get running() {
      return desk.running;
    },
    close: async (graceMs = drainMsDefault) => {
      log.event('info', 'worker drains', { running: desk.running });
      await drain(server, desk, graceMs);
      await invoker.close();
      await store.close();
      log.event('info', 'worker stopped');
      await log.close();
    },
  };
}

function openEvaluator(store: ObjectStore, options: WorkerServerOptions): Invoker {
  const { threads = 0 } = options;
  const name = `${hostname()} process ${process.pid}`;
  if (threads > 0)
    return openInvoker({ kind: 'threads', count: threads }, store, { ...options, name });
  const identity = { name, memoryMb: 0 };
  return new InProcessInvoker(createWorkerEnvironment(store, { identity }));
}

async function listenOn(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(
        new MusterError('NETWORK_ERROR', `Cannot listen on ${host}:${port}: ${error.message}`, {
          cause: error,
        }),
      );
    });
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function drain(server: Server, desk: InvocationDesk, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  const drained = desk.drain();
  server.closeIdleConnections();
  const done = new AbortController();
  const late = systemClock.sleep(graceMs, done.signal).then(
    () => desk.cancelAll(),
    () => {},
  );
  await drained;
  done.abort();
  await late;
  server.closeAllConnections();
  await closed;
}

interface DeskOptions {
  readonly secret: string;
  readonly log: Log;
  readonly invocationsMax?: number;
}

/** Takes requests in, refuses those that it must, and counts what runs. */
class InvocationDesk {
  readonly #invoker: Invoker;
  readonly #secretHash: Uint8Array;
  readonly #log: Log;
  readonly #invocationsMax: number;
  readonly #running = new Map<AbortController, Promise<void>>();
  #isDraining = false;

  constructor(invoker: Invoker, options: DeskOptions) {
    this.#invoker = invoker;
    this.#secretHash = hashOf(`Bearer ${options.secret}`);
    this.#log = options.log;
    this.#invocationsMax = options.invocationsMax ?? invoker.parallelism * invocationsMaxPerThread;
  }

  get running(): number {
    return this.#running.size;
  }

  async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET' && request.url === '/ping') return answer(response, 200, 'Ok.\n');
    const refusal = this.#refusal(request);
    if (refusal === undefined) {
      const controller = new AbortController();
      // Sent to its end, or its taker gone.
      const closed = new Promise<void>((resolve) => void response.once('close', resolve));
      void closed.then(() => controller.abort());
      const ended = this.#serve(request, response, controller.signal).then(() => closed);
      this.#running.set(controller, ended);
      await ended;
      this.#running.delete(controller);
      return;
    }
    await discard(request);
    if (refusal === 429) response.setHeader('retry-after', retryAfterSeconds);
    if (refusal === 503) response.setHeader('connection', 'close');
    answer(response, refusal, '');
  }

  /** Resolves when nothing runs any more. From now on nothing new is taken. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await Promise.all(this.#running.values());
  }

  cancelAll(): void {
    for (const controller of this.#running.keys()) controller.abort();
  }

  #refusal(request: IncomingMessage): number | undefined {
    const given = hashOf(request.headers.authorization ?? '');
    if (!timingSafeEqual(given, this.#secretHash)) {
      this.#log.event('warn', 'refused: not the secret of this worker', {
        client: request.socket.remoteAddress,
      });
      return 403;
    }
    if (request.method !== 'POST' || request.url !== invocationPath) return 404;
    if (this.#isDraining) return 503;
    if (Number(request.headers['content-length'] ?? 0) > requestBytesMax) return 413;
    return this.#running.size >= this.#invocationsMax ? 429 : undefined;
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const bytes = await bodyOf(request);
      const affinity = request.headers[affinityHeader];
      const hints = typeof affinity === 'string' ? { affinity } : {};
      const reply = await this.#invoker.invoke(bytes, { signal, ...hints });
      if (this.#isDraining) response.setHeader('connection', 'close');
      response.setHeader('content-type', 'application/octet-stream');
      response.setHeader(parallelismHeader, this.#invoker.parallelism);
      answer(response, 200, reply);
    } catch {
      // The root went away while it was sending.
      response.destroy();
    }
  }
}

/** Who is still sending would see a broken socket, and not what was answered. */
async function discard(request: IncomingMessage): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > discardedBytesMax) request.destroy();
    }
  } catch {
    // Gone.
  }
}

function answer(response: ServerResponse, status: number, body: string | Uint8Array): void {
  if (response.destroyed) return;
  response.statusCode = status;
  response.setHeader('content-length', body.length);
  response.end(body);
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const body = new Uint8Array(Number(request.headers['content-length'] ?? 0));
  let at = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}

/** Hashes have one length, so that comparing takes one time. */
function hashOf(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
