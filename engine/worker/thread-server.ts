// A worker thread's end of its port: evaluates what arrives, side by side, and hands each reply over
// without a copy. Asked to close, it cancels what is on the way, lets go of all its sets and collects
// them, since an addon's finalizers must not run while a thread is torn down (worker-thread.ts).

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { MessagePort } from 'node:worker_threads';
import { serveInvocation } from './invocation-service.ts';
import type { WorkerEnvironment } from './worker-environment.ts';

export type ToThread =
  | { readonly kind: 'invocation'; readonly number: number; readonly request: Uint8Array }
  | { readonly kind: 'cancel'; readonly number: number }
  | { readonly kind: 'close' };

export interface FromThread {
  readonly number: number;
  readonly reply: Uint8Array;
}

/** Resolves once the thread was asked to close and its work has ended. Takes `worker` over. */
export async function serveThread(port: MessagePort, worker: WorkerEnvironment): Promise<void> {
  const running = new Map<number, Running>();
  await new Promise<void>((resolve) => {
    port.on('message', (message: ToThread) => {
      if (message.kind === 'cancel') running.get(message.number)?.controller.abort();
      else if (message.kind === 'invocation') start(message, { port, worker, running });
      else resolve();
    });
  });
  port.removeAllListeners('message');
  for (const { controller } of running.values()) controller.abort();
  await Promise.all([...running.values()].map(({ ended }) => ended));
  await worker.store.close();
}

/** Of all that nothing refers to any more. Node offers it only so. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
}

interface Running {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

interface Service {
  readonly port: MessagePort;
  readonly worker: WorkerEnvironment;
  readonly running: Map<number, Running>;
}

function start(
  { number, request }: Extract<ToThread, { readonly kind: 'invocation' }>,
  { port, worker, running }: Service,
): void {
  const controller = new AbortController();
  const { signal } = controller;
  const ended = serveInvocation(request, worker, { signal }).then((bytes) => {
    running.delete(number);
    const whole = bytes.byteLength === bytes.buffer.byteLength;
    const reply = whole ? bytes : Uint8Array.from(bytes);
    port.postMessage({ number, reply } satisfies FromThread, [reply.buffer as ArrayBuffer]);
  });
  running.set(number, { controller, ended });
}
