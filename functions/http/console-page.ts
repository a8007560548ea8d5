// The page for browsers, as built by console/build.mjs: one file, read once at most. Its content policy, by
// hashes, stands in its head; here it becomes a header too, with what only headers can say.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type Exchange, headerOf, type ReplyHeaders } from './exchange.ts';

export interface ConsolePage {
  readonly body: Uint8Array;
  readonly headers: ReplyHeaders;
  /** The same page, compressed, with an etag of its own. */
  readonly gzip: { readonly body: Uint8Array; readonly headers: ReplyHeaders };
}

/** Where it lies, by what this file has become: a source, a part of dist, or of a function's zip. */
const places: Readonly<Record<string, string>> = {
  '.ts': '../../dist/console/page.html',
  '.js': '../../console/page.html',
  '.mjs': './page.html',
};

let kept: ConsolePage | undefined;

/** Read when first asked for. Undefined where it was left out: of functions, all but the root. */
export function consolePage(): ConsolePage | undefined {
  if (kept !== undefined) return kept;
  const place = places[extname(import.meta.url)] ?? '';
  const file = fileURLToPath(new URL(place, import.meta.url));
  if (place !== '' && existsSync(file)) kept = pageOf(readFileSync(file));
  return kept;
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
