// What every request to one S3 root shares: the client, the prefix, time limits, and the newest
// Date that the store has told us.

import type { Clock } from '../base/clock.ts';
import { withDeadline } from './deadline.ts';
import type { CallOptions, StoreRequest } from './port.ts';
import { type RetryPolicy, retrying } from './retry.ts';
import type { S3Requests } from './s3-client.ts';
import { isTransient, S3Failure } from './s3-failure.ts';

export interface S3Session {
  readonly requests: S3Requests;
  /** '' or ends in '/'. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly policy: RetryPolicy;
  /** Time for the first attempt of a request without its body; later attempts get more. */
  readonly requestTimeoutMs: number;
}

/** A slower connection than this counts as stalled. */
const bytesPerMsMin = 1024;

/** 2 s, 4 s, 8 s, 8 s ...: AWS's advice for small requests. */
export function attemptMs(session: S3Session, failures: number): number {
  return session.requestTimeoutMs * 2 ** Math.min(failures, 2);
}

export function bodyMs(session: S3Session, bytes: number): number {
  return Math.min(bytes / bytesPerMsMin, 60 * 60 * session.requestTimeoutMs);
}

/** What one kind of request may take, and whom to tell. */
export interface RequestLimits extends CallOptions {
  /** For the meter. */
  readonly request: StoreRequest;
  /** Of the body. */
  readonly bytes: number;
}

/** One attempt with a deadline. The caller's own cancellation is thrown as its reason. */
export async function oneAttempt<T>(
  session: S3Session,
  limits: RequestLimits & { readonly failures: number },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ms = attemptMs(session, limits.failures) + bodyMs(session, limits.bytes);
  limits.signal?.throwIfAborted();
  limits.onRequest?.(limits.request);
  return await withDeadline({ clock: session.clock, ms, signal: limits.signal }, work);
}

/** Retried within the session's budget; `work` must be safe to repeat. */
export async function repeatedly<T>(
  session: S3Session,
  limits: RequestLimits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { clock, policy } = session;
  return await retrying(
    async (failures) => {
      try {
        return await oneAttempt(session, { ...limits, failures }, work);
      } catch (error) {
        limits.signal?.throwIfAborted();
        throw error;
      }
    },
    { clock, policy, signal: limits.signal, retryable: isTransient },
  );
}

/** The size of an object that may have been written by an attempt whose reply was lost. */
export async function sizeIfPresent(
  session: S3Session,
  key: string,
  options: CallOptions,
): Promise<number | undefined> {
  try {
    const limits = { request: 'read', bytes: 0, ...options } as const;
    const head = await repeatedly(session, limits, (signal) =>
      session.requests.head(session.prefix + key, signal),
    );
    return head.bytes;
  } catch (error) {
    if (error instanceof S3Failure && error.kind === 'absent') return undefined;
    throw error;
  }
}
