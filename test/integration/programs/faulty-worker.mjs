// A worker with a fault, as a child process or as a thread: the real service of the built program,
// between frames or messages that go wrong. Its data: { mode, store, marker }.

import { existsSync, writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../dist/base/clock.js';
import { FrameReader, frameHead } from '../../../dist/engine/batch/frames.js';
import { serveInvocation } from '../../../dist/engine/worker/invocation-service.js';
import { createWorkerEnvironment } from '../../../dist/engine/worker/worker-environment.js';
import { DirectoryStore } from '../../../dist/object-store/directory-store.js';

const { mode, store, marker } = workerData ?? JSON.parse(process.argv[2]);
const worker = createWorkerEnvironment(await DirectoryStore.open(store, systemClock));
let kept;

/** Replies to one request, in order. */
async function answer(request) {
  if (mode === 'dies' || (mode === 'dies-once' && !existsSync(marker))) {
    writeFileSync(marker, 'died');
    process.exit(3);
  }
  if (mode === 'hangs') return [];
  const reply = await serveInvocation(request, worker);
  if (mode === 'twice') return [reply, reply];
  // Replies of the first questions, whatever is asked after `marker` appeared.
  kept ??= Uint8Array.from(reply);
  return [mode === 'foreign' && existsSync(marker) ? Uint8Array.from(kept) : reply];
}

if (parentPort === null) {
  const reader = new FrameReader();
  for await (const chunk of process.stdin) {
    for (const { number, body } of reader.push(chunk)) {
      if (body.length === 0) continue;
      for (const reply of await answer(body)) {
        process.stdout.write(frameHead(number, reply.length));
        process.stdout.write(reply);
      }
    }
  }
  process.exit(0);
} else {
  parentPort.on('message', (message) => void take(message));
}

async function take({ kind, number, request }) {
  if (kind === 'close') parentPort.close();
  if (kind !== 'invocation') return;
  for (const reply of await answer(request)) parentPort.postMessage({ number, reply }, []);
}
