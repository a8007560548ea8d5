// One thread that evaluates invocations, as the root's thread sees it: messages over its port.
//
// A thread that ends is a danger to its process. When an isolate is torn down, V8 may collect garbage
// after Node has let go of the thread's addons; roaring's finalizers then run in a library that is
// mapped no more (the process ends with SIGSEGV), or count down in memory that is freed. So:
// - the addon is loaded by this thread first (the import below), which keeps it mapped;
// - threads live as long as the process, and are never terminated from outside;
// - one that is closed lets go of its sets and collects them before it ends (thread-server.ts).

import { Worker } from 'node:worker_threads';
import '../../storage-format/bitmap.ts';
import type { FromThread, ToThread } from '../worker/thread-server.ts';
import { type LocalWorker, WorkerGone } from './local-pool.ts';
import { PendingReplies } from './pending-replies.ts';

export interface ThreadProgram {
  /** Built: Node runs no TypeScript. */
  readonly path: string;
  /** What the program finds as its `workerData`, with its place. */
  readonly data: Readonly<Record<string, unknown>>;
}

export class WorkerThread implements LocalWorker {
  readonly threadId: number;
  readonly #thread: Worker;
  readonly #pending = new PendingReplies();
  readonly #ended: Promise<void>;
  #alive = true;

  constructor({ path, data }: ThreadProgram, place: number) {
    this.#thread = new Worker(path, { workerData: { ...data, place } });
    this.threadId = this.#thread.threadId;
    this.#thread.on('message', ({ number, reply }: FromThread) => {
      this.#pending.answer(number, reply);
    });
    // Idle threads don't keep a process from ending.
    this.#thread.unref();
    this.#ended = new Promise((resolve) => {
      let why = '';
      this.#thread.on('error', (error: unknown) => {
        why = `: ${error instanceof Error ? error.message : String(error)}`;
      });
      this.#thread.once('exit', (code) => {
        this.#alive = false;
        this.#pending.fail(new WorkerGone(`A worker thread ended (exit code ${code})${why}`));
        resolve();
      });
    });
  }

  get alive(): boolean {
    return this.#alive;
  }

  get busy(): number {
    return this.#pending.unanswered;
  }

  async invoke(request: Uint8Array, signal?: AbortSignal): Promise<Uint8Array> {
    try {
      return await this.#pending.request(signal, {
        send: (number) => {
          this.#thread.ref();
          const copy = Uint8Array.from(request);
          this.#send({ kind: 'invocation', number, request: copy }, [copy.buffer]);
        },
        cancel: (number) => this.#send({ kind: 'cancel', number }),
      });
    } finally {
      if (!this.#pending.any) this.#thread.unref();
    }
  }

  async close(): Promise<void> {
    this.#thread.ref();
    this.#send({ kind: 'close' });
    await this.#ended;
  }

  /** It ends with its process. */
  abandon(): void {
    this.#thread.unref();
  }

  #send(message: ToThread, transferred: readonly ArrayBuffer[] = []): void {
    if (this.#alive) this.#thread.postMessage(message, [...transferred]);
  }
}
