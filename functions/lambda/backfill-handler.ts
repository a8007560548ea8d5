// The backfill function: works on the job that its event tells until it is done, or until its time is
// nearly over. What it finished is in the store; who invokes it again goes on. Any number of them may
// run at once.

import type { Clock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import type { FileProblem } from '../../engine/backfill/load-files.ts';
import { type BackfillEvent as Progress } from '../../engine/backfill/run-backfill.ts';
import { describeError } from '../http/error-text.ts';
import { type BackfillEvent, parseBackfillEvent } from './backfill-event.ts';

interface BackfillPorts {
  readonly clock: Clock;
  /** The job of objects that S3 tells of, as text: see backfill-event.ts. */
  readonly configured?: string | undefined;
  /** Runs one worker of the job to its end. */
  readonly work: (
    event: BackfillEvent,
    hooks: { readonly signal: AbortSignal; readonly onEvent: (event: Progress) => void },
  ) => Promise<void>;
}

interface LambdaContext {
  getRemainingTimeInMillis(): number;
}

interface BackfillReply {
  readonly muster: 1;
  /** False: invoke it again. */
  readonly done: boolean;
  readonly files: number;
  readonly rows: number;
  readonly memberships: number;
  /** Files that were loaded before, or by others. */
  readonly known: number;
  readonly problems: readonly FileProblem[];
}

/** So long before its end the function stops: what is not committed then is read again. */
const marginMs = 5_000;
const problemsMax = 1_000;

/** Throws an Error whose message is ClickHouse's, so that Lambda and Step Functions see a failure. */
export function backfillHandler({ clock, configured, work }: BackfillPorts) {
  return async (event: unknown, lambda: LambdaContext): Promise<BackfillReply> => {
    const tally = { files: 0, rows: 0, memberships: 0, known: 0 };
    const problems: FileProblem[] = [];
    const onEvent = (progress: Progress): void => {
      if (progress.kind === 'known') tally.known += progress.files;
      if (progress.kind === 'problem' && problems.length < problemsMax) {
        problems.push(progress.problem);
      }
      if (progress.kind !== 'loaded') return;
      tally.files += progress.files;
      tally.rows += progress.rows;
      tally.memberships += progress.members;
    };
    try {
      const job = parseBackfillEvent(event, configured);
      const timeMs = lambda.getRemainingTimeInMillis() - marginMs;
      const done = await inTime(clock, timeMs, (signal) => work(job, { signal, onEvent }));
      return { muster: 1, done, ...tally, problems };
    } catch (error) {
      throw new Error(describeError(error).text.trimEnd(), { cause: error });
    }
  };
}

/** False where the time was over first. */
async function inTime(
  clock: Clock,
  timeMs: number,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const stop = new AbortController();
  const ended = new AbortController();
  const timeIsOver = new MusterError('QUERY_WAS_CANCELLED', 'The time of the function is over');
  const expire = async (): Promise<void> => {
    await clock.sleep(Math.max(0, timeMs), ended.signal);
    stop.abort(timeIsOver);
  };
  expire().catch(() => {});
  try {
    await work(stop.signal);
    return true;
  } catch (error) {
    if (stop.signal.aborted) return false;
    throw error;
  } finally {
    ended.abort();
  }
}
