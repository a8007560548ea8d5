// Work done by threads of this process. Each has its own store client and caches, and requests and
// replies are bytes all the same: nothing but the store is shared. Bytes move without being encoded
// again: a request is copied once, a reply not at all.

import type { InvokeOptions, Invoker } from './invoker.ts';
import { LocalPool } from './local-pool.ts';
import { type ThreadProgram, WorkerThread } from './worker-thread.ts';

interface ThreadOptions {
  readonly program: ThreadProgram;
  readonly threads: number;
  /** As in Invoker. */
  readonly invocationMsMin?: number;
}

export class ThreadInvoker implements Invoker {
  readonly parallelism: number;
  readonly invocationMsMin: number;
  readonly #pool: LocalPool<WorkerThread>;

  constructor({ threads, program, invocationMsMin = 0 }: ThreadOptions) {
    this.parallelism = threads;
    this.invocationMsMin = invocationMsMin;
    this.#pool = new LocalPool(threads, (place) => new WorkerThread(program, place));
  }

  /** Of the living threads, as Node numbers them. */
  get threadIds(): readonly number[] {
    return this.#pool.alive.map((worker) => worker.threadId);
  }

  /** Without waiting: so that the first question finds them ready, or nearly so. */
  startAll(): void {
    this.#pool.startAll();
  }

  async invoke(request: Uint8Array, options: InvokeOptions = {}): Promise<Uint8Array> {
    return await this.#pool.invoke(request, options);
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}
