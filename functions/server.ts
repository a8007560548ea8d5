// `muster serve`, wired: store, catalog, invoker, engine, HTTP. One process; with workers, sets are
// evaluated in child processes that share nothing with it but the store.

import { fileURLToPath } from 'node:url';
import { systemClock } from '../base/clock.ts';
import { openCatalog, refuseForeignStore } from '../catalog/catalog.ts';
import { ChildProcessInvoker } from '../engine/batch/child-process-invoker.ts';
import { InProcessInvoker } from '../engine/batch/in-process-invoker.ts';
import type { Invoker } from '../engine/batch/invoker.ts';
import { Engine } from '../engine/engine.ts';
import { createWorkerEnvironment } from '../engine/worker/worker-environment.ts';
import { openStore } from '../object-store/open-store.ts';
import type { ObjectStore } from '../object-store/port.ts';
import { workerEnvironment } from './environment.ts';
import { type ListeningServer, listen } from './listen.ts';
import type { ServeOptions } from './serve-options.ts';

/** Throws a MusterError with one clear sentence when store, catalog or address can't be had. */
export async function startServer(options: ServeOptions): Promise<ListeningServer> {
  const { endpoint, region, host, port } = options;
  const clock = systemClock;
  const inspect = refuseForeignStore;
  const store = await openStore(options.store, { clock, endpoint, region, inspect });
  const catalog = await openCatalog(store, { clock });
  // Where statements run that name no database, as in ClickHouse.
  const known = await catalog.databases();
  if (!known.includes('default')) await catalog.createDatabase('default');
  const invoker = openInvoker(store, options);
  const engine = new Engine({ catalog, store, invoker, clock });
  try {
    const server = await listen({ engine, clock, host, port });
    return {
      ...server,
      close: async (graceMs) => {
        await server.close(graceMs);
        await invoker.close();
      },
    };
  } catch (error) {
    await invoker.close();
    throw error;
  }
}

function openInvoker(store: ObjectStore, options: ServeOptions): Invoker {
  const { workers, endpoint, region } = options;
  if (workers.kind !== 'processes') return new InProcessInvoker(createWorkerEnvironment(store));
  const given = JSON.stringify({ store: options.store, endpoint, region });
  return new ChildProcessInvoker({
    workers: workers.count,
    command: {
      program: process.execPath,
      arguments: [workerProgram(), given],
      environment: workerEnvironment(),
    },
  });
}

/** The built program: Node runs no TypeScript. */
function workerProgram(): string {
  const isBuilt = import.meta.url.endsWith('.js');
  const path = isBuilt ? './worker-main.js' : '../dist/functions/worker-main.js';
  return fileURLToPath(new URL(path, import.meta.url));
}
