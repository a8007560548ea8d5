// Pages of other sites in somebody's browser. Where everybody who asks has a password they are
// welcome, for a browser sends none of its own accord; where somebody comes in without one, any page
// that is open beside could read and change everything, so they stay outside.

import type { Users } from '../users.ts';
import { type Exchange, headerOf, type ReplyHeaders } from './exchange.ts';

/** The origin of another site. Programs send none; pages of this machine are no strangers. */
export function foreignOrigin({ headers }: Pick<Exchange, 'headers'>): string | undefined {
  const origin = headerOf(headers, 'origin');
  if (origin === undefined) return undefined;
  if (!URL.canParse(origin)) return origin;
  const { hostname, host } = new URL(origin);
  if (/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) return undefined;
  return host === headerOf(headers, 'host')?.toLowerCase() && isOurs(hostname) ? undefined : origin;
}

/**
 * Whether a page that came from this name came from this server. Anybody may let a name of theirs
 * point here for a moment (DNS rebinding), but not an address, nor a name that public DNS lacks.
 */
function isOurs(hostname: string): boolean {
  const isAddress = /^(\d+\.\d+\.\d+\.\d+|\[[\da-f:.]+\])$/.test(hostname);
  return isAddress || /^[^.]+$|\.(localhost|local|internal|lan|test)$/.test(hostname);
}

/** What lets a page read an answer; nothing where it may not, or where no page asks. */
export function answerHeaders(exchange: Pick<Exchange, 'headers'>, users: Users): ReplyHeaders {
  const origin = headerOf(exchange.headers, 'origin');
  if (origin === undefined || users.open) return {};
  return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': '*' };
}

/** Of the question that browsers ask before they let a page ask its own. */
export function preflightHeaders(exchange: Pick<Exchange, 'headers'>, users: Users): ReplyHeaders {
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
