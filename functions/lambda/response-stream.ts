// Replies that Lambda streams to who asks: up to 200 MB, and the first bytes before the last are known.
// Only Lambda itself has the `awslambda` global that makes a handler of this kind; the Function URL must
// be of the mode RESPONSE_STREAM, which the deployment says by MUSTER_RESPONSE_STREAM.

import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Environment } from '../environment.ts';
import type { Reply, ReplyHeaders } from '../http/exchange.ts';
import type { FunctionContext } from './function-call.ts';
import { textHeaders } from './url-exchange.ts';

interface ReplyHead {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

type StreamHandler = (event: unknown, stream: Writable, context: FunctionContext) => Promise<void>;

/** What Lambda's Node runtime defines. */
export interface StreamingRuntime {
  streamifyResponse(handler: StreamHandler): unknown;
  readonly HttpResponseStream: { from(stream: Writable, head: ReplyHead): Writable };
}

/** Undefined where replies are to be gathered, and anywhere but in Lambda. */
export function streamingRuntime(
  environment: Environment,
  scope: object = globalThis,
): StreamingRuntime | undefined {
  if (environment['MUSTER_RESPONSE_STREAM'] !== '1') return undefined;
  return (scope as { readonly awslambda?: StreamingRuntime }).awslambda;
}

export class StreamedReply implements Reply {
  readonly #runtime: StreamingRuntime;
  readonly #raw: Writable;
  #stream: Writable | undefined;

  constructor(runtime: StreamingRuntime, raw: Writable) {
    this.#runtime = runtime;
    this.#raw = raw;
  }

  get begun(): boolean {
    return this.#stream !== undefined;
  }

  get closed(): boolean {
    const stream = this.#stream ?? this.#raw;
    return stream.destroyed || stream.writableEnded;
  }

  head(status: number, headers: ReplyHeaders): void {
    if (this.closed) return;
    const head = { statusCode: status, headers: textHeaders(headers) };
    this.#stream = this.#runtime.HttpResponseStream.from(this.#raw, head);
    // A client that leaves is no failure of ours; `closed` tells of it.
    this.#stream.on('error', () => {});
  }

  async write(chunk: Uint8Array): Promise<void> {
    const stream = this.#stream;
    if (stream === undefined || this.closed || stream.write(chunk)) return;
    const settled = new AbortController();
    const { signal } = settled;
    try {
      await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]);
    } catch {
      // An error of the stream: `closed` tells of it.
    } finally {
      settled.abort();
    }
  }

  async end(chunk?: Uint8Array): Promise<void> {
    const stream = this.#stream ?? this.#raw;
    if (this.closed) return;
    await new Promise<void>((resolve) => {
      stream.once('close', resolve);
      if (chunk === undefined) stream.end(() => resolve());
      else stream.end(chunk, () => resolve());
    });
  }

  async breakOff(): Promise<void> {
    const stream = this.#stream;
    if (stream === undefined || this.closed) return;
    // Behind all that was written; an error, so that Lambda ends the reply as broken.
    await new Promise<void>((resolve) => {
      stream.once('close', resolve);
      stream.write('', () => resolve());
    });
    stream.destroy(new Error('The answer broke off'));
  }
}
