// A deadline around one request: stalls end here, not in the SDK, which would wait for ever.

import { setMaxListeners } from 'node:events';
import type { Clock } from '../base/clock.ts';

interface DeadlineOptions {
  readonly clock: Clock;
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` with a signal that fires after `ms`, or with the caller's. `extend` allows more time,
 * for a body whose size is known only from its header. `work` must heed the signal.
 */
export async function withDeadline<T>(
  options: DeadlineOptions,
  work: (signal: AbortSignal, extend: (ms: number) => void) => Promise<T>,
): Promise<T> {
  const { clock } = options;
  const request = new AbortController();
  const watch = new AbortController();
  let end = clock.monotonic() + options.ms;
  const cancel = () => request.abort(options.signal?.reason);
  options.signal?.throwIfAborted();
  if (options.signal !== undefined) listenTo(options.signal, cancel);
  const watching = untilPassed(clock, () => end, watch.signal).then((passed) => {
    if (passed) request.abort(tooLate());
  });
  try {
    return await work(request.signal, (ms) => {
      end += ms;
    });
  } finally {
    options.signal?.removeEventListener('abort', cancel);
    watch.abort();
    await watching;
  }
}

function tooLate(): Error {
  const error = new Error('the request took longer than its time limit');
  error.name = 'TimeoutError';
  return error;
}

/** All reads of a question share its signal: many listeners are no leak, each removes its own. */
function listenTo(signal: AbortSignal, cancel: () => void): void {
  setMaxListeners(0, signal);
  signal.addEventListener('abort', cancel, { once: true });
}

/** True when the end came, false when stopped before. The end may move away meanwhile. */
async function untilPassed(clock: Clock, end: () => number, stop: AbortSignal): Promise<boolean> {
  for (;;) {
    const left = end() - clock.monotonic();
    if (left <= 0) return true;
    try {
      await clock.sleep(left, stop);
    } catch {
      return false;
    }
  }
}
