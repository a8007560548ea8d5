// `muster serve`, wired: store, catalog, invoker, engine, HTTP.

import { systemClock } from '../base/clock.ts';
import { openCatalog, refuseForeignStore } from '../catalog/catalog.ts';
import { Engine } from '../engine/engine.ts';
import { openStore } from '../object-store/open-store.ts';
import { type ListeningServer, listen } from './listen.ts';
import type { ServeOptions } from './serve-options.ts';
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
