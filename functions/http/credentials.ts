// Where a request says who asks: ClickHouse's headers, Basic authentication, or the URL's parameters.
// Two of them at once are refused, as there is no telling which was meant.

import { MusterError } from '../../base/errors.ts';
import type { Credentials } from '../users.ts';
import { type Exchange, headerOf, searchOf } from './exchange.ts';

type RequestHead = Pick<Exchange, 'url' | 'headers'>;

const nothing = new Uint8Array(0);

/** A request that names nobody is of `default` without a password. AUTHENTICATION_FAILED (516). */
export function readCredentials(head: RequestHead): Credentials {
  const { headers } = head;
  const search = searchOf(head.url);
  const basic = headerOf(headers, 'authorization');
  const named = headerOf(headers, 'x-clickhouse-user');
  const key = headerOf(headers, 'x-clickhouse-key');
  const schemes = [
    basic === undefined ? undefined : 'Authorization HTTP header',
    named === undefined && key === undefined ? undefined : 'X-ClickHouse HTTP headers',
    search.has('user') || search.has('password') ? 'authentication via parameters' : undefined,
  ].filter((scheme) => scheme !== undefined);
  if (schemes.length > 1) {
    const both = `${schemes[0]} and ${schemes[1]}`;
    throw refused(`it is not allowed to use ${both} simultaneously`);
  }
  if (basic !== undefined) return basicCredentials(basic);
  if (schemes[0] === 'X-ClickHouse HTTP headers') {
    return { user: bytesOf(named).toString('utf8'), password: bytesOf(key) };
  }
  const password = search.get('password');
  return {
    user: search.get('user') ?? '',
    password: password === null ? nothing : Buffer.from(password, 'utf8'),
  };
}

function basicCredentials(header: string): Credentials {
  const [, scheme = '', encoded = ''] = /^\s*(\S+)\s*(.*?)\s*$/.exec(header) ?? [];
  if (scheme.toLowerCase() !== 'basic') {
    // Whoever forgot the scheme has a secret in its place.
    const named = encoded === '' ? 'This' : `'${scheme.slice(0, 32)}'`;
    throw refused(`${named} HTTP Authorization scheme is not supported`);
  }
  const bytes = Buffer.from(encoded, 'base64');
  const colon = bytes.indexOf(':');
  if (colon === -1) return { user: bytes.toString('utf8'), password: nothing };
  return { user: bytes.toString('utf8', 0, colon), password: bytes.subarray(colon + 1) };
}

/** Node gives the bytes of headers as Latin-1. */
function bytesOf(header: string | undefined): Buffer {
  return Buffer.from(header ?? '', 'latin1');
}

function refused(why: string): MusterError {
  return new MusterError('AUTHENTICATION_FAILED', `Invalid authentication: ${why}`);
}
