// What threads of a backfill tell their parent.

import { type ErrorName, MusterError } from '../../base/errors.ts';
import type { BackfillEvent } from '../../engine/backfill/run-backfill.ts';

export type ThreadMessage =
  | { readonly kind: 'event'; readonly event: BackfillEvent }
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly error: ThreadError };

/** An error as plain data. */
interface ThreadError {
  readonly errorName: ErrorName;
  readonly message: string;
}

export function describeProblem(error: unknown): ThreadError {
  if (error instanceof MusterError) return { errorName: error.errorName, message: error.message };
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { errorName: 'LOGICAL_ERROR', message };
}

export function problemOfThread({ errorName, message }: ThreadError): MusterError {
  return new MusterError(errorName, message);
}
