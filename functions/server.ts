// `muster serve`, wired: store, catalog, invoker, engine, HTTP.

import { systemClock } from '../base/clock.ts';
import { openCatalog, refuseForeignStore } from '../catalog/catalog.ts';
import { Engine } from '../engine/engine.ts';
import { objectKey } from '../object-store/object-key.ts';
import { openStore } from '../object-store/open-store.ts';
import { consolePage } from './http/console-page.ts';
import { HttpEdge } from './http/edge.ts';
import { readTlsFiles } from './http/tls-files.ts';
import { type ListeningServer, listen } from './listen.ts';
import { openLog } from './log.ts';
import { Metrics } from './metrics.ts';
import type { ServeOptions } from './serve-options.ts';
import { renewTls } from './tls-renewal.ts';
import { musterVersion } from './version.ts';
import { openInvoker } from './worker-pool.ts';

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
  const invoker = openInvoker(options.workers, store, options);
  const engine = new Engine({ catalog, store, invoker, clock });
  const log = openLog({ level: options.logLevel });
  const metrics = new Metrics();
  const edge = new HttpEdge({
    engine,
    clock,
    users: options.users,
    queriesMax: options.queriesMax,
    observers: [(record) => metrics.observe(record), (record) => log.query(record)],
    metrics: () => metrics.text(),
    page: consolePage(),
    // What is never there: a store that says so is reached.
    probe: (signal) => store.read(objectKey('health/probe'), undefined, { signal }),
  });
  try {
    const identity = options.tls === undefined ? undefined : await readTlsFiles(options.tls);
    const server = await listen({ edge, clock, host, port, identity });
    metrics.watch({
      running: () => edge.admission.running,
      waiting: () => edge.admission.waiting,
      connections: () => server.connections(),
    });
    const stopRenewal = renewTls(options.tls, server, log);
    log.event('info', 'start', {
      host,
      port: server.port,
      store: store.id,
      ...startFields(options),
    });
    return {
      ...server,
      close: async (graceMs) => {
        stopRenewal();
        log.event('info', 'drain', { queries_running: edge.running });
        await server.close(graceMs);
        await invoker.close();
        await store.close();
        log.event('info', 'stop');
        log.close();
      },
    };
  } catch (error) {
    await invoker.close();
    await store.close();
    throw error;
  }
}

function startFields({ users, tls, workers }: ServeOptions): Readonly<Record<string, unknown>> {
  return {
    version: musterVersion,
    users: users.map(({ name }) => name),
    tls: tls !== undefined,
    workers: workers.kind,
  };
}
