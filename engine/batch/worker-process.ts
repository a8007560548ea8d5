// One child process that evaluates invocations, as its parent sees it: frames over its standard input
// and output. Standard error is the parent's, for what a dying worker has to say.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { cancelled } from '../worker/pacer.ts';
import { FrameReader, frameHead } from './frames.ts';
import { type LocalWorker, WorkerGone } from './local-pool.ts';

export interface WorkerCommand {
  /** The program and its arguments, as `node dist/functions/worker-main.js {...}`. */
  readonly program: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface Pending {
  readonly resolve: (reply: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

export class WorkerProcess implements LocalWorker {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #pending = new Map<number, Pending>();
  readonly #unanswered = new Set<number>();
  readonly #ended: Promise<void>;
  #nextNumber = 1;
  #alive = true;

  constructor(command: WorkerCommand) {
    this.#child = spawn(command.program, [...command.arguments], {
      env: { ...command.environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const reader = new FrameReader();
    this.#child.stdout.on('data', (chunk: Uint8Array) => {
      for (const frame of reader.push(chunk)) {
        this.#settle(frame.number)?.resolve(frame.body);
        this.#unanswered.delete(frame.number);
      }
    });
    // A broken pipe is told by the exit that follows it.
    this.#child.stdin.on('error', () => {});
    this.#ended = new Promise((resolve) => {
      const end = (what: string) => {
        this.#fail(new WorkerGone(`A worker process ${what}`));
        resolve();
      };
      this.#child.once('error', (error) => end(`did not start: ${error.message}`));
      this.#child.once('close', (code, signal) => end(`ended (${signal ?? `exit code ${code}`})`));
    });
  }

  get alive(): boolean {
    return this.#alive;
  }

  get processId(): number | undefined {
    return this.#alive ? this.#child.pid : undefined;
  }

  get busy(): number {
    return this.#unanswered.size;
  }

  async invoke(request: Uint8Array, signal?: AbortSignal): Promise<Uint8Array> {
    if (signal?.aborted === true) throw cancelled(signal);
    const number = this.#nextNumber++;
    const cancel = () => {
      if (signal !== undefined) this.#settle(number)?.reject(cancelled(signal));
      if (this.#alive) this.#child.stdin.write(frameHead(number, 0));
    };
    try {
      return await new Promise<Uint8Array>((resolve, reject) => {
        if (!this.#alive) reject(new WorkerGone('A worker process had ended'));
        this.#pending.set(number, { resolve, reject });
        this.#unanswered.add(number);
        signal?.addEventListener('abort', cancel, { once: true });
        this.#child.stdin.write(frameHead(number, request.length));
        this.#child.stdin.write(request);
      });
    } finally {
      this.#pending.delete(number);
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** By closing its input. */
  async close(): Promise<void> {
    this.#child.stdin.end();
    await this.#ended;
  }

  abandon(): void {
    this.#child.kill('SIGKILL');
  }

  #settle(number: number): Pending | undefined {
    const pending = this.#pending.get(number);
    this.#pending.delete(number);
    return pending;
  }

  #fail(error: WorkerGone): void {
    this.#alive = false;
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }
}
