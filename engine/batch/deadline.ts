// Ends waiting for a worker at the deadline, whatever became of it. Workers know the deadline too and
// stop by themselves: a little time is left for what they have to say about it.

import { alarm, type Clock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { linkSignal } from '../../base/linked-signal.ts';

const graceMs = 1000;
/** Timers of Node end at once when they are longer. */
const timerMsMax = 2 ** 31 - 1;

/**
 * Runs `work` under a signal that follows `options.signal` and aborts with TIMEOUT_EXCEEDED when the
 * wall-clock `deadline` is past.
 */
export async function untilDeadline<T>(
  options: { readonly signal?: AbortSignal | undefined; readonly deadline?: number | undefined },
  clock: Clock,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  const { signal, deadline = Number.POSITIVE_INFINITY } = options;
  const leftMs = deadline - clock.now() + graceMs;
  if (leftMs > timerMsMax) return await work(signal);
  const ending = new AbortController();
  const unlink = linkSignal(ending, signal);
  const quiet = alarm(clock, Math.max(0, leftMs), () => ending.abort(timedOut()));
  try {
    return await work(ending.signal);
  } finally {
    quiet();
    unlink();
  }
}

function timedOut(): MusterError {
  return new MusterError(
    'TIMEOUT_EXCEEDED',
    'Timeout exceeded: a worker did not answer in time (setting max_execution_time)',
  );
}
