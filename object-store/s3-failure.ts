// What went wrong with a request to S3, told apart by what it means to the caller, not by message.

import { MusterError } from '../base/errors.ts';

/**
 * `absent`: no such key. `precondition`: the condition did not hold. `conflict`: nothing landed,
 * send the same again. `range`: past the end. `transient`: may work again, may have landed.
 * `malformed`: a reply that S3 would not give. `refused`: will not work until somebody acts.
 */
type S3FailureKind =
  | 'absent'
  | 'precondition'
  | 'conflict'
  | 'range'
  | 'transient'
  | 'malformed'
  | 'refused';

interface S3FailureDetails {
  readonly kind: S3FailureKind;
  /** What was asked, for messages: `GET s3://bucket/key`. */
  readonly request: string;
  readonly status?: number | undefined;
  readonly code: string;
  readonly requestId?: string | undefined;
  readonly date?: number | undefined;
  readonly cause?: unknown;
}

export class S3Failure extends Error {
  readonly kind: S3FailureKind;
  readonly date: number | undefined;

  constructor(details: S3FailureDetails) {
    const status = details.status === undefined ? '' : `${details.status} `;
    const id = details.requestId === undefined ? '' : ` (request id ${details.requestId})`;
    super(`${details.request} failed: ${status}${details.code}${id}`, { cause: details.cause });
    this.name = 'S3Failure';
    this.kind = details.kind;
    this.date = details.date;
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

const absentCodes = new Set(['NoSuchKey', 'NotFound', 'NoSuchUpload']);
const transientCodes = new Set([
  'RequestTimeout',
  'ExpiredToken',
  'RequestTimeTooSkewed',
  'IncompleteBody',
  'BadDigest',
  'XAmzContentChecksumMismatch',
]);

export function s3FailureOf(error: unknown, request: string, date: number | undefined): S3Failure {
  if (error instanceof S3Failure) return error;
  const sdk: SdkError = typeof error === 'object' && error !== null ? error : {};
  const status = sdk.$metadata?.httpStatusCode;
  const name = sdk.name ?? 'Error';
  const code = status === undefined ? `${sdk.code ?? name}: ${sdk.message ?? String(error)}` : name;
  return new S3Failure({
    kind: kindOf(status, name),
    request,
    status,
    code,
    requestId: sdk.$metadata?.requestId,
    date,
    cause: error,
  });
}

function kindOf(status: number | undefined, code: string): S3FailureKind {
  if (code === 'CredentialsProviderError') return 'refused';
  if (status === undefined || status < 300 || transientCodes.has(code)) return 'transient';
  if (status === 404) return absentCodes.has(code) ? 'absent' : 'refused';
  if (status === 409) return 'conflict';
  if (status === 412) return 'precondition';
  if (status === 416) return 'range';
  if (status === 408 || status === 429) return 'transient';
  return status >= 500 && status !== 501 ? 'transient' : 'refused';
}

export function isTransient(error: unknown): boolean {
  return error instanceof S3Failure && (error.kind === 'transient' || error.kind === 'conflict');
}

/** What callers of the port see; errors that are ours already, and cancellations, pass. */
export function storeError(error: unknown): unknown {
  if (!(error instanceof S3Failure)) return error;
  const name = isTransient(error) ? 'NETWORK_ERROR' : 'S3_ERROR';
  return new MusterError(name, error.message, { cause: error });
}
