// A thread that runs kernels over a memory of this one, and nothing else: it has no modules, no files and
// no heap to speak of. Its program is text, so that bundles need no file beside them.

import { Worker } from 'node:worker_threads';
import type { KernelCalls, KernelMemory } from './kernel-memory.ts';
import { kernelModule } from './kernel-memory.ts';

/** One call of a kernel, as data. */
export interface KernelCall {
  readonly name: keyof KernelCalls;
  readonly args: readonly number[];
}

const program = `
const { parentPort, workerData } = require('node:worker_threads');
const { module, memory } = workerData;
const { exports } = new WebAssembly.Instance(module, { env: { memory } });
parentPort.on('message', (calls) => {
  for (const { name, args } of calls) exports[name](...args);
  parentPort.postMessage(0);
});
`;

export class KernelThread {
  readonly #thread: Worker;
  readonly #waiting: { resolve(): void; reject(error: unknown): void }[] = [];

  constructor(memory: KernelMemory) {
    const workerData = { module: kernelModule(), memory: memory.memory };
    this.#thread = new Worker(program, { eval: true, workerData });
    this.#thread.unref();
    this.#thread.on('message', () => this.#settle()?.resolve());
    this.#thread.on('error', (error) => this.#settle()?.reject(error));
  }

  /** Runs the calls in order; several runs follow one another. */
  async run(calls: readonly KernelCall[]): Promise<void> {
    this.#thread.ref();
    const done = new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of windows, not threads
    this.#thread.postMessage(calls);
    await done;
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  #settle(): { resolve(): void; reject(error: unknown): void } | undefined {
    const first = this.#waiting.shift();
    // Idle threads don't keep a process from ending.
    if (this.#waiting.length === 0) this.#thread.unref();
    return first;
  }
}

/** Does one call here. */
export function callKernel(calls: KernelCalls, { name, args }: KernelCall): void {
  const call: (...args: readonly number[]) => unknown = calls[name];
  call(...args);
}
