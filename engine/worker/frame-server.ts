// A worker's end of a stream of frames: evaluates what arrives, side by side, and writes each reply
// when it is ready. Ends when its input ends, after cancelling what is still on the way.

import type { Readable, Writable } from 'node:stream';
import { type Frame, FrameReader, frameHead } from '../batch/frames.ts';
import { serveInvocation } from './invocation-service.ts';
import type { WorkerEnvironment } from './worker-environment.ts';

export async function serveFrames(
  input: Readable,
  output: Writable,
  worker: WorkerEnvironment,
): Promise<void> {
  const running = new Map<number, AbortController>();
  const reader = new FrameReader();
  for await (const chunk of input) {
    for (const frame of reader.push(chunk as Uint8Array)) {
      if (frame.body.length === 0) running.get(frame.number)?.abort();
      else start(frame, { output, worker, running });
    }
  }
  for (const controller of running.values()) controller.abort();
}

interface Service {
  readonly output: Writable;
  readonly worker: WorkerEnvironment;
  readonly running: Map<number, AbortController>;
}

function start(frame: Frame, service: Service): void {
  const controller = new AbortController();
  service.running.set(frame.number, controller);
  const { signal } = controller;
  void serveInvocation(frame.body, service.worker, { signal }).then((reply) => {
    service.running.delete(frame.number);
    if (service.output.destroyed) return;
    service.output.write(frameHead(frame.number, reply.length));
    service.output.write(reply);
  });
}
