// The paths of the HTTP interface, ClickHouse's and a few of our own. What a path answers is decided
// here for every kind of exchange; queries are answered by query-handler.ts.

import { musterVersion } from '../version.ts';
import { replyConsolePage } from './console-page.ts';
import { readCredentials } from './credentials.ts';
import { foreignSite, preflightHeaders } from './cross-origin.ts';
import type { HttpEdge } from './edge.ts';
import { describeError } from './error-text.ts';
import { type Exchange, headerOf, pathOf, replyText, replyWhole, searchOf } from './exchange.ts';
import { handleQuery } from './query-handler.ts';

type Handler = (exchange: Exchange, edge: HttpEdge) => Promise<void>;

/** Answers to GET and HEAD. */
const pages: Readonly<Record<string, Handler>> = {
  '/ping': (exchange) => replyText(exchange, 200, 'Ok.\n'),
  '/replicas_status': (exchange) => replyText(exchange, 200, 'Ok.\n'),
  '/health': replyHealth,
  '/metrics': replyMetrics,
  '/play': replyPage,
};

/** Replies, whatever is asked. */
export async function handleRequest(exchange: Exchange, edge: HttpEdge): Promise<void> {
  const { method } = exchange;
  const path = pathOf(exchange.url);
  const reads = method === 'GET' || method === 'HEAD';
  if (method === 'OPTIONS') {
    exchange.reply.head(204, preflightHeaders(exchange, edge.users));
    await exchange.reply.end();
  } else if (path === '/' && (reads || method === 'POST')) {
    await handleRoot(exchange, edge);
  } else {
    const page = reads && Object.hasOwn(pages, path) ? pages[path] : undefined;
    await (page ?? replyNotFound)(exchange, edge);
  }
}

async function handleRoot(exchange: Exchange, edge: HttpEdge): Promise<void> {
  const { method, url, headers } = exchange;
  if (await isRefused(exchange, edge)) return;
  if (method === 'HEAD' || (method === 'GET' && !searchOf(url).has('query'))) {
    const browser = (headerOf(headers, 'accept') ?? '').includes('text/html');
    const page = browser ? edge.page?.() : undefined;
    if (page !== undefined) await replyConsolePage(exchange, page);
    else await replyWhole(exchange, 200, { type: 'text/html; charset=UTF-8', body: 'Ok.\n' });
  } else {
    await handleQuery(exchange, edge);
  }
}

/** Pages of other sites, where somebody comes in without a password, are; they are told so here. */
async function isRefused(exchange: Exchange, edge: HttpEdge): Promise<boolean> {
  const foreign = foreignSite(exchange);
  if (foreign === undefined || !edge.users.open) return false;
  const why = 'there is a user without a password; ask 127.0.0.1, or give every user one';
  await replyText(exchange, 403, `Requests from pages of ${foreign} are refused: ${why}\n`);
  return true;
}

async function replyPage(exchange: Exchange, edge: HttpEdge): Promise<void> {
  const page = edge.page?.();
  if (page === undefined) await replyNotFound(exchange);
  else await replyConsolePage(exchange, page);
}

/** 200 where queries are welcome, else 503. */
async function replyHealth(exchange: Exchange, edge: HttpEdge): Promise<void> {
  const reachable = edge.draining ? undefined : await edge.store.reachable();
  const status = edge.draining ? 'draining' : reachable === true ? 'ok' : 'unavailable';
  const health = {
    status,
    version: musterVersion,
    store: reachable === undefined ? 'unknown' : reachable ? 'reachable' : 'unreachable',
    uptime_seconds: Math.floor(edge.uptimeSeconds),
    queries_running: edge.admission.running,
    queries_waiting: edge.admission.waiting,
  };
  await replyWhole(exchange, status === 'ok' ? 200 : 503, {
    type: 'application/json; charset=UTF-8',
    body: `${JSON.stringify(health)}\n`,
    headers: { 'Cache-Control': 'no-store' },
  });
}

/** For any user that is set up, for numbers tell what others do. */
async function replyMetrics(exchange: Exchange, edge: HttpEdge): Promise<void> {
  if (edge.metrics === undefined) {
    await replyNotFound(exchange);
    return;
  }
  if (await isRefused(exchange, edge)) return;
  try {
    edge.users.authenticate(readCredentials(exchange));
  } catch (error) {
    const { http, text } = describeError(error);
    await replyText(exchange, http, text);
    return;
  }
  const { contentType, text } = await edge.metrics();
  await replyWhole(exchange, 200, { type: contentType, body: text });
}

async function replyNotFound(exchange: Exchange): Promise<void> {
  const text =
    `There is no handle ${pathOf(exchange.url)}\n\nUse / or /ping for health checks.\n` +
    'Or /replicas_status for more sophisticated health checks.\n\n' +
    'Send queries from your program with POST method or GET /?query=...\n';
  await replyText(exchange, 404, text);
}
