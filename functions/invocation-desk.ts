// Where invocations of roots on other machines come in over HTTP: one path, one secret; who doesn't
// know it learns nothing. What is taken is evaluated by the invoker, so many side by side; more are
// refused, and go elsewhere or wait.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { systemClock } from '../base/clock.ts';
import {
  affinityHeader,
  invocationPath,
  parallelismHeader,
} from '../engine/batch/http-exchange.ts';
import type { Invoker } from '../engine/batch/invoker.ts';
import type { Log } from './log.ts';

/** For each thread: more of them side by side would only make all late. */
const invocationsMaxPerThread = 16;
const requestBytesMax = 512 * 1024 * 1024;
const discardedBytesMax = 64 * 1024 * 1024;
const discardingMsMax = 10_000;
const stallMsDefault = 60_000;
const retryAfterSeconds = 1;

interface DeskOptions {
  readonly secret: string;
  readonly log: Log;
  readonly invocationsMax?: number;
  /** How long a root may send nothing of a request, or take nothing of a reply: it may be gone. */
  readonly stallMs?: number;
}

/** Takes requests in, refuses those that it must, and counts what runs. */
export class InvocationDesk {
  readonly #invoker: Invoker;
  readonly #secretHash: Uint8Array;
  readonly #log: Log;
  readonly #invocationsMax: number;
  readonly #stallMs: number;
  readonly #running = new Map<AbortController, Promise<void>>();
  #isDraining = false;

  constructor(invoker: Invoker, options: DeskOptions) {
    this.#invoker = invoker;
    this.#secretHash = hashOf(`Bearer ${options.secret}`);
    this.#log = options.log;
    this.#invocationsMax = options.invocationsMax ?? invoker.parallelism * invocationsMaxPerThread;
    this.#stallMs = options.stallMs ?? stallMsDefault;
  }

  get running(): number {
    return this.#running.size;
  }

  async receive(request: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (request.method === 'GET' && request.url === '/ping') return answer(outgoing, 200, 'Ok.\n');
    const refusal = this.#refusal(request);
    if (refusal === undefined) {
      const controller = new AbortController();
      // Sent to its end, or its taker gone.
      const closed = new Promise<void>((resolve) => void outgoing.once('close', resolve));
      void closed.then(() => controller.abort());
      const ended = this.#serve(request, outgoing, controller.signal).then(() => closed);
      this.#running.set(controller, ended);
      await ended;
      this.#running.delete(controller);
      return;
    }
    outgoing.setTimeout(Math.min(this.#stallMs, discardingMsMax));
    await discard(request);
    if (refusal === 429) outgoing.setHeader('retry-after', retryAfterSeconds);
    if (refusal === 503) outgoing.setHeader('connection', 'close');
    answer(outgoing, refusal, '');
  }

  /** Resolves when nothing runs any more. From now on nothing new is taken. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await Promise.all(this.#running.values());
  }

  cancelAll(): void {
    for (const controller of this.#running.keys()) controller.abort();
  }

  #refusal(request: IncomingMessage): number | undefined {
    const given = hashOf(request.headers.authorization ?? '');
    if (!timingSafeEqual(given, this.#secretHash)) {
      this.#log.event('warn', 'refused: not the secret of this worker', {
        client: request.socket.remoteAddress,
      });
      return 403;
    }
    if (request.method !== 'POST' || request.url !== invocationPath) return 404;
    if (this.#isDraining) return 503;
    if (Number(request.headers['content-length'] ?? 0) > requestBytesMax) return 413;
    return this.#running.size >= this.#invocationsMax ? 429 : undefined;
  }

  async #serve(
    request: IncomingMessage,
    outgoing: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      // Without a listener Node breaks the connection when the time is over.
      outgoing.setTimeout(this.#stallMs);
      const bytes = await bodyOf(request);
      outgoing.setTimeout(0);
      const affinity = request.headers[affinityHeader];
      const hints = typeof affinity === 'string' ? { affinity } : {};
      const reply = await this.#invoker.invoke(bytes, { signal, ...hints });
      if (this.#isDraining) outgoing.setHeader('connection', 'close');
      outgoing.setHeader('content-type', 'application/octet-stream');
      outgoing.setHeader(parallelismHeader, this.#invoker.parallelism);
      outgoing.setTimeout(this.#stallMs);
      answer(outgoing, 200, reply);
    } catch {
      // The root went away while it was sending.
      outgoing.destroy();
    }
  }
}

/** Who is still sending would see a broken socket, and not what was answered. */
async function discard(request: IncomingMessage): Promise<void> {
  const endsAt = systemClock.monotonic() + discardingMsMax;
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > discardedBytesMax || systemClock.monotonic() > endsAt) request.destroy();
    }
  } catch {
    // Gone.
  }
}

function answer(outgoing: ServerResponse, status: number, body: string | Uint8Array): void {
  if (outgoing.destroyed) return;
  outgoing.statusCode = status;
  outgoing.setHeader('content-length', body.length);
  outgoing.end(body);
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const body = new Uint8Array(Number(request.headers['content-length'] ?? 0));
  let at = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}

/** Hashes have one length, so that comparing takes one time. */
function hashOf(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
