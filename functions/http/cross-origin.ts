// Pages of other sites in somebody's browser. Where everybody who asks has a password they are
// welcome, for a browser sends none of its own accord; where somebody comes in without one, any page
// that is open beside could read and change everything, so they stay outside.

import type { Users } from '../users.ts';
import { type Exchange, headerOf, type ReplyHeaders } from './exchange.ts';

/**
 * The site of a page that asks, if it is another one. Programs send no origin, and neither does a
 * page that gets something from what its browser takes for its own site: there the name tells.
 */
export function foreignSite(exchange: Exchange): string | undefined {
  const { headers, method } = exchange;
  const origin = headerOf(headers, 'origin');
  const host = headerOf(headers, 'host')?.toLowerCase();
  if (origin === undefined) {
    // A function has no other name than the one it is given.
    if (method !== 'GET' || host === undefined || exchange.interface === 'lambda') return undefined;
    return isOurs(siteOf(`http://${host}`)?.hostname ?? '') ? undefined : host;
  }
  const site = siteOf(origin);
  if (site === undefined) return origin;
  if (/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(site.hostname)) return undefined;
  return site.host === host && isOurs(site.hostname) ? undefined : origin;
}

/**
 * Whether a page that came from this name came from this server. Anybody may let a name of theirs
 * point here for a moment (DNS rebinding), but not an address, nor a name that public DNS lacks.
 */
function isOurs(hostname: string): boolean {
  const isAddress = /^(\d+\.\d+\.\d+\.\d+|\[[\da-f:.]+\])$/.test(hostname);
  return isAddress || /^[^.]+$|\.(localhost|local|internal|lan|test)$/.test(hostname);
}

function siteOf(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

/** What lets a page read an answer; nothing where it may not, or where no page asks. */
export function answerHeaders(exchange: Exchange, users: Users): ReplyHeaders {
  const origin = headerOf(exchange.headers, 'origin');
  if (origin === undefined) return {};
  const exposed = { 'Access-Control-Expose-Headers': '*' };
  if (!users.open) return { 'Access-Control-Allow-Origin': '*', ...exposed };
  if (foreignSite(exchange) !== undefined) return {};
  return { 'Access-Control-Allow-Origin': origin, Vary: 'Origin', ...exposed };
}

/** Of the question that browsers ask before they let a page ask its own. */
export function preflightHeaders(exchange: Exchange, users: Users): ReplyHeaders {
  const answer = answerHeaders(exchange, users);
  if (Object.keys(answer).length === 0) return {};
  return {
    ...answer,
    'Access-Control-Allow-Methods': 'POST, GET, HEAD, OPTIONS',
    'Access-Control-Allow-Headers':
      'Origin, Authorization, Content-Type, Content-Encoding, X-Requested-With, ' +
      'X-ClickHouse-User, X-ClickHouse-Key, X-ClickHouse-Database, X-ClickHouse-Format, ' +
      'X-ClickHouse-Query-Id',
    'Access-Control-Max-Age': 86_400,
  };
}
