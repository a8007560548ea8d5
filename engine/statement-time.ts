// The end of a statement's time, for work that doesn't heed its signal: a probe of the newest version
// or a part being opened, for which other statements wait too, and a commit, which must not be
// stopped half way. It goes on; the statement doesn't wait for it any longer.

import { setMaxListeners } from 'node:events';
import { alarm, type Clock } from '../base/clock.ts';
import { MusterError } from '../base/errors.ts';

interface StatementTime {
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** For what heeds the signal: it can say best what the statement was waiting for. */
const readGraceMs = 50;
/** A commit that is on its way is mostly settled by then. */
const writeGraceMs = 2_000;

/** Of work that changes nothing: ends with the signal's reason. */
export async function withinTime<T>(time: StatementTime, work: Promise<T>): Promise<T> {
  const { signal } = time;
  return await untilLate(time, work, { graceMs: readGraceMs, errorOf: () => signal.reason });
}

/** Of work that may have changed something by the end: UNKNOWN_STATUS_OF_INSERT. */
export async function settledInTime<T>(time: StatementTime, work: Promise<T>): Promise<T> {
  return await untilLate(time, work, { graceMs: writeGraceMs, errorOf: () => unsettled(time) });
}

function unsettled({ signal }: StatementTime): MusterError {
  const cause: unknown = signal.reason;
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `${why}; its commit is not settled and may yet happen: nothing was deleted`;
  return new MusterError('UNKNOWN_STATUS_OF_INSERT', message, { cause });
}

async function untilLate<T>(
  time: StatementTime,
  work: Promise<T>,
  end: { readonly graceMs: number; readonly errorOf: () => unknown },
): Promise<T> {
  const { signal, clock } = time;
  // Each removes its own: many at a time are no leak.
  setMaxListeners(0, signal);
  return await new Promise<T>((resolve, reject) => {
    let quiet = (): void => {};
    const expire = (): void => {
      quiet = alarm(clock, end.graceMs, () => reject(end.errorOf()));
    };
    const over = (): void => {
      quiet();
      signal.removeEventListener('abort', expire);
    };
    signal.addEventListener('abort', expire, { once: true });
    if (signal.aborted) expire();
    work.then(resolve, reject).finally(over);
  });
}
