// Where the workers are: from what `muster serve` is told to the invoker that its engine sends
// batches through.

import { fileURLToPath } from 'node:url';
import { ChildProcessInvoker } from '../engine/batch/child-process-invoker.ts';
import { HttpInvoker } from '../engine/batch/http-invoker.ts';
import { InProcessInvoker } from '../engine/batch/in-process-invoker.ts';
import type { Invoker } from '../engine/batch/invoker.ts';
import { ThreadInvoker } from '../engine/batch/thread-invoker.ts';
import { createWorkerEnvironment } from '../engine/worker/worker-environment.ts';
import type { ObjectStore } from '../object-store/port.ts';
import { workerEnvironment } from './environment.ts';
import type { WorkerPool } from './serve-options.ts';
import type { ThreadData } from './worker-thread-main.ts';

/** Threads share one process's memory: as much as one worker has that is alone. */
const threadCacheBytes = 512 * 1024 * 1024;

/**
 * Estimated work that a further invocation must have: below that it is quicker not to wake another
 * thread (a message and its reply, some tenths of a ms) or to bother another machine (a request and
 * its reply, a few ms).
 */
const threadInvocationMsMin = 5;
const httpInvocationMsMin = 15;

/** How workers on this machine open the same store for themselves. */
interface StoreAddress {
  readonly store: string;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  /** Of this process among others that do the same; by default its id. */
  readonly name?: string | undefined;
}

/** Starts threads or processes, where that is what the pool is of; they end with `close`. */
export async function openInvoker(
  pool: WorkerPool,
  store: ObjectStore,
  address: StoreAddress,
): Promise<Invoker> {
  switch (pool.kind) {
    case 'processes': {
      const { store: url, endpoint, region } = address;
      const given = JSON.stringify({ store: url, endpoint, region });
      return new ChildProcessInvoker({
        workers: pool.count,
        command: {
          program: process.execPath,
          arguments: [programPath('worker-main'), given],
          environment: workerEnvironment(),
        },
      });
    }
    case 'threads': {
      const cacheBytesMax = Math.floor(threadCacheBytes / pool.count);
      const { store: url, endpoint, region, name } = address;
      const data: ThreadData = { store: url, endpoint, region, name, cacheBytesMax };
      const program = { path: programPath('worker-thread-main'), data: { ...data } };
      const invoker = new ThreadInvoker({
        threads: pool.count,
        program,
        invocationMsMin: threadInvocationMsMin,
      });
      invoker.startAll();
      return invoker;
    }
    case 'http':
      return new HttpInvoker({ ...pool, invocationMsMin: httpInvocationMsMin });
    case 'lambda': {
      const { LambdaInvoker } = await import('../engine/batch/lambda-invoker.ts');
      return new LambdaInvoker({ ...pool, region: address.region });
    }
    case 'in-process':
      return new InProcessInvoker(createWorkerEnvironment(store));
  }
}

/** The built program: Node runs no TypeScript. */
function programPath(name: string): string {
  const isBuilt = import.meta.url.endsWith('.js');
  const path = isBuilt ? `./${name}.js` : `../dist/functions/${name}.js`;
  return fileURLToPath(new URL(path, import.meta.url));
}
