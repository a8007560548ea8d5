// Work done by child processes on this machine, which share nothing with the root but the store. They
// start when first needed; a dead one is replaced, and its work sent once more to another.

import { MusterError } from '../../base/errors.ts';
import type { InvokeOptions, Invoker } from './invoker.ts';
import { type WorkerCommand, WorkerGone, WorkerProcess } from './worker-process.ts';

interface ChildProcessOptions {
  readonly command: WorkerCommand;
  readonly workers: number;
}

export class ChildProcessInvoker implements Invoker {
  readonly parallelism: number;
  readonly #command: WorkerCommand;
  #workers: WorkerProcess[] = [];
  #closed = false;

  constructor(options: ChildProcessOptions) {
    this.parallelism = options.workers;
    this.#command = options.command;
  }

  /** Of the living workers. */
  get processIds(): readonly number[] {
    return this.#workers.flatMap((worker) => worker.processId ?? []);
  }

  async invoke(request: Uint8Array, options: InvokeOptions = {}): Promise<Uint8Array> {
    try {
      return await this.#worker().invoke(request, options.signal);
    } catch (error) {
      if (!(error instanceof WorkerGone)) throw error;
    }
    try {
      return await this.#worker().invoke(request, options.signal);
    } catch (error) {
      if (!(error instanceof WorkerGone)) throw error;
      throw new MusterError('NETWORK_ERROR', `${error.message}, twice for the same work`, {
        cause: error,
      });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }

  /** An idle worker, a new one while there may be more, or the least busy one. */
  #worker(): WorkerProcess {
    if (this.#closed) throw new MusterError('ABORTED', 'The workers are closed');
    this.#workers = this.#workers.filter((worker) => worker.alive);
    const [least] = this.#workers.toSorted((a, b) => a.busy - b.busy);
    if (least !== undefined && (least.busy === 0 || this.#workers.length === this.parallelism)) {
      return least;
    }
    const started = new WorkerProcess(this.#command);
    this.#workers.push(started);
    return started;
  }
}
