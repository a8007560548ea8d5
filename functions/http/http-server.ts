// Node's HTTP server before the edge: limits of connections, and what becomes of a body that nobody
// read to its end.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { nodeExchange } from './node-exchange.ts';
import type { HandlerOptions } from './query-handler.ts';
import { handleRequest } from './router.ts';

const keepAliveMs = 10_000;
/** Statements and parameters may stand in the URL. */
const headBytesMax = 1024 * 1024;
/** How long a client may take nothing of an answer, or send nothing of its body. */
const stallMs = 300_000;

const serverOptions = {
  maxHeaderSize: headBytesMax,
  keepAliveTimeout: keepAliveMs,
  // An INSERT may take hours to arrive.
  requestTimeout: 0,
};

/** Not listening yet. */
export function createHttpServer(options: HandlerOptions): Server {
  return createServer(serverOptions, (incoming, outgoing) => {
    void answer(incoming, outgoing, options);
  });
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options: HandlerOptions,
): Promise<void> {
  await handleRequest(nodeExchange(incoming, outgoing, { stallMs }), options);
  // What is left of a body that failed half-way must not stand before the next request.
  if (!incoming.readableEnded) incoming.resume();
}
