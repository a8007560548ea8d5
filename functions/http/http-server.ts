// Node's HTTP and HTTPS servers before the edge: limits of connections, and what becomes of a body
// that nobody read to its end.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { HttpEdge } from './edge.ts';
import { nodeExchange } from './node-exchange.ts';
import { handleRequest } from './router.ts';
import type { TlsIdentity } from './tls-files.ts';

interface ServerOptions {
  /** HTTPS with it. */
  readonly identity?: TlsIdentity | undefined;
  /** How long a client may take nothing of an answer, or send nothing of its body. */
  readonly stallMs?: number | undefined;
}

const defaultStallMs = 300_000;

const limits = {
  // Statements and parameters may stand in the URL.
  maxHeaderSize: 1024 * 1024,
  keepAliveTimeout: 10_000,
  headersTimeout: 30_000,
  // An INSERT may take hours to arrive.
  requestTimeout: 0,
};

/** Not listening yet. */
export function createHttpServer(edge: HttpEdge, options: ServerOptions = {}): Server {
  const { identity, stallMs = defaultStallMs } = options;
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    // A bug; nobody else may suffer from it.
    answer(edge, { incoming, outgoing, stallMs }).catch(() => outgoing.destroy());
  };
  if (identity === undefined) return createServer(limits, listener);
  return createSecureServer({ ...limits, ...identity, minVersion: 'TLSv1.2' }, listener);
}

interface Call {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly stallMs: number;
}

async function answer(edge: HttpEdge, { incoming, outgoing, stallMs }: Call): Promise<void> {
  const draining = () => edge.draining;
  await handleRequest(nodeExchange(incoming, outgoing, { stallMs, draining }), edge);
  // What is left of a body that failed half-way must not stand before the next request.
  if (!incoming.readableEnded) incoming.resume();
}
