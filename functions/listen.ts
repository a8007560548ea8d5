// A listening HTTP server before an edge, and how it stops: nothing new is taken, what runs may end,
// and then every connection is closed.

import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Clock } from '../base/clock.ts';
import { MusterError } from '../base/errors.ts';
import type { HttpEdge } from './http/edge.ts';
import { createHttpServer } from './http/http-server.ts';
import type { TlsIdentity } from './http/tls-files.ts';
import { listenAt } from './server-address.ts';

interface ListenOptions {
  readonly edge: HttpEdge;
  readonly clock: Clock;
  readonly host: string;
  /** 0: one that is free. */
  readonly port: number;
  /** HTTPS with it. */
  readonly identity?: TlsIdentity | undefined;
  readonly stallMs?: number | undefined;
}

export interface ListeningServer {
  readonly port: number;
  /** Queries that are being answered. */
  running(): number;
  /** Open ones, idle or not. */
  connections(): Promise<number>;
  /** Of HTTPS: for the connections that come from now on. */
  renewIdentity(identity: TlsIdentity): void;
  /** Takes no more queries, lets the running ones end for `graceMs`, then aborts them. */
  close(graceMs?: number): Promise<void>;
}

const defaultGraceMs = 20_000;
/** For queries to notice that they are aborted. */
const abortMs = 2000;
/** For connections to be closed by their last answers. */
const lastWordsMs = 50;

/** NETWORK_ERROR with one clear sentence when the address can't be had. */
export async function listen(options: ListenOptions): Promise<ListeningServer> {
  const { edge, identity, stallMs } = options;
  const server = createHttpServer(edge, { identity, stallMs });
  const port = await listenAt(server, options);
  return {
    port,
    running: () => edge.running,
    connections: () =>
      new Promise((resolve) => server.getConnections((_, count) => resolve(count ?? 0))),
    renewIdentity: (next) => (server as SecureServer).setSecureContext(next),
    close: (graceMs = defaultGraceMs) => close(server, options, graceMs),
  };
}

async function close(server: Server, options: ListenOptions, graceMs: number): Promise<void> {
  const { edge, clock } = options;
  edge.drain();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const patience = new AbortController();
  const grace = (ms: number) => clock.sleep(ms, patience.signal).catch(() => undefined);
  // Connections that never asked anything do not matter, answers on their way out do.
  const ended = () => edge.idle().then(() => grace(lastWordsMs));
  await Promise.race([closed, ended(), grace(graceMs)]);
  edge.abort(new MusterError('QUERY_WAS_CANCELLED', 'Query was cancelled: the server stops'));
  // Aborted queries still answer.
  await Promise.race([closed, ended(), grace(abortMs)]);
  patience.abort();
  server.closeAllConnections();
  await closed;
}
