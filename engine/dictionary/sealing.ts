// The trailers of pages that were just filled, written by every thread while a cache holds its pages, and
// the bounds of their hashes: what a segment's writer then needs not go through again. Integers only:
// pages of strings also name places in a file that isn't written yet.

import type { KernelHeap } from '../../kernels/kernel-heap.ts';
import type { KernelCall } from '../../kernels/kernel-thread.ts';
import { crcTables } from '../../storage-format/crc32c.ts';
import type { HashBounds } from '../../storage-format/segment-pages.ts';
import type { FillPlan } from './fill-plan.ts';

export class Sealing {
  readonly #heap: KernelHeap;
  readonly #plan: FillPlan;
  readonly #tables: number;
  readonly #bounds: number;

  constructor(heap: KernelHeap, plan: FillPlan) {
    this.#heap = heap;
    this.#plan = plan;
    this.#tables = heap.take(4 * crcTables.length + 8 * plan.runs.length);
    this.#bounds = this.#tables + 4 * crcTables.length;
    heap.memory.u32(this.#tables, crcTables.length).set(crcTables);
  }

  close(): void {
    this.#heap.give(this.#tables);
  }

  /** Of some runs, all of whose keys are in their pages. */
  call(runs: number, from: number, to: number): KernelCall {
    return { name: 'sealRuns', args: [runs, from, to, this.#bounds, this.#tables] };
  }

  /** Of each table, when all its runs are sealed. */
  bounds(): readonly HashBounds[] {
    const { firstRuns, runs } = this.#plan;
    const found = this.#heap.memory.u32(this.#bounds, 2 * runs.length);
    return firstRuns.map((first, i) => {
      let [hashMin, hashMax] = [0xffff_ffff, 0];
      for (let run = first; run < (firstRuns[i + 1] ?? runs.length); run++) {
        hashMin = Math.min(hashMin, found[2 * run]!);
        hashMax = Math.max(hashMax, found[2 * run + 1]!);
      }
      return { hashMin, hashMax };
    });
  }
}
