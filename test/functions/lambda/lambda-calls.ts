// What Lambda gives a handler, for tests: contexts and the events of a Function URL.

import type { FunctionContext } from '../../../functions/lambda/function-call.ts';
import type { UrlEvent } from '../../../functions/lambda/function-event.ts';

export function functionContext(leftMs = 30_000): FunctionContext {
  return {
    awsRequestId: 'request-1',
    functionName: 'muster-test',
    getRemainingTimeInMillis: () => leftMs,
  };
}

interface UrlOptions {
  readonly method?: string;
  readonly path?: string;
  readonly search?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text goes as it is, bytes as base64. */
  readonly body?: string | Uint8Array;
}

export function urlEvent(options: UrlOptions = {}): UrlEvent & { readonly version: '2.0' } {
  const { method = 'POST', path = '/', search = '', headers = {}, body } = options;
  const text = typeof body === 'string' ? body : undefined;
  const base64 = body instanceof Uint8Array ? Buffer.from(body).toString('base64') : undefined;
  return {
    version: '2.0',
    rawPath: path,
    rawQueryString: search,
    headers,
    requestContext: { http: { method, sourceIp: '192.0.2.7' } },
    ...(body === undefined ? {} : { body: text ?? base64 ?? '' }),
    isBase64Encoded: base64 !== undefined,
  };
}
