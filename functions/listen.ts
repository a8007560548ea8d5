// A listening HTTP server over an engine, and how it stops.

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { MusterError } from '../base/errors.ts';
import { createHttpServer } from './http/http-server.ts';
import type { QueryEngine } from './query-engine.ts';

interface ListenOptions {
  readonly engine: QueryEngine;
  readonly clock: Clock;
  readonly host: string;
  /** 0: one that is free. */
  readonly port: number;
}

export interface ListeningServer {
  readonly port: number;
  /** Queries that are being answered. */
  running(): number;
  /** Takes no more queries, lets the running ones end for `graceMs`, then aborts them. */
  close(graceMs?: number): Promise<void>;
}

const defaultGraceMs = 5000;

/** NETWORK_ERROR with one clear sentence when the address can't be had. */
export async function listen(options: ListenOptions): Promise<ListeningServer> {
  const { engine, clock } = options;
  const running = new Set<AbortController>();
  const server = createHttpServer({ engine, clock, running });
  await listening(server, options);
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    running: () => running.size,
    close: async (graceMs = defaultGraceMs) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const patience = new AbortController();
      const grace = clock.sleep(graceMs, patience.signal).catch(() => undefined);
      await Promise.race([closed, grace]);
      const stop = new MusterError('QUERY_WAS_CANCELLED', 'Query was cancelled: the server stops');
      for (const controller of running) controller.abort(stop);
      // Aborted queries still answer; connections that never asked anything do not matter.
      if (running.size > 0) await Promise.race([closed, clock.sleep(graceMs, patience.signal)]);
      patience.abort();
      server.closeAllConnections();
      await closed;
    },
  };
}

function listening(server: Server, options: ListenOptions): Promise<void> {
  const { host, port } = options;
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why =
        cause.code === 'EADDRINUSE'
          ? `Port ${port} of ${host} is in use: stop what listens there or choose another --port`
          : `Cannot listen on ${host}:${port}: ${cause.message}`;
      reject(new MusterError('NETWORK_ERROR', why, { cause }));
    });
    server.listen(port, host, resolve);
  });
}
