// What went wrong with a request to S3, told apart by what it means to the caller, not by message.
// What to do about it, in words, is s3-advice.ts's business.

import type { RetryVerdict } from './retry.ts';

/**
 * `absent`: no such key. `precondition`: the condition did not hold. `conflict`: nothing landed,
 * send the same again. `range`: past the end. `transient`: may work again, may have landed; so may
 * `broken` (the connection was lost) and `throttled`. `unsigned`: refused for the clock or for
 * credentials that ran out, which may be cured by now; nothing landed. `damaged`: bytes that don't
 * have their checksum. `malformed`: a reply that S3 would not give. `refused`: will not work until
 * somebody acts.
 */
type S3FailureKind =
  | 'absent'
  | 'precondition'
  | 'conflict'
  | 'range'
  | 'transient'
  | 'broken'
  | 'throttled'
  | 'unsigned'
  | 'damaged'
  | 'malformed'
  | 'refused';

interface S3FailureDetails {
  readonly kind: S3FailureKind;
  /** What was asked, for messages: `GET s3://bucket/key`. */
  readonly request: string;
  readonly status?: number | undefined;
  /** S3's, Node's, or one of ours; the advice goes by it. */
  readonly code: string;
  /** More about it, for messages. */
  readonly detail?: string | undefined;
  readonly requestId?: string | undefined;
  readonly date?: number | undefined;
  /** Where the reply says that the bucket is. */
  readonly region?: string | undefined;
  readonly cause?: unknown;
}

export class S3Failure extends Error {
  readonly kind: S3FailureKind;
  readonly request: string;
  readonly status: number | undefined;
  readonly code: string;
  readonly date: number | undefined;
  readonly region: string | undefined;

  constructor(details: S3FailureDetails) {
    const { request, status, code, detail, requestId } = details;
    const id = requestId === undefined ? '' : ` (request id ${requestId})`;
    const more = detail === undefined ? '' : `: ${detail}`;
    const number = status === undefined ? '' : `${status} `;
    super(`${request} failed: ${number}${code}${more}${id}`, { cause: details.cause });
    this.name = 'S3Failure';
    this.kind = details.kind;
    this.request = request;
    this.status = status;
    this.code = code;
    this.date = details.date;
    this.region = details.region;
  }
}

/** The part of an SDK error that matters; every field may be missing. */
interface SdkError {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly $metadata?: {
    readonly httpStatusCode?: number | undefined;
    readonly requestId?: string | undefined;
  };
}

const absentCodes = new Set(['NoSuchKey', 'NoSuchUpload']);
const expiredCodes = new Set(['ExpiredToken', 'TokenRefreshRequired']);
const unsignedCodes = new Set([...expiredCodes, 'RequestTimeTooSkewed']);
const throttledCodes = new Set(['SlowDown', 'ServiceUnavailable', 'TooManyRequests', 'Throttling']);
const transientCodes = new Set([
  'RequestTimeout',
  'IncompleteBody',
  'BadDigest',
  'XAmzContentChecksumMismatch',
]);
const brokenCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE']);

interface ReplyFacts {
  readonly date?: number | undefined;
  readonly region?: string | undefined;
}

export function s3FailureOf(error: unknown, request: string, reply: ReplyFacts = {}): S3Failure {
  if (error instanceof S3Failure) return error;
  const sdk: SdkError = typeof error === 'object' && error !== null ? error : {};
  const status = sdk.$metadata?.httpStatusCode;
  const name = sdk.name ?? 'Error';
  const message = sdk.message ?? String(error);
  const isAnswer = status !== undefined;
  const code = isAnswer ? name : (sdk.code ?? name);
  return new S3Failure({
    kind: isAnswer ? kindOf(status, name) : kindOfSilence(name, code),
    request,
    status,
    code,
    detail: isAnswer ? undefined : message,
    requestId: sdk.$metadata?.requestId,
    ...reply,
    // The SDK's error of an answer holds the whole exchange, sockets and signature included.
    cause: isAnswer ? undefined : error,
  });
}

/** A 404 that doesn't name its code is not S3's. */
function kindOf(status: number, code: string): S3FailureKind {
  if (throttledCodes.has(code) || status === 429) return 'throttled';
  if (unsignedCodes.has(code)) return 'unsigned';
  if (status < 300 || transientCodes.has(code)) return 'transient';
  if (status === 404) return absentCodes.has(code) ? 'absent' : 'refused';
  if (status === 409) return 'conflict';
  if (status === 412) return 'precondition';
  if (status === 416) return 'range';
  if (status === 503) return 'throttled';
  return status === 408 || (status >= 500 && status !== 501) ? 'transient' : 'refused';
}

function kindOfSilence(name: string, code: string): S3FailureKind {
  if (name === 'CredentialsProviderError') return 'refused';
  return brokenCodes.has(code) ? 'broken' : 'transient';
}

export function isExpired(failure: S3Failure): boolean {
  return expiredCodes.has(failure.code);
}

/** For requests that are safe to repeat. */
export function verdictOf(error: unknown): RetryVerdict {
  if (!(error instanceof S3Failure)) return 'give-up';
  switch (error.kind) {
    case 'transient':
    case 'conflict':
      return 'again';
    case 'broken':
      return 'at-once';
    case 'throttled':
      return 'throttled';
    case 'unsigned':
    case 'damaged':
      return 'once';
    default:
      return 'give-up';
  }
}
