// An HTTP server of this process whose connections can be broken: what stands in for workers and for
// Lambda in tests of faults. What it does to the next requests is told by a queue.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export abstract class BreakableServer<F> {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #stale = new WeakSet<Socket>();
  #faults: F[] = [];
  #always: F | undefined;
  connections = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      if (this.#stale.has(request.socket)) request.socket.destroy();
      else void this.receive(request, response, this.#faults.shift() ?? this.#always);
    });
    this.#server.on('connection', (socket) => {
      this.connections++;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  protected abstract receive(
    request: IncomingMessage,
    response: ServerResponse,
    fault: F | undefined,
  ): Promise<void>;

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => void this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Of the next requests, one each. */
  next(...faults: readonly F[]): void {
    this.#faults.push(...faults);
  }

  always(fault: F): void {
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
}
