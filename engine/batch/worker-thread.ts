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
import { cancelled } from '../worker/pacer.ts';
import type { FromThread, ToThread } from '../worker/thread-server.ts';
import { type LocalWorker, WorkerGone } from './local-pool.ts';

export interface ThreadProgram {
  /** Built: Node runs no TypeScript. */
  readonly path: string;
  /** What the program finds as its `workerData`, with its place. */
  readonly data: Readonly<Record<string, unknown>>;
}

interface Pending {
  readonly resolve: (reply: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

export class WorkerThread implements LocalWorker {
  readonly threadId: number;
  readonly #thread: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #unanswered = new Set<number>();
  readonly #ended: Promise<void>;
  #nextNumber = 1;
  #alive = true;

  constructor({ path, data }: ThreadProgram, place: number) {
    this.#thread = new Worker(path, { workerData: { ...data, place } });
    this.threadId = this.#thread.threadId;
    this.#thread.on('message', ({ number, reply }: FromThread) => {
      this.#settle(number)?.resolve(reply);
      this.#unanswered.delete(number);
    });
    // Idle threads don't keep a process from ending.
    this.#thread.unref();
    this.#ended = new Promise((resolve) => {
      let why = '';
      this.#thread.on('error', (error: unknown) => {
        why = `: ${error instanceof Error ? error.message : String(error)}`;
      });
      this.#thread.once('exit', (code) => {
        this.#fail(new WorkerGone(`A worker thread ended (exit code ${code})${why}`));
        resolve();
      });
    });
  }

  get alive(): boolean {
    return this.#alive;
  }

  get busy(): number {
    return this.#unanswered.size;
  }

  async invoke(request: Uint8Array, signal?: AbortSignal): Promise<Uint8Array> {
    if (signal?.aborted === true) throw cancelled(signal);
    const number = this.#nextNumber++;
    const cancel = () => {
      if (signal !== undefined) this.#settle(number)?.reject(cancelled(signal));
      this.#send({ kind: 'cancel', number });
    };
    try {
      return await new Promise<Uint8Array>((resolve, reject) => {
        if (!this.#alive) reject(new WorkerGone('A worker thread had ended'));
        this.#pending.set(number, { resolve, reject });
        this.#unanswered.add(number);
        this.#thread.ref();
        signal?.addEventListener('abort', cancel, { once: true });
        const copy = Uint8Array.from(request);
        this.#send({ kind: 'invocation', number, request: copy }, [copy.buffer]);
      });
    } finally {
      this.#settle(number);
      signal?.removeEventListener('abort', cancel);
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

  #settle(number: number): Pending | undefined {
    const pending = this.#pending.get(number);
    if (this.#pending.delete(number) && this.#pending.size === 0) this.#thread.unref();
    return pending;
  }

  #fail(error: WorkerGone): void {
    this.#alive = false;
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }
}
