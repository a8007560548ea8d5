// Merges segments behind the inserts of this process: after an insert its database is looked at, one at
// a time, again and again until nothing is left to merge. Failures are left to the next insert: a merge is
// never needed, and nobody waits for one.

import { type MergePorts, mergeSegmentsOf } from './merge-segments.ts';

export class BackgroundMerges {
  readonly #ports: MergePorts;
  readonly #due = new Set<string>();
  #running: Promise<void> | undefined;
  #failures = 0;

  constructor(ports: MergePorts) {
    this.#ports = ports;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Returns at once. */
  schedule(database: string): void {
    this.#due.add(database);
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  /** When nothing is due. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    for (const database of this.#due) {
      this.#due.delete(database);
      try {
        if (await mergeSegmentsOf(database, this.#ports)) this.#due.add(database);
      } catch {
        this.#failures++;
      }
    }
  }
}
