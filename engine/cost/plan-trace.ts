// How a plan ran: the rows that each node gave and the time that each stage took, for EXPLAIN ANALYZE.
// What went to workers is in the ledger (cost-ledger.ts). One per statement that asks for it.

import type { Clock } from '../../base/clock.ts';
import type { NodeId } from '../plan/physical-plan.ts';

export class PlanTrace {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #rows = new Map<NodeId, number>();
  readonly #entered: number[] = [];
  #left = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** A stage begins, and the one before it ends. */
  enter(stage: number): void {
    this.#entered[stage] = this.#clock.monotonic();
  }

  /** The last stage ends. */
  leave(): void {
    this.#left = this.#clock.monotonic();
  }

  /** A node gave so many rows, more. */
  rows(node: NodeId, rows: number): void {
    this.#rows.set(node, (this.#rows.get(node) ?? 0) + rows);
  }

  async *counted<T extends { readonly rows: number }>(
    node: NodeId,
    blocks: AsyncIterable<T>,
  ): AsyncGenerator<T> {
    this.rows(node, 0);
    for await (const block of blocks) {
      this.rows(node, block.rows);
      yield block;
    }
  }

  /** Undefined of a node that did not run by itself. */
  rowsOf(node: NodeId): number | undefined {
    return this.#rows.get(node);
  }

  /** From where the stage began, its dispatch first, to where the next one did. */
  stageMs(stage: number): number {
    const start = this.#entered[stage];
    return start === undefined ? 0 : (this.#entered[stage + 1] ?? this.#left) - start;
  }
}
