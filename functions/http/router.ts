// The paths of the HTTP interface, ClickHouse's and a few of our own. What a path answers is decided
// here for every kind of exchange; queries are answered by query-handler.ts.

import { type Exchange, headerOf, pathOf, replyText, replyWhole, searchOf } from './exchange.ts';
import { type HandlerOptions, handleQuery } from './query-handler.ts';

const notFound = (path: string) =>
  `There is no handle ${path}\n\nUse / or /ping for health checks.\n` +
  'Or /replicas_status for more sophisticated health checks.\n\n' +
  'Send queries from your program with POST method or GET /?query=...\n';

/** Replies, whatever is asked; never rejects. */
export async function handleRequest(exchange: Exchange, options: HandlerOptions): Promise<void> {
  const path = pathOf(exchange.url);
  if (exchange.method === 'OPTIONS') {
    exchange.reply.head(204, {});
    await exchange.reply.end();
    return;
  }
  const reads = exchange.method === 'GET' || exchange.method === 'HEAD';
  if (path === '/' && (reads || exchange.method === 'POST')) {
    await handleRoot(exchange, options);
  } else if (reads && (path === '/ping' || path === '/replicas_status')) {
    await replyText(exchange, 200, 'Ok.\n');
  } else {
    await replyText(exchange, 404, notFound(path));
  }
}

async function handleRoot(exchange: Exchange, options: HandlerOptions): Promise<void> {
  const { method, url } = exchange;
  const foreign = foreignOrigin(headerOf(exchange.headers, 'origin'));
  if (foreign !== undefined) {
    const text = `Requests from pages of ${foreign} are refused: no users are set up\n`;
    await replyText(exchange, 403, text);
  } else if (method === 'HEAD' || (method === 'GET' && !searchOf(url).has('query'))) {
    await replyWhole(exchange, 200, { type: 'text/html; charset=UTF-8', body: 'Ok.\n' });
  } else {
    await handleQuery(exchange, options);
  }
}

/** A page of another site in somebody's browser; programs send no Origin. */
function foreignOrigin(origin: string | undefined): string | undefined {
  if (origin === undefined) return undefined;
  const host = URL.canParse(origin) ? new URL(origin).hostname : origin;
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host) ? undefined : origin;
}
