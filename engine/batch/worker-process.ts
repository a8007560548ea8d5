// One child process that evaluates invocations, as its parent sees it: frames over its standard input
// and output. Standard error is the parent's, for what a dying worker has to say.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { FrameReader, frameHead } from './frames.ts';
import { type LocalWorker, WorkerGone } from './local-pool.ts';
import { PendingReplies } from './pending-replies.ts';

export interface WorkerCommand {
  /** The program and its arguments, as `node dist/functions/worker-main.js {...}`. */
  readonly program: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export class WorkerProcess implements LocalWorker {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #pending = new PendingReplies();
  readonly #ended: Promise<void>;
  #alive = true;

  constructor(command: WorkerCommand) {
    this.#child = spawn(command.program, [...command.arguments], {
      env: { ...command.environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const reader = new FrameReader();
    this.#child.stdout.on('data', (chunk: Uint8Array) => {
      for (const { number, body } of reader.push(chunk)) this.#pending.answer(number, body);
    });
    // A broken pipe is told by the exit that follows it.
    this.#child.stdin.on('error', () => {});
    this.#ended = new Promise((resolve) => {
      const end = (what: string) => {
        this.#alive = false;
        this.#pending.fail(new WorkerGone(`A worker process ${what}`));
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
    return this.#pending.unanswered;
  }

  async invoke(request: Uint8Array, signal?: AbortSignal): Promise<Uint8Array> {
    const { stdin } = this.#child;
    return await this.#pending.request(signal, {
      send: (number) => {
        stdin.write(frameHead(number, request.length));
        stdin.write(request);
      },
      cancel: (number) => {
        if (this.#alive) stdin.write(frameHead(number, 0));
      },
    });
  }

  /** By closing its input. */
  async close(): Promise<void> {
    this.#child.stdin.end();
    await this.#ended;
  }

  abandon(): void {
    this.#child.kill('SIGKILL');
  }
}
