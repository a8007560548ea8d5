// How a command ends: exit codes, and what went wrong in one sentence. docs/reference/cli.md lists
// the codes; a test compares them.

import { MusterError } from '../../base/errors.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { StatementError } from './connection/connection.ts';

export const exitCodes = {
  ok: 0,
  /** The statement or the work failed; what it said is on standard error. */
  failed: 1,
  /** What was written on the command line or in the configuration can't be done. */
  usage: 2,
  /** The server, the store or the address to listen on can't be had. */
  unreachable: 3,
  /** The work is done but for what was bad and left out; a report says what. */
  incomplete: 4,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

/** What was written can't be done; the message is for the one who wrote it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Nobody answers; the message says where, and what can be done. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** Everything needful was said already. */
export class SilentExit extends Error {
  override readonly name = 'SilentExit';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('');
    this.exitCode = exitCode;
  }
}

/** `say` is absent when nothing is left to be said. */
export function ending(error: unknown): { readonly exitCode: number; readonly say?: string } {
  if (error instanceof SilentExit) return { exitCode: error.exitCode };
  if (error instanceof UsageError) return { exitCode: exitCodes.usage, say: error.message };
  if (error instanceof UnreachableError)
    return { exitCode: exitCodes.unreachable, say: error.message };
  if (error instanceof StatementError) {
    const stop = /[.?!]$/.test(error.message) ? '' : '.';
    const say = `${error.message}${stop} (${error.errorName}, ${error.code})`;
    return { exitCode: exitCodes.failed, say };
  }
  if (error instanceof MusterError) {
    const unreachable = error.errorName === 'NETWORK_ERROR' || error.errorName === 'S3_ERROR';
    const exitCode = unreachable ? exitCodes.unreachable : exitCodes.failed;
    return { exitCode, say: error.message };
  }
  const say = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exitCode: exitCodes.failed, say };
}

/** Ends a sentence about an unknown name: with a question, or with a full stop. */
export function didYouMean(unknown: string, known: Iterable<string>): string {
  const near = nearestName(unknown, known);
  return near === undefined ? '.' : `: do you mean '${near}'?`;
}
