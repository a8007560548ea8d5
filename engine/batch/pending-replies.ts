// Requests on their way to one worker of this machine, by number: who waits for which reply, and which
// ones the worker has not answered yet, cancelled ones too.

import { cancelled } from '../worker/pacer.ts';
import type { WorkerGone } from './local-pool.ts';

interface Waiting {
  readonly resolve: (reply: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/** What is done with a request's number. */
interface RequestWay {
  readonly send: (number: number) => void;
  /** Tells the worker that nobody waits any more. */
  readonly cancel: (number: number) => void;
}

export class PendingReplies {
  readonly #waiting = new Map<number, Waiting>();
  readonly #unanswered = new Set<number>();
  #nextNumber = 1;
  #gone: WorkerGone | undefined;

  /** Somebody waits. */
  get any(): boolean {
    return this.#waiting.size > 0;
  }

  get unanswered(): number {
    return this.#unanswered.size;
  }

  /** Rejects with what `fail` was told, with the signal's reason when aborted. */
  async request(signal: AbortSignal | undefined, way: RequestWay): Promise<Uint8Array> {
    if (signal?.aborted === true) throw cancelled(signal);
    if (this.#gone !== undefined) throw this.#gone;
    const number = this.#nextNumber++;
    const cancel = () => {
      if (signal !== undefined) this.#waiting.get(number)?.reject(cancelled(signal));
      this.#waiting.delete(number);
      way.cancel(number);
    };
    try {
      return await new Promise<Uint8Array>((resolve, reject) => {
        this.#waiting.set(number, { resolve, reject });
        this.#unanswered.add(number);
        signal?.addEventListener('abort', cancel, { once: true });
        way.send(number);
      });
    } finally {
      this.#waiting.delete(number);
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** A reply that nobody waits for is dropped. */
  answer(number: number, reply: Uint8Array): void {
    this.#waiting.get(number)?.resolve(reply);
    this.#waiting.delete(number);
    this.#unanswered.delete(number);
  }

  /** The worker has ended: also for all requests to come. */
  fail(error: WorkerGone): void {
    this.#gone = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
