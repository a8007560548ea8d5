// An HTTP worker that does to its next requests what it is told, and serves all others as a worker does.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { serveInvocation } from '../../../engine/worker/invocation-service.ts';
import {
  createWorkerEnvironment,
  type WorkerEnvironment,
} from '../../../engine/worker/worker-environment.ts';
import type { ObjectStore } from '../../../object-store/port.ts';

type HttpFault =
  /** The socket breaks, before or after the work is done. */
  | { readonly fault: 'dies' | 'lost reply' }
  | { readonly fault: 'hangs' }
  | { readonly fault: 'status'; readonly status: number; readonly retryAfter?: number }
  /** The reply of the first request ever. */
  | { readonly fault: 'foreign' };

export class FaultyHttpWorker {
  readonly #server: Server;
  readonly #worker: WorkerEnvironment;
  readonly #sockets = new Set<Socket>();
  readonly #stale = new WeakSet<Socket>();
  #first: Uint8Array | undefined;
  #faults: HttpFault[] = [];
  #always: HttpFault | undefined;
  /** Requests that came, and connections. */
  requests = 0;
  connections = 0;
  /** Whose sender went away before it was answered. */
  aborted = 0;

  private constructor(store: ObjectStore, clock: Clock) {
    this.#worker = createWorkerEnvironment(store, { clock });
    this.#server = createServer((request, response) => void this.#receive(request, response));
    this.#server.on('connection', (socket) => {
      this.connections++;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(store: ObjectStore, clock: Clock = systemClock): Promise<FaultyHttpWorker> {
    const worker = new FaultyHttpWorker(store, clock);
    await new Promise<void>((resolve) => void worker.#server.listen(0, '127.0.0.1', resolve));
    return worker;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  next(...faults: readonly HttpFault[]): void {
    this.#faults.push(...faults);
  }

  always(fault: HttpFault): void {
    this.#always = fault;
  }

  /** All connections break as soon as something comes over them: as after a freeze. */
  makeStale(): void {
    for (const socket of this.#sockets) this.#stale.add(socket);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#stale.has(request.socket)) return void request.socket.destroy();
    this.requests++;
    const fault = this.#faults.shift() ?? this.#always;
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
