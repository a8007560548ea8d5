// The HTTP worker of `muster worker`, wired: store, evaluator, desk (invocation-desk.ts), and how it
// starts and stops.

import { createServer, type Server } from 'node:http';
import { hostname } from 'node:os';
import { systemClock } from '../base/clock.ts';
import { InProcessInvoker } from '../engine/batch/in-process-invoker.ts';
import type { Invoker } from '../engine/batch/invoker.ts';
import { createWorkerEnvironment } from '../engine/worker/worker-environment.ts';
import { openStore } from '../object-store/open-store.ts';
import type { ObjectStore } from '../object-store/port.ts';
import { InvocationDesk } from './invocation-desk.ts';
import { listenAt } from './server-address.ts';
import { openLog } from './log.ts';
import type { LogLevel } from './serve-options.ts';
import { openInvoker } from './worker-pool.ts';

interface WorkerServerOptions {
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
  /** How long a root may send nothing of a request, or take nothing of a reply. */
  readonly stallMs?: number;
}

export interface WorkerServer {
  readonly port: number;
  /** Invocations that run now. */
  readonly running: number;
  /** Takes nothing new, and lets what runs finish for up to `graceMs`; the rest is cancelled. */
  close(graceMs?: number): Promise<void>;
}

const drainMsDefault = 30_000;
/** For what was cancelled to say so. */
const lastWordsMs = 2000;

export async function startWorkerServer(options: WorkerServerOptions): Promise<WorkerServer> {
  const { endpoint, region, host, port } = options;
  const clock = systemClock;
  const store = await openStore(options.store, { clock, endpoint, region, probe: false });
  // A wrong bucket, or missing credentials, are said now and not by the first question.
  const { objects } = await store.list({ prefix: 'catalog/', max: 1 });
  const invoker = await openEvaluator(store, options);
  const log = openLog({ level: options.logLevel });
  const desk = new InvocationDesk(invoker, { ...options, log });
  const server = createServer((request, response) => void desk.receive(request, response));
  // Longer than roots keep theirs: it is they who close idle sockets.
  server.keepAliveTimeout = 65_000;
  server.requestTimeout = 0;
  const boundPort = await listenAt(server, { host, port });
  if (objects.length === 0) {
    log.event('warn', "nothing is in this store: is it the servers' one?", { store: store.id });
  }
  log.event('info', 'worker listens', { host, port: boundPort, store: store.id });
  return {
    port: boundPort,
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

async function openEvaluator(store: ObjectStore, options: WorkerServerOptions): Promise<Invoker> {
  const { threads = 0 } = options;
  const name = `${hostname()} process ${process.pid}`;
  if (threads > 0)
    return await openInvoker({ kind: 'threads', count: threads }, store, { ...options, name });
  const identity = { name, memoryMb: 0 };
  return new InProcessInvoker(createWorkerEnvironment(store, { identity }));
}

async function drain(server: Server, desk: InvocationDesk, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  const drained = desk.drain();
  server.closeIdleConnections();
  const done = new AbortController();
  const cancel = async (): Promise<void> => {
    await systemClock.sleep(graceMs, done.signal);
    desk.cancelAll();
    await systemClock.sleep(lastWordsMs, done.signal);
    // Who doesn't even send, or take, what there is to say.
    server.closeAllConnections();
  };
  const late = cancel().catch(() => {});
  await drained;
  done.abort();
  await late;
  server.closeAllConnections();
  await closed;
}
