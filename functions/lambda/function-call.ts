// What every call of a function has around it, whatever it does: the time that Lambda leaves it, told
// as a signal that fires a little before, so that there is still an answer; and one log line, whose
// first in an environment says so. Between two calls the environment may have been frozen for an hour:
// nothing here runs meanwhile, and nothing is kept that ages (the store drops stale sockets itself, and
// deadlines are of the wall clock).

import type { Clock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';

/** Of Lambda's context object. */
export interface FunctionContext {
  readonly awsRequestId: string;
  readonly functionName: string;
  getRemainingTimeInMillis(): number;
}

/** What a call says of itself in its log line. */
export type CallNotes = Record<string, string | number | boolean>;

interface CallOptions {
  readonly clock: Clock;
  /** Takes one line without its end. */
  readonly log: (line: string) => void;
}

type Work<T> = (signal: AbortSignal, notes: CallNotes) => Promise<T>;

/** To encode and send an answer. */
export const answerMsMax = 1_000;

export class FunctionCalls {
  readonly #options: CallOptions;
  #calls = 0;
  #lastEnd: number | undefined;

  constructor(options: CallOptions) {
    this.#options = options;
  }

  /** The signal's reason is TIMEOUT_EXCEEDED. */
  async run<T>(context: FunctionContext, work: Work<T>): Promise<T> {
    const { clock, log } = this.#options;
    const started = clock.monotonic();
    const idleMs = this.#lastEnd === undefined ? 0 : Math.round(clock.now() - this.#lastEnd);
    const notes: CallNotes = { requestId: context.awsRequestId, cold: this.#calls++ === 0, idleMs };
    const { signal, settle } = limited(context, clock);
    try {
      return await work(signal, notes);
    } catch (error) {
      notes['error'] = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      settle();
      this.#lastEnd = clock.now();
      notes['ms'] = Math.round(clock.monotonic() - started);
      log(JSON.stringify({ time: this.#lastEnd, ...notes }));
    }
  }
}

function limited(context: FunctionContext, clock: Clock) {
  const leftMs = context.getRemainingTimeInMillis();
  const limitMs = Math.max(1, leftMs - Math.min(answerMsMax, leftMs / 5));
  const expired = new AbortController();
  const settled = new AbortController();
  const expire = async (): Promise<void> => {
    await clock.sleep(limitMs, settled.signal);
    expired.abort(timeIsOver(context.functionName, leftMs));
  };
  expire().catch(() => {});
  return { signal: expired.signal, settle: () => settled.abort() };
}

function timeIsOver(functionName: string, leftMs: number): MusterError {
  return new MusterError(
    'TIMEOUT_EXCEEDED',
    `Timeout exceeded: function ${functionName} may run for ${Math.round(leftMs / 1000)} s. ` +
      'Deploy it with a longer timeout, or ask for less',
  );
}
