// What lives as long as a function's environment: opened while the environment starts, once, and again
// by the next call when opening failed, so that a store that is back is found without a new
// deployment.

import { unlessAborted } from '../../base/unless-aborted.ts';

export class Lifetime<T> {
  readonly #open: () => Promise<T>;
  #opened: Promise<T> | undefined;

  constructor(open: () => Promise<T>) {
    this.#open = open;
    // Whoever calls first is told of a failure.
    this.get().catch(() => {});
  }

  /** Rejects as opening did, or with the reason of the signal: opening goes on for the next call. */
  async get(signal?: AbortSignal): Promise<T> {
    const opened = (this.#opened ??= this.#start());
    return signal === undefined ? await opened : await unlessAborted(signal, opened, () => {});
  }

  #start(): Promise<T> {
    const opened = this.#open();
    opened.catch(() => {
      if (this.#opened === opened) this.#opened = undefined;
    });
    return opened;
  }
}
