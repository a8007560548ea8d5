// url(): files over HTTP, read by GET and written by POST. Only http and https; redirects are followed
// a few times, each held against the same rules; every wait has a limit. What a server answers beside
// 2xx is not repeated, for it may be somebody's secret.

import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { once } from 'node:events';
import { MusterError } from '../../base/errors.ts';
import { withoutSecrets } from './file-request.ts';
import { expandBraces, hasStars } from './glob.ts';
import { type FileTarget, type FoundFile, lastPart } from './open-file.ts';
import { checkLiteralHost, publicLookup } from './public-addresses.ts';

interface UrlRules {
  readonly allowed: 'public' | 'all' | undefined;
  readonly signal: AbortSignal;
}

const redirectsMax = 3;
const idleMs = 60_000;

export function findUrls(pattern: string, rules: UrlRules): readonly FoundFile[] {
  checkAllowed(rules);
  if (hasStars(pattern.split('?')[0] ?? '')) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      "Web addresses can't be listed: url() takes {a,b} and {1..9}, no stars",
    );
  }
  return expandBraces(pattern).map((text): FoundFile => {
    const url = parseUrl(text);
    return {
      path: url.pathname,
      name: lastPart(url.pathname),
      stream: () => download(url, rules),
    };
  });
}

/** Sent as it is written; the answer is waited for at the end. */
export function urlTarget(text: string, rules: UrlRules): FileTarget {
  checkAllowed(rules);
  const url = parseUrl(text);
  const sending = send(url, 'POST', rules);
  const answer = answered(sending, url);
  answer.catch(() => {});
  return {
    write: async (bytes) => {
      if (!sending.write(bytes)) await Promise.race([once(sending, 'drain'), answer]);
    },
    finish: async () => {
      sending.end();
      const reply = await answer;
      reply.resume();
      checkStatus(reply, url);
    },
    abort: async () => {
      sending.destroy();
    },
  };
}

async function* download(start: URL, rules: UrlRules): AsyncGenerator<Uint8Array> {
  let url = start;
  for (let redirects = 0; ; redirects++) {
    const sending = send(url, 'GET', rules);
    sending.end();
    const reply = await answered(sending, url);
    const { location } = reply.headers;
    const status = reply.statusCode ?? 0;
    if (status < 300 || status >= 400 || location === undefined) {
      checkStatus(reply, url);
      yield* reply as AsyncIterable<Uint8Array>;
      if (!reply.complete) throw failed(url, 'the answer broke off');
      return;
    }
    reply.destroy();
    if (redirects === redirectsMax) throw failed(url, `more than ${redirectsMax} redirects`);
    url = parseUrl(new URL(location, url).href);
  }
}

function send(url: URL, method: 'GET' | 'POST', { allowed, signal }: UrlRules) {
  if (allowed !== 'all') checkLiteralHost(url.hostname);
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return request(url, {
    method,
    signal,
    agent: false,
    timeout: idleMs,
    headers: { 'user-agent': 'muster', 'accept-encoding': 'identity' },
    ...(allowed === 'all' ? {} : { lookup: publicLookup }),
  });
}

async function answered(sending: ReturnType<typeof send>, url: URL): Promise<IncomingMessage> {
  sending.on('timeout', () => sending.destroy(failed(url, `silent for ${idleMs / 1000} s`)));
  try {
    const [reply] = (await once(sending, 'response')) as [IncomingMessage];
    return reply;
  } catch (error) {
    if (error instanceof MusterError) throw error;
    // What the look-up refused.
    if (error instanceof Error && error.cause instanceof MusterError) throw error.cause;
    throw failed(url, error instanceof Error && 'code' in error ? String(error.code) : 'no answer');
  }
}

function checkStatus(reply: IncomingMessage, url: URL): void {
  const status = reply.statusCode ?? 0;
  if (status >= 200 && status < 300) return;
  reply.destroy();
  throw failed(url, `HTTP status ${status}`);
}

function parseUrl(text: string): URL {
  if (URL.canParse(text)) {
    const url = new URL(text);
    if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  }
  throw new MusterError(
    'BAD_ARGUMENTS',
    `'${withoutSecrets(text)}' is no address for url(): expected http:// or https://`,
  );
}

function checkAllowed({ allowed }: UrlRules): void {
  if (allowed !== undefined) return;
  throw new MusterError('SUPPORT_IS_DISABLED', 'Table function url() is off in this process');
}

function failed(url: URL, why: string): MusterError {
  return new MusterError(
    'RECEIVED_ERROR_FROM_REMOTE_IO_SERVER',
    `Can't read or write ${url.protocol}//${url.host}${url.pathname}: ${why}`,
  );
}
