// Work done in this process, on this thread. Requests and replies are bytes all the same, so that
// nothing but them and the store is ever shared between a root and its workers.

import { serveInvocation } from '../worker/invocation-service.ts';
import type { WorkerEnvironment } from '../worker/worker-environment.ts';
import type { InvokeOptions, Invoker } from './invoker.ts';

export class InProcessInvoker implements Invoker {
  readonly parallelism = 1;
  readonly #worker: WorkerEnvironment;

  constructor(worker: WorkerEnvironment) {
    this.#worker = worker;
  }

  async invoke(request: Uint8Array, options: InvokeOptions = {}): Promise<Uint8Array> {
    return await serveInvocation(request, this.#worker, { signal: options.signal });
  }

  async close(): Promise<void> {}
}
