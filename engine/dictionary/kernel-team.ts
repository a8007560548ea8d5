// This thread and others that run kernels over its memory: calls that are cut into shares, one for each.
// Threads start with the first work that is cut.

import { systemClock } from '../../base/clock.ts';
import { threadHeap } from '../../kernels/kernel-heap.ts';
import { callKernel, type KernelCall, KernelThread } from '../../kernels/kernel-thread.ts';

/** Fewer keys are not worth waking a thread. */
export const shareMin = 32_768;
/** Keys of one call: others get their turn between calls. */
export const stepKeys = 65_536;

export class KernelTeam {
  readonly heap = threadHeap();
  readonly #size: number;
  #threads: KernelThread[] = [];

  /** `size`: how many work, this thread included. */
  constructor(size: number) {
    this.#size = size;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  /** Into how many shares so many keys are cut. */
  shares(keys: number): number {
    return keys < shareMin ? 1 : this.#size;
  }

  /** The first share's calls on this thread, the others on threads of their own. */
  async run(calls: readonly (readonly KernelCall[])[]): Promise<void> {
    const [own = [], ...others] = calls;
    while (this.#threads.length < others.length) {
      this.#threads.push(new KernelThread(this.heap.memory));
    }
    const running = others.map(async (call, i) => await this.#threads[i]?.run(call));
    for (const [i, call] of own.entries()) {
      if (i > 0) await systemClock.sleep(0);
      callKernel(this.heap.memory.calls, call);
    }
    await Promise.all(running);
  }
}

/** [start, end) cut into `shares` ranges. */
export function cutShares(
  start: number,
  end: number,
  shares: number,
): readonly (readonly [number, number])[] {
  const cut = (share: number) => start + Math.floor(((end - start) * share) / shares);
  return Array.from({ length: shares }, (_, share) => [cut(share), cut(share + 1)] as const);
}

/** [start, end) cut into runs of at most `step`. */
export function inSteps(
  start: number,
  end: number,
  step: number,
): readonly (readonly [number, number])[] {
  const steps: (readonly [number, number])[] = [];
  for (let from = start; from < end; from += step) {
    steps.push([from, Math.min(from + step, end)]);
  }
  return steps;
}
