// One verified read from S3. The SDK hands over whatever bytes came: here the status, Content-Range
// and length must be those that were asked for, and a body that breaks off is resumed where it
// broke, on condition that the object is still the same (If-Match).

import { assert } from '../base/assert.ts';
import { type ByteRange, rangeLength } from '../base/byte-range.ts';
import { MusterError } from '../base/errors.ts';
import type { CallOptions, ObjectKey, ReadReply } from './port.ts';
import { hasChecksum } from './s3-checksum.ts';
import type { S3GetReply } from './s3-client.ts';
import { S3Failure, s3FailureOf } from './s3-failure.ts';
import { bodyMs, repeatedly, type S3Session } from './s3-session.ts';
import { rangePastEnd } from './store-errors.ts';

interface S3ReadRequest extends CallOptions {
  readonly key: ObjectKey;
  readonly range: ByteRange | undefined;
  /** Told the Date of the last reply. */
  readonly onDate: (date: number) => void;
}

/** What has arrived so far; lives through the attempts of one read. */
interface Progress {
  /** Where in the object `bytes` begins. */
  readonly start: number;
  /** Of the whole object, as the store tells it with the whole object. */
  crc32: string | undefined;
  /** A range that did not have the checksum that came with it. */
  doubted: Uint8Array | undefined;
  bytes: Uint8Array | undefined;
  filled: number;
  objectBytes: number;
  etag: string | undefined;
  date: number;
}

/** Undefined when there is no such object. Throws `S3Failure`s and CORRUPTED_DATA. */
export async function readVerified(
  session: S3Session,
  request: S3ReadRequest,
): Promise<ReadReply | undefined> {
  const { key, range } = request;
  assert(range === undefined || rangeLength(range) > 0, `empty range of ${key}`);
  const progress: Progress = {
    start: range?.start ?? 0,
    crc32: undefined,
    doubted: undefined,
    bytes: range === undefined ? undefined : new Uint8Array(rangeLength(range)),
    filled: 0,
    objectBytes: 0,
    etag: undefined,
    date: 0,
  };
  const work: Reading = { ...request, progress };
  const limits = { request: 'read', bytes: 0, ...request } as const;
  try {
    await repeatedly(session, limits, (signal, extend) => attempt(session, work, [signal, extend]));
  } catch (error) {
    return absentOrThrow(error, request);
  }
  const bytes = progress.bytes ?? new Uint8Array(0);
  request.onDate(progress.date);
  return { bytes, objectBytes: progress.objectBytes, date: progress.date };
}

function absentOrThrow(error: unknown, request: S3ReadRequest): undefined {
  if (!(error instanceof S3Failure)) throw error;
  if (error.kind === 'absent') {
    if (error.date !== undefined) request.onDate(error.date);
    return undefined;
  }
  if (error.kind === 'precondition') {
    throw new MusterError('CORRUPTED_DATA', `corrupt part ${request.key}: it changed while read`);
  }
  if (error.kind === 'range' && request.range !== undefined) {
    throw rangePastEnd(request.key, request.range);
  }
  throw error;
}

interface Reading extends S3ReadRequest {
  readonly progress: Progress;
}

type Time = readonly [signal: AbortSignal, extend: (ms: number) => void];

async function attempt(session: S3Session, work: Reading, [signal, extend]: Time): Promise<void> {
  const { progress } = work;
  if (progress.bytes !== undefined) {
    extend(bodyMs(session, progress.bytes.length - progress.filled));
  }
  const range = rangeHeader(progress);
  const start = progress.filled;
  const path = session.prefix + work.key;
  const reply = await session.requests.get(path, { range, ifMatch: progress.etag }, signal);
  try {
    acceptHeader(reply, work, range !== undefined);
    if (range === undefined) extend(bodyMs(session, progress.objectBytes));
    await fill(reply, progress, signal);
  } catch (error) {
    throw error instanceof MusterError ? error : s3FailureOf(error, label(session, work), reply);
  } finally {
    reply.body.destroy();
  }
  if (work.range === undefined) checkWhole(session, work);
  else if (start === 0) checkRange(session, work, reply);
}

