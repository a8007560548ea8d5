// One invocation as an HTTP request to one worker: bytes there, bytes back. Says what came of it as an
// outcome; who is asked next is for http-invoker.ts to say.

import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { assert } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { cancelled } from '../worker/pacer.ts';
import type { Outcome } from './remote-attempts.ts';
import { type PulseOptions, untilSilent } from './worker-pulse.ts';

/** Where a worker takes invocations. */
export const invocationPath = '/invocations';
/** Of requests: the key that says which of a worker's threads is preferred. */
export const affinityHeader = 'x-muster-affinity';
/** Of its replies: how many invocations it runs side by side usefully. */
export const parallelismHeader = 'x-muster-parallelism';

export type ExchangeOutcome =
  | Exclude<Outcome, { readonly outcome: 'elsewhere' | 'reply' }>
  /** Its connection stands, but nobody is there. */
  | { readonly outcome: 'silent'; readonly why: string }
  | (Extract<Outcome, { readonly outcome: 'reply' }> & { readonly parallelism: number });

interface ExchangeOptions {
  readonly signal: AbortSignal | undefined;
  readonly affinity: string;
}

interface HttpExchangeOptions {
  readonly secret: string;
  /** To one worker. */
  readonly socketsMax: number;
  readonly clock: Clock;
  readonly pulse: PulseOptions;
}

/** Shorter than servers keep theirs, so that idle sockets are seldom found closed. */
const idleSocketMs = 4000;
const retryAfterDefaultMs = 1000;

export class HttpExchange {
  readonly #plain: HttpAgent;
  readonly #secure: HttpsAgent;
  readonly #options: HttpExchangeOptions;

  constructor(options: HttpExchangeOptions) {
    const { socketsMax: maxSockets } = options;
    const sockets = { keepAlive: true, maxSockets, timeout: idleSocketMs };
    this.#plain = new HttpAgent(sockets);
    this.#secure = new HttpsAgent(sockets);
    this.#options = options;
  }

  /** Rejects when aborted, and with what the worker refused for good. Aborting closes the socket. */
  async send(origin: string, body: Uint8Array, options: ExchangeOptions): Promise<ExchangeOutcome> {
    const { clock, pulse } = this.#options;
    const { signal } = options;
    const [replied, given] = [new AbortController(), new AbortController()];
    const either = (one: AbortSignal) =>
      AbortSignal.any(signal === undefined ? [one] : [one, signal]);
    const why = `The worker at ${origin} has stopped answering`;
    const silent = untilSilent(origin, clock, { ...pulse, signal: either(replied.signal) }).then(
      () => ({ outcome: 'silent', why }) as const,
      // Whoever aborted hears of it from the exchange itself.
      () => undefined,
    );
    const exchanged = this.#exchange(origin, body, { ...options, signal: either(given.signal) });
    try {
      const first = await Promise.race([exchanged, silent]);
      if (first?.outcome !== 'silent') return await exchanged;
      exchanged.catch(() => {});
      given.abort();
      return first;
    } finally {
      replied.abort();
    }
  }

  async #exchange(
    origin: string,
    body: Uint8Array,
    options: ExchangeOptions,
  ): Promise<ExchangeOutcome> {
    const isSecure = origin.startsWith('https:');
    const pooled = isSecure ? this.#secure : this.#plain;
    const first = await this.#sendOver(pooled, origin, { body, ...options });
    if (first !== 'stale') return first;
    // The idle socket was closed at the other end, most likely before the request came: a new one.
    const again = await this.#sendOver(false, origin, { body, ...options });
    assert(again !== 'stale', 'a new socket was never idle');
    // Or it came, and its worker is gone since.
    return again.outcome === 'unreachable' ? { ...again, outcome: 'died' } : again;
  }

  async #sendOver(
    agent: HttpAgent | HttpsAgent | false,
    origin: string,
    { body, signal, affinity }: ExchangeOptions & { readonly body: Uint8Array },
  ): Promise<ExchangeOutcome | 'stale'> {
    const options = {
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${this.#options.secret}`,
        'content-type': 'application/octet-stream',
        'content-length': body.length,
        [affinityHeader]: encodeURIComponent(affinity),
      },
      ...(signal === undefined ? {} : { signal }),
    };
    const url = new URL(invocationPath, origin);
    const isSecure = url.protocol === 'https:';
    const sent = isSecure ? httpsRequest(url, options) : httpRequest(url, options);
    let isConnected = false;
    let hasAnswered = false;
    sent.on('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => (isConnected = true));
      else isConnected = true;
    });
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        sent.on('response', resolve);
        sent.on('error', reject);
        sent.end(body);
      });
      hasAnswered = true;
      return outcomeOf(origin, response, await bodyOf(response));
    } catch (error) {
      if (signal?.aborted === true) throw cancelled(signal);
      if (error instanceof MusterError) throw error;
      if (sent.reusedSocket && !hasAnswered && isReset(error)) return 'stale';
      const why = `The worker at ${origin} ${reasonOf(error)}`;
      return { outcome: isConnected ? 'died' : 'unreachable', why, cause: error };
    }
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }
}

function outcomeOf(origin: string, response: IncomingMessage, body: Uint8Array): ExchangeOutcome {
  const { statusCode: status = 0, headers } = response;
  if (status === 200) {
    const parallelism = Math.max(1, Number(headers[parallelismHeader] ?? 1) || 1);
    return { outcome: 'reply', reply: body, parallelism };
  }
  const why = `the worker at ${origin} answered with HTTP status ${status}`;
  if (status === 429) {
    const seconds = Number(headers['retry-after'] ?? Number.NaN);
    const retryAfterMs = seconds >= 0 ? seconds * 1000 : retryAfterDefaultMs;
    return { outcome: 'throttled', why, retryAfterMs };
  }
  if (status === 403) {
    throw new MusterError(
      // Not AUTHENTICATION_FAILED: the client's own password is right.
      'NETWORK_ERROR',
      `The worker at ${origin} does not know this server: ` +
        'give both the same secret (MUSTER_WORKER_SECRET)',
    );
  }
  // Draining, or a proxy whose worker is away.
  if (status >= 502 && status <= 504) return { outcome: 'unreachable', why: `T${why.slice(1)}` };
  throw new MusterError(
    'NETWORK_ERROR',
    `T${why.slice(1)}, as no worker of Muster does: check the addresses of the workers`,
  );
}

/** A buffer of its own, so that typed arrays can be views of it. */
async function bodyOf(response: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    bytes += chunk.length;
  }
  const body = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return 'refuses connections';
  if (code === 'ENOTFOUND') return 'has a name that nobody knows';
  return `is gone (${code ?? (error instanceof Error ? error.message : String(error))})`;
}

function isReset(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
