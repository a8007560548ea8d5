// Errors as ClickHouse's clients expect them:
// `Code: 62. DB::Exception: ... (SYNTAX_ERROR) (version 1.2)`.

import { MusterError } from '../../base/errors.ts';
import { musterVersion } from '../version.ts';

interface ErrorAnswer {
  readonly http: number;
  readonly code: number;
  /** With a line feed at the end. */
  readonly text: string;
}

export function describeError(error: unknown): ErrorAnswer {
  const known = knownError(error);
  const { code, errorName } = known;
  const message = known.message.replace(/\.?\s*$/, '');
  const names = `(${errorName}) (version ${musterVersion})`;
  const text = `Code: ${code}. DB::Exception: ${message}. ${names}\n`;
  return { http: known.http, code, text };
}

/** What no code of ours raised on purpose is a bug, or a failure of the machine. */
export function knownError(error: unknown): MusterError {
  if (error instanceof MusterError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new MusterError('LOGICAL_ERROR', `Unexpected failure: ${message}`, { cause: error });
}
