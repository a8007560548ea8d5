// What every request to one S3 root shares: the client, the prefix, time limits, and the newest
// Date that the store has told us.

import type { Clock } from '../base/clock.ts';
import { withDeadline } from './deadline.ts';
import type { CallOptions, StoreRequest } from './port.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import { backoffMs, type RetryPolicy, retrying } from './retry.ts';
import type { S3Place } from './s3-advice.ts';
import type { RangeChecksums } from './s3-checksum.ts';
import type { S3Requests } from './s3-client.ts';
import { S3Failure, verdictOf } from './s3-failure.ts';

export interface S3Session {
  readonly requests: S3Requests;
  readonly place: S3Place;
  readonly limit: ConcurrencyLimit;
  readonly rangeChecksums: RangeChecksums;
  /** '' or ends in '/'. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly policy: RetryPolicy;
  /** Time for the first attempt of a request without its body; later attempts get more. */
  readonly requestTimeoutMs: number;
}

/** Is to heed the signal; `extend` allows more time. */
type Work<T> = (signal: AbortSignal, extend: (ms: number) => void) => Promise<T>;

/** A slower connection than this counts as stalled. */
const bytesPerMsMin = 1024;

/** 2 s, 4 s, 8 s, 8 s ...: AWS's advice for small requests. */
function attemptMs(session: S3Session, failures: number): number {
  return session.requestTimeoutMs * 2 ** Math.min(failures, 2);
}

export function bodyMs(session: S3Session, bytes: number): number {
  return Math.min(bytes / bytesPerMsMin, 60 * 60 * session.requestTimeoutMs);
}

/** What one kind of request may take, and whom to tell. */
interface RequestLimits extends CallOptions {
  /** For the meter. */
  readonly request: StoreRequest;
  /** Of the body. */
  readonly bytes: number;
}

/** One attempt, when its turn comes, with a deadline from then on. */
export async function oneAttempt<T>(
  session: S3Session,
  limits: RequestLimits & { readonly failures: number },
  work: Work<T>,
): Promise<T> {
  const { clock, limit, requests } = session;
  const { signal, failures } = limits;
  const slot = await limit.enter(signal);
  try {
    signal?.throwIfAborted();
    limits.onRequest?.(limits.request);
    const ms = attemptMs(session, failures) + bodyMs(session, limits.bytes);
    const reply = await withDeadline({ clock, ms, signal }, work);
    limit.succeeded();
    return reply;
  } catch (error) {
    if (isOfConnection(error)) requests.dropIdleSockets();
    if (error instanceof S3Failure && error.kind === 'throttled') {
      limit.throttled(slot);
      await clock.sleep(backoffMs(clock, session.policy, failures), signal).catch(() => {});
    }
    throw error;
  } finally {
    limit.leave();
  }
}

/** Then the next attempt is to be by another one. */
function isOfConnection(error: unknown): boolean {
  return error instanceof S3Failure && (error.kind === 'broken' || error.kind === 'damaged');
}

/** Retried within the session's budget; `work` must be safe to repeat. */
export async function repeatedly<T>(
  session: S3Session,
  limits: RequestLimits,
  work: Work<T>,
): Promise<T> {
  const { clock, policy } = session;
  const { signal } = limits;
  return await retrying((failures) => oneAttempt(session, { ...limits, failures }, work), {
    clock,
    policy,
    signal,
    verdictOf,
  });
}

/** The size of an object that may have been written by an attempt whose reply was lost. */
export async function sizeIfPresent(
  session: S3Session,
  key: string,
  options: CallOptions,
): Promise<number | undefined> {
  return (await glance(session, key, options)).bytes;
}

/**
 * What the store says of an object, and when. Not by HEAD, whose refusals don't say why: by a GET of
 * the first byte.
 */
export async function glance(
  session: S3Session,
  key: string,
  options: CallOptions,
): Promise<{ readonly bytes: number | undefined; readonly date: number }> {
  const { requests, prefix } = session;
  const limits = { request: 'read', bytes: 0, ...options } as const;
  try {
    return await repeatedly(session, limits, async (signal) => {
      const reply = await requests.get(prefix + key, { range: 'bytes=0-0' }, signal);
      reply.body.destroy();
      const size = /\/(\d+)$/.exec(reply.contentRange ?? '')?.[1];
      return { bytes: size === undefined ? reply.contentLength : Number(size), date: reply.date };
    });
  } catch (error) {
    if (!(error instanceof S3Failure) || error.date === undefined) throw error;
    if (error.kind === 'absent') return { bytes: undefined, date: error.date };
    // There is no first byte.
    if (error.kind === 'range') return { bytes: 0, date: error.date };
    throw error;
  }
}
