// A thread of `muster backfill`: one worker, which tells its parent what it did and stops when told.

import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import { describeProblem, type ThreadMessage } from './thread-messages.ts';
import { type BackfillWork, runBackfillWorker } from './backfill-worker.ts';

assert(parentPort !== null, 'this program is started as a thread');
const port = parentPort;
const stop = new AbortController();
port.on('message', () => stop.abort(new MusterError('QUERY_WAS_CANCELLED', 'stopped')));

function tell(message: ThreadMessage): void {
  port.postMessage(message);
}

try {
  await runBackfillWorker(workerData as BackfillWork, {
    signal: stop.signal,
    onEvent: (event) => tell({ kind: 'event', event }),
  });
  tell({ kind: 'ended' });
} catch (error) {
  tell({ kind: 'failed', error: describeProblem(error) });
}
port.close();
