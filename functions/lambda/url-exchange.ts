// Exchanges over a Function URL's events (payload format 2.0): the body is in the event, whole; the
// reply is gathered, for Lambda takes it whole, and is base64 whatever it holds. The longest body that
// fits its 6 MB is known, and what is longer is answered by an error that says what to do. Where
// Lambda streams replies, response-stream.ts takes this one's place.

import { MusterError } from '../../base/errors.ts';
import { describeError } from '../http/error-text.ts';
import type { Exchange, Reply, ReplyHeaders } from '../http/exchange.ts';
import type { UrlEvent } from './function-event.ts';

/** What Lambda takes back from a Function URL's handler. */
export interface UrlReply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: true;
}

/** 6 MB is the whole of the JSON: base64 adds a third, and the headers need some. */
const replyBytesMax = Math.floor(((6 * 1024 - 64) * 1024 * 3) / 4);

/** `gone` also fires when the function's time is over: what is asked then is answered with its reason. */
export function urlExchange(event: UrlEvent, reply: Reply, gone: AbortSignal): Exchange {
  const search = withoutSignature(event.rawQueryString ?? '');
  const { method, sourceIp = '' } = event.requestContext.http;
  return {
    method: method.toUpperCase(),
    url: search === '' ? event.rawPath : `${event.rawPath}?${search}`,
    headers: unsignedHeaders(event.headers),
    client: sourceIp,
    interface: 'lambda',
    reply,
    gone,
    body: () => bodyOf(event),
  };
}

/** AWS's signature says who calls to AWS, which has judged it; it names none of our users. */
function unsignedHeaders(headers: UrlEvent['headers']): UrlEvent['headers'] {
  if (!/^AWS4-/i.test(headers['authorization'] ?? '')) return headers;
  const { authorization: _, ...others } = headers;
  return others;
}

function withoutSignature(search: string): string {
  return search
    .split('&')
    .filter((part) => !/^X-Amz-[\w-]+=/i.test(part))
    .join('&');
}

async function* bodyOf({ body, isBase64Encoded }: UrlEvent): AsyncGenerator<Uint8Array> {
  if (body !== undefined && body !== null)
    yield Buffer.from(body, isBase64Encoded === true ? 'base64' : 'utf8');
}

/** Nobody has seen any of it before its end, so that until then it can become an error. */
export class GatheredReply implements Reply {
  readonly #tooLong: (error: MusterError) => void;
  #status = 500;
  #headers: Readonly<Record<string, string>> = {};
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #state: 'open' | 'begun' | 'ended' | 'too long' = 'open';

  /** `tooLong` is told once, so that the work for it can end. */
  constructor(tooLong: (error: MusterError) => void) {
    this.#tooLong = tooLong;
  }

  get begun(): boolean {
    return this.#state !== 'open';
  }

  get closed(): boolean {
    return this.#state === 'ended' || this.#state === 'too long';
  }

  head(status: number, headers: ReplyHeaders): void {
    if (this.closed) return;
    this.#status = status;
    this.#headers = textHeaders(headers);
    this.#state = 'begun';
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.closed) return;
    this.#bytes += chunk.length;
    this.#chunks.push(chunk);
    if (this.#bytes <= replyBytesMax) return;
    this.#state = 'too long';
    this.#become(answerTooLong());
  }

  async end(chunk?: Uint8Array): Promise<void> {
    if (chunk !== undefined) await this.write(chunk);
    if (!this.closed) this.#state = 'ended';
  }

  /** What was written ends with the error's text, which a status of success would hide. */
  async breakOff(): Promise<void> {
    if (this.closed) return;
    this.#status = 500;
    this.#state = 'ended';
  }

  /** Once the exchange is done. */
  get whole(): UrlReply {
    const headers = Object.entries(this.#headers).filter(([name]) => !hopHeaders.test(name));
    return {
      statusCode: this.#status,
      headers: Object.fromEntries(headers),
      body: Buffer.concat(this.#chunks, this.#bytes).toString('base64'),
      isBase64Encoded: true,
    };
  }

  #become(error: MusterError): void {
    const { http, code, text } = describeError(error);
    const body = Buffer.from(text, 'utf8');
    const names = Object.entries(this.#headers).filter(([name]) => /^x-clickhouse-/i.test(name));
    this.#status = http;
    this.#headers = {
      ...Object.fromEntries(names),
      'Content-Type': 'text/plain; charset=UTF-8',
      'X-ClickHouse-Exception-Code': String(code),
    };
    this.#chunks = [body];
    this.#bytes = body.length;
    this.#tooLong(error);
  }
}

/** Lambda sets them itself. */
const hopHeaders = /^(content-length|connection|transfer-encoding|keep-alive)$/i;

export function textHeaders(headers: ReplyHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
  );
}

function answerTooLong(): MusterError {
  const megabytes = (replyBytesMax / 1024 / 1024).toFixed(1);
  return new MusterError(
    'TOO_MANY_ROWS_OR_BYTES',
    `The answer is longer than the ${megabytes} MB that a buffered Function URL returns: add a LIMIT, ` +
      'ask for compression (enable_http_compression=1), or deploy with --stream, which takes 200 MB',
  );
}
