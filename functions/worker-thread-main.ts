// The worker thread: evaluates batches that the server's thread sends over its port, with nothing but
// the store. Its data says which store; secrets come from the environment, which it shares.

import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../base/assert.ts';
import { systemClock } from '../base/clock.ts';
import { collectGarbage, serveThread } from '../engine/worker/thread-server.ts';
import {
  createWorkerEnvironment,
  type WorkerEnvironment,
} from '../engine/worker/worker-environment.ts';
import { openStore } from '../object-store/open-store.ts';

export interface ThreadData {
  /** A directory or s3://bucket/prefix; probed by the server. */
  readonly store: string;
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly cacheBytesMax?: number | undefined;
  /** Of the process, in usage and traces. */
  readonly name?: string | undefined;
}

/** Added by the invoker: which of the threads this is. */
interface PlacedThreadData extends ThreadData {
  readonly place: number;
}

async function openWorker(data: PlacedThreadData): Promise<WorkerEnvironment> {
  const { store: url, endpoint, region, cacheBytesMax, place } = data;
  const { name = `process ${process.pid}` } = data;
  const clock = systemClock;
  const store = await openStore(url, { clock, endpoint, region, probe: false });
  const identity = { name: `${name} thread ${place + 1}`, memoryMb: 0 };
  return createWorkerEnvironment(store, { cacheBytesMax, identity });
}

assert(parentPort !== null, 'this program is started as a thread');
await serveThread(parentPort, await openWorker(workerData as PlacedThreadData));
collectGarbage();
parentPort.close();
