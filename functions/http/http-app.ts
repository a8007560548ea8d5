// The routes of ClickHouse's HTTP interface. Routing is hono's; queries read and write the
// connection themselves (query-handler.ts), for bodies are streams and answers may break off.

import type { Server } from 'node:http';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { type HandlerOptions, handleQuery } from './query-handler.ts';

const keepAliveMs = 10_000;
/** Statements and parameters may stand in the URL. */
const headBytesMax = 1024 * 1024;

const notFound = (path: string) =>
  `There is no handle ${path}\n\nUse / or /ping for health checks.\n` +
  'Or /replicas_status for more sophisticated health checks.\n\n' +
  'Send queries from your program with POST method or GET /?query=...\n';

/** Not listening yet. */
export function createHttpServer(options: HandlerOptions): Server {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.get('/ping', (c) => c.text('Ok.\n'));
  app.get('/replicas_status', (c) => c.text('Ok.\n'));
  app.on(['GET', 'POST'], '/', async (c) => {
    const { incoming, outgoing } = c.env;
    const foreign = foreignOrigin(incoming.headers.origin);
    if (foreign !== undefined) {
      incoming.resume();
      return c.text(`Requests from pages of ${foreign} are refused: no users are set up\n`, 403);
    }
    const isHead = incoming.method === 'HEAD';
    if (isHead || (incoming.method === 'GET' && !asksSomething(incoming.url ?? '/'))) {
      return c.html('Ok.\n');
    }
    await handleQuery(incoming, outgoing, options);
    return RESPONSE_ALREADY_SENT;
  });
  app.options('*', (c) => c.body(null, 204));
  app.notFound((c) => c.text(notFound(c.req.path), 404));
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    autoCleanupIncoming: false,
    serverOptions: {
      maxHeaderSize: headBytesMax,
      keepAliveTimeout: keepAliveMs,
      // An INSERT may take hours to arrive.
      requestTimeout: 0,
    },
  });
  return server as Server;
}

function asksSomething(url: string): boolean {
  const at = url.indexOf('?');
  return at !== -1 && new URLSearchParams(url.slice(at + 1)).has('query');
}

/** A page of another site in somebody's browser; programs send no Origin. */
function foreignOrigin(origin: string | undefined): string | undefined {
  if (origin === undefined) return undefined;
  const host = URL.canParse(origin) ? new URL(origin).hostname : origin;
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host) ? undefined : origin;
}
