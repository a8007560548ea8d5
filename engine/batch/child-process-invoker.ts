// Work done by child processes on this machine, which share nothing with the root but the store.

import type { InvokeOptions, Invoker } from './invoker.ts';
import { LocalPool } from './local-pool.ts';
import { type WorkerCommand, WorkerProcess } from './worker-process.ts';

interface ChildProcessOptions {
  readonly command: WorkerCommand;
  readonly workers: number;
}

export class ChildProcessInvoker implements Invoker {
  readonly parallelism: number;
  readonly #pool: LocalPool<WorkerProcess>;

  constructor({ workers, command }: ChildProcessOptions) {
    this.parallelism = workers;
    this.#pool = new LocalPool(workers, () => new WorkerProcess(command));
  }

  /** Of the living workers. */
  get processIds(): readonly number[] {
    return this.#pool.alive.flatMap((worker) => worker.processId ?? []);
  }

  async invoke(request: Uint8Array, options: InvokeOptions = {}): Promise<Uint8Array> {
    return await this.#pool.invoke(request, options);
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}