function checkWhole(session: S3Session, work: Reading): void {
  const { progress } = work;
  const { bytes, crc32, date } = progress;
  if (bytes === undefined || crc32 === undefined || hasChecksum(bytes, crc32)) return;
  progress.bytes = undefined;
  progress.filled = 0;
  throw damaged(session, work, date);
}

function checkRange(session: S3Session, work: Reading, { crc32, date }: S3GetReply): void {
  const { progress } = work;
  const { bytes, doubted } = progress;
  if (bytes === undefined || crc32 === undefined || !session.rangeChecksums.believed) return;
  if (hasChecksum(bytes, crc32)) return;
  if (doubted !== undefined && Buffer.compare(bytes, doubted) === 0) {
    session.rangeChecksums.distrust();
    return;
  }
  progress.doubted = bytes.slice();
  progress.filled = 0;
  throw damaged(session, work, date);
}

function damaged(session: S3Session, work: Reading, date: number): S3Failure {
  const detail = 'the bytes do not have the CRC-32 that came with them';
  const code = 'ChecksumMismatch';
  return new S3Failure({ kind: 'damaged', request: label(session, work), code, detail, date });
}

function label(session: S3Session, work: Reading): string {
  return `GET s3://${session.requests.bucket}/${session.prefix}${work.key}`;
}

/** Undefined asks for the whole object. */
function rangeHeader(progress: Progress): string | undefined {
  if (progress.bytes === undefined) return undefined;
  const first = progress.start + progress.filled;
  return `bytes=${first}-${progress.start + progress.bytes.length - 1}`;
}

/** Takes size, etag and date over; throws unless the reply is exactly what was asked for. */
function acceptHeader(reply: S3GetReply, work: Reading, ranged: boolean): void {
  const { progress } = work;
  const malformed = (code: string) =>
    new S3Failure({ kind: 'malformed', request: `GET ${work.key}`, code, date: reply.date });
  const { contentLength } = reply;
  if (contentLength === undefined) throw malformed('the reply has no Content-Length');
  if (!ranged) {
    if (reply.status !== 200)
      throw malformed(`status ${reply.status} to a read of the whole object`);
    progress.bytes = new Uint8Array(contentLength);
    progress.objectBytes = contentLength;
    progress.crc32 = reply.crc32;
  } else {
    if (reply.status !== 206) throw malformed(`status ${reply.status}: the range was ignored`);
    progress.objectBytes = checkedRange(reply, work, malformed);
  }
  progress.etag ??= reply.etag;
  progress.date = reply.date;
}

/** The object's size, from a Content-Range that answers the whole of the range asked for. */
function checkedRange(
  reply: S3GetReply,
  work: Reading,
  malformed: (code: string) => S3Failure,
): number {
  const { start, bytes, filled } = work.progress;
  const asked = { start: start + filled, end: start + (bytes?.length ?? 0) };
  const text = reply.contentRange ?? 'none';
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(text);
  if (match === null) throw malformed(`Content-Range ${text}`);
  const [first, last, size] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (size < asked.end && work.range !== undefined) throw rangePastEnd(work.key, work.range, size);
  const length = last + 1 - first;
  if (first !== asked.start || last + 1 !== asked.end || reply.contentLength !== length) {
    const got = `${text} with Content-Length ${reply.contentLength}`;
    throw malformed(`asked for bytes ${asked.start}-${asked.end - 1}, got ${got}`);
  }
  return size;
}

async function fill(reply: S3GetReply, progress: Progress, signal: AbortSignal): Promise<void> {
  const target = progress.bytes ?? new Uint8Array(0);
  const stop = () => reply.body.destroy();
  signal.throwIfAborted();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of reply.body) {
      if (progress.filled + chunk.length > target.length)
        throw new Error('more bytes than promised');
      target.set(chunk, progress.filled);
      progress.filled += chunk.length;
    }
    signal.throwIfAborted();
    if (progress.filled < target.length) throw new Error('the body ended early');
  } catch (error) {
    // By the deadline or the caller, more likely than by the body itself.
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
