// An HTTP worker that does to its next requests what it is told, and serves all others as a worker does.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { serveInvocation } from '../../../engine/worker/invocation-service.ts';
import {
  createWorkerEnvironment,
  type WorkerEnvironment,
} from '../../../engine/worker/worker-environment.ts';
import type { ObjectStore } from '../../../object-store/port.ts';
import { BreakableServer } from './breakable-server.ts';

type HttpFault =
  /** The socket breaks, before or after the work is done. */
  | { readonly fault: 'dies' | 'lost reply' }
  | { readonly fault: 'hangs' }
  | { readonly fault: 'status'; readonly status: number; readonly retryAfter?: number }
  /** The reply of the first request ever. */
  | { readonly fault: 'foreign' };

export class FaultyHttpWorker extends BreakableServer<HttpFault> {
  readonly #worker: WorkerEnvironment;
  #first: Uint8Array | undefined;
  requests = 0;
  /** Whose sender went away before it was answered. */
  aborted = 0;

  private constructor(store: ObjectStore, clock: Clock) {
    super();
    this.#worker = createWorkerEnvironment(store, { clock });
  }

  static async start(store: ObjectStore, clock: Clock = systemClock): Promise<FaultyHttpWorker> {
    const worker = new FaultyHttpWorker(store, clock);
    await worker.listen();
    return worker;
  }

  protected override async receive(
    request: IncomingMessage,
    response: ServerResponse,
    fault: HttpFault | undefined,
  ): Promise<void> {
    this.requests++;
    if (fault?.fault === 'dies') return void request.socket.destroy();
    const controller = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) this.aborted++;
      controller.abort();
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk);
    if (fault?.fault === 'hangs') return;
    if (fault?.fault === 'status') {
      if (fault.retryAfter !== undefined) response.setHeader('retry-after', fault.retryAfter);
      return void response.writeHead(fault.status).end();
    }
    const { signal } = controller;
    const reply = await serveInvocation(Buffer.concat(chunks), this.#worker, { signal });
    this.#first ??= reply;
    if (fault?.fault === 'lost reply') return void request.socket.destroy();
    response.end(fault?.fault === 'foreign' ? this.#first : reply);
  }
}
