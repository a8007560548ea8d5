// Several workers of a backfill, each in a thread of its own, so that all cores work. The first one
// that fails stops the others.

import { fileURLToPath } from 'node:url';
import { type MessagePort, SHARE_ENV, Worker } from 'node:worker_threads';
import type { BackfillEvent } from '../../engine/backfill/run-backfill.ts';
import type { BackfillWork } from './backfill-worker.ts';
import { problemOfThread, type ThreadMessage } from './thread-messages.ts';

interface ThreadsOptions {
  readonly threads: number;
  readonly signal: AbortSignal;
  readonly onEvent: (thread: number, event: BackfillEvent) => void;
}

/** Resolves when all threads have ended; rejects with the first one's error. */
export async function runBackfillThreads(
  work: Omit<BackfillWork, 'share'>,
  { threads, signal, onEvent }: ThreadsOptions,
): Promise<void> {
  const running = Array.from({ length: threads }, (_, thread) => {
    const share = { index: thread, of: threads };
    return startThread({ ...work, share }, (event) => onEvent(thread, event));
  });
  const stopAll = (): void => {
    for (const thread of running) thread.stop();
  };
  signal.addEventListener('abort', stopAll);
  let failure: unknown;
  const ended = running.map(async ({ done }) => {
    try {
      await done;
    } catch (error) {
      failure ??= error;
      stopAll();
    }
  });
  await Promise.all(ended);
  signal.removeEventListener('abort', stopAll);
  if (failure !== undefined) throw failure;
}

interface RunningThread {
  readonly done: Promise<void>;
  stop(): void;
}

function startThread(work: BackfillWork, onEvent: (event: BackfillEvent) => void): RunningThread {
  const worker = new Worker(threadProgram(), { workerData: work, env: SHARE_ENV });
  const done = new Promise<void>((resolve, reject) => {
    worker.on('message', (message: ThreadMessage) => {
      if (message.kind === 'event') onEvent(message.event);
      else if (message.kind === 'ended') resolve();
      else reject(problemOfThread(message.error));
    });
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`a thread of the backfill ended with ${code}`)));
  });
  // To a thread, not to a window.
  const port: Pick<MessagePort, 'postMessage'> = worker;
  return { done, stop: () => port.postMessage('stop') };
}

/** The built program: Node runs no TypeScript. */
function threadProgram(): string {
  const isBuilt = import.meta.url.endsWith('.js');
  const path = isBuilt
    ? './backfill-thread.js'
    : '../../dist/functions/backfill/backfill-thread.js';
  return fileURLToPath(new URL(path, import.meta.url));
}
