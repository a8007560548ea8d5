// `muster serve`, wired: store, catalog, invoker, engine, HTTP.

import { systemClock } from '../base/clock.ts';
import { refuseForeignStore } from '../catalog/catalog.ts';
import { Engine } from '../engine/engine.ts';
import { openStore } from '../object-store/open-store.ts';
import type { ObjectStore } from '../object-store/port.ts';
import { fileServices } from './file-services.ts';
import { consolePage } from './http/console-page.ts';
import { HttpEdge } from './http/edge.ts';
import { probeOf } from './http/health.ts';
import { readTlsFiles, type TlsIdentity } from './http/tls-files.ts';
import { type ListeningServer, listen } from './listen.ts';
import { openLog } from './log.ts';
import { Metrics } from './metrics.ts';
import type { ServeOptions } from './serve-options.ts';
import { openServedCatalog } from './served-catalog.ts';
import { renewTls } from './tls-renewal.ts';
import { musterVersion } from './version.ts';
import { openInvoker } from './worker-pool.ts';

/** Throws a MusterError with one clear sentence when store, catalog or address can't be had. */
export async function startServer(options: ServeOptions): Promise<ListeningServer> {
  const { endpoint, region } = options;
  const clock = systemClock;
  const identity = options.tls === undefined ? undefined : await readTlsFiles(options.tls);
  const inspect = refuseForeignStore;
  let isReadOnly = false;
  const onReadOnly = (): void => {
    isReadOnly = true;
  };
  const store = await openStore(options.store, { clock, endpoint, region, inspect, onReadOnly });
  const opened: (() => Promise<void>)[] = [() => store.close()];
  try {
    const catalog = await openServedCatalog(store, clock);
    const invoker = await openInvoker(options.workers, store, options);
    opened.unshift(() => invoker.close());
    const { files: folder, privateUrls } = options;
    const files = fileServices({ clock, folder, privateUrls, endpoint, region });
    const { kind } = options.workers;
    const tinyWorkHere = kind === 'threads' || kind === 'processes';
    const engine = new Engine({ catalog, store, invoker, clock, files, tinyWorkHere });
    return await serveEngine(engine, { options, store, isReadOnly, identity, opened });
  } catch (error) {
    for (const close of opened) await close();
    throw error;
  }
}

interface Serving {
  readonly options: ServeOptions;
  readonly store: ObjectStore;
  readonly isReadOnly: boolean;
  readonly identity: TlsIdentity | undefined;
  /** How to let go of what was opened, in this order. */
  readonly opened: readonly (() => Promise<void>)[];
}

async function serveEngine(engine: Engine, serving: Serving): Promise<ListeningServer> {
  const { options, store, identity, opened } = serving;
  const { host, port, users, queriesMax } = options;
  const clock = systemClock;
  const log = openLog({ level: options.logLevel });
  const metrics = new Metrics();
  const edge = new HttpEdge({
    engine,
    clock,
    users,
    queriesMax,
    observers: [(record) => metrics.observe(record), (record) => log.query(record)],
    metrics: () => metrics.text(),
    page: consolePage,
    probe: probeOf(store),
  });
  const server = await listen({ edge, clock, host, port, identity });
  metrics.watch({
    running: () => edge.admission.running,
    waiting: () => edge.admission.waiting,
    connections: () => server.connections(),
    cacheBytes: () => engine.cacheBytes,
  });
  const stopRenewal = renewTls(options.tls, server, log);
  if (serving.isReadOnly) {
    log.event('warn', 'only reading: these credentials may not write, or the disk is full');
  }
  log.event('info', 'start', { host, port: server.port, store: store.id, ...startFields(options) });
  return {
    ...server,
    close: async (graceMs) => {
      stopRenewal();
      log.event('info', 'drain', { queries_running: edge.running });
      await server.close(graceMs);
      await engine.settle();
      await engine.stop();
      for (const close of opened) await close();
      log.event('info', 'stop');
      await log.close();
    },
  };
}

function startFields({ users, tls, workers }: ServeOptions): Readonly<Record<string, unknown>> {
  return {
    version: musterVersion,
    users: users.map(({ name }) => name),
    tls: tls !== undefined,
    workers: workers.kind,
  };
}
