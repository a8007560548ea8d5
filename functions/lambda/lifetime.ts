// What lives as long as a function's environment: opened while the environment starts, once, and again
// by the next call when opening failed, so that a store that is back is found without a new
// deployment.

export class Lifetime<T> {
  readonly #open: () => Promise<T>;
  #opened: Promise<T> | undefined;

  constructor(open: () => Promise<T>) {
    this.#open = open;
    // Whoever calls first is told of a failure.
    this.get().catch(() => {});
  }

  /** Rejects as opening did. */
  async get(): Promise<T> {
    this.#opened ??= this.#open();
    try {
      return await this.#opened;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }
}
