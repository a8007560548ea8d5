// The page for browsers, as built by console/build.mjs: one file, read once. Its content policy, by
// hashes, stands in its head; here it becomes a header too, with what only headers can say.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type Exchange, headerOf, type ReplyHeaders } from './exchange.ts';

export interface ConsolePage {
  readonly body: Uint8Array;
  readonly headers: ReplyHeaders;
  /** The same page, compressed, with an etag of its own. */
  readonly gzip: { readonly body: Uint8Array; readonly headers: ReplyHeaders };
}

/** Undefined where the build left the page out, as bundles of functions do. */
export function consolePage(): ConsolePage | undefined {
  const isBuilt = import.meta.url.endsWith('.js');
  const path = isBuilt ? '../../console/page.html' : '../../dist/console/page.html';
  const file = fileURLToPath(new URL(path, import.meta.url));
  return existsSync(file) ? pageOf(readFileSync(file)) : undefined;
}

/** 200, or 304 to those who have it. */
export async function replyConsolePage(exchange: Exchange, page: ConsolePage): Promise<void> {
  const { headers, method, reply } = exchange;
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(
    headerOf(headers, 'accept-encoding') ?? '',
  );
  const form = takesGzip ? page.gzip : page;
  const known = headerOf(headers, 'if-none-match') ?? '';
  if (known.includes(String(form.headers['ETag']))) {
    reply.head(304, form.headers);
    await reply.end();
    return;
  }
  reply.head(200, { ...form.headers, 'Content-Length': form.body.length });
  await reply.end(method === 'HEAD' ? undefined : form.body);
}

/** Of the bytes of a built page. */
export function pageOf(body: Buffer): ConsolePage {
  const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(
    body.toString('utf8'),
  )?.[1];
  if (policy === undefined) throw new Error('dist/console/page.html holds no policy: build it');
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const headers = {
    'Content-Type': 'text/html; charset=UTF-8',
    'Content-Security-Policy': `${policy}; frame-ancestors 'none'`,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    // The same address answers `Ok.` to programs.
    Vary: 'Accept, Accept-Encoding',
    'Cache-Control': 'no-cache',
  };
  return {
    body,
    headers: { ...headers, ETag: `"${digest}"` },
    gzip: {
      body: gzipSync(body, { level: 9 }),
      headers: { ...headers, ETag: `"${digest}-gzip"`, 'Content-Encoding': 'gzip' },
    },
  };
}
