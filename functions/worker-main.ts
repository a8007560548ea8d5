// The worker process: evaluates batches that its parent sends over standard input, with nothing but
// the store. One argument, JSON: which store. Secrets come from the environment alone.

import { systemClock } from '../base/clock.ts';
import { serveFrames } from '../engine/worker/frame-server.ts';
import { createWorkerEnvironment } from '../engine/worker/worker-environment.ts';
import { openStore } from '../object-store/open-store.ts';

interface WorkerArguments {
  /** A directory or s3://bucket/prefix; probed by the parent. */
  readonly store: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly cacheBytesMax?: number;
}

const given = JSON.parse(process.argv[2] ?? '{}') as WorkerArguments;
const store = await openStore(given.store, {
  clock: systemClock,
  endpoint: given.endpoint,
  region: given.region,
  probe: false,
});
// Signals to the whole group are the parent's to obey: it ends this process by closing its input.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
const { cacheBytesMax } = given;
const options = cacheBytesMax === undefined ? {} : { cacheBytesMax };
await serveFrames(process.stdin, process.stdout, createWorkerEnvironment(store, options));
process.exit(0);
