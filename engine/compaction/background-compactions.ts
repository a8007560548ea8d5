// Compacts behind the inserts of this process: the partitions that an insert wrote to are looked at, one
// table at a time, again and again until nothing is due. Failures are left to the next insert: a
// compaction is never needed, and nobody waits for one.

import {
  backgroundWork,
  compactOnce,
  type CompactionPorts,
  type CompactionTarget,
} from './compact-table.ts';

type Due = CompactionTarget & { readonly partitions: ReadonlySet<string> };

export class BackgroundCompactions {
  readonly #ports: CompactionPorts;
  readonly #stopping = new AbortController();
  /** By database and table. */
  readonly #due = new Map<string, Due>();
  #running: Promise<void> | undefined;
  #failures = 0;

  constructor(ports: Omit<CompactionPorts, 'signal'>) {
    this.#ports = { ...ports, signal: this.#stopping.signal };
  }

  get failures(): number {
    return this.#failures;
  }

  /** Returns at once. */
  schedule(target: Due): void {
    if (this.#stopping.signal.aborted) return;
    this.#add(target);
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  /** When nothing is due. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Ends what goes on at its next step, and begins nothing more. */
  async stop(): Promise<void> {
    this.#due.clear();
    this.#stopping.abort();
    await this.idle();
  }

  #add(target: Due): void {
    const name = JSON.stringify([target.database, target.table.id]);
    const known = this.#due.get(name)?.partitions ?? [];
    this.#due.set(name, { ...target, partitions: new Set([...known, ...target.partitions]) });
  }

  /** They are from before a merge: what they show to be due may be done. */
  #forgetSnapshots(): void {
    for (const [name, { database, table, partitions }] of this.#due) {
      this.#due.set(name, { database, table, partitions });
    }
  }

  async #run(): Promise<void> {
    for (const [name, target] of this.#due) {
      this.#due.delete(name);
      try {
        if (await compactOnce(target, backgroundWork, this.#ports)) {
          this.#add(target);
          this.#forgetSnapshots();
        }
      } catch {
        this.#failures++;
      }
      if (this.#stopping.signal.aborted) return;
    }
  }
}
