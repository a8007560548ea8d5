// What came of one Invoke, sorted by what to do about it: wait, try again, or say what is set up
// wrongly. Names are those of Lambda's API reference (Invoke, "Errors").

import { MusterError } from '../../base/errors.ts';
import { failureOf, type LambdaFailure, type LambdaReply } from './lambda-client.ts';
import { decodeReplyEvent } from './lambda-event.ts';
import type { Outcome } from './remote-attempts.ts';

/** Throttling, by the caller's account or by what Lambda itself needs of others. */
const throttles: ReadonlySet<string> = new Set([
  'TooManyRequestsException',
  'EC2ThrottledException',
  'ENILimitReachedException',
  'ThrottlingException',
]);

/** Passing states of a function, a network or AWS. */
const passing: ReadonlySet<string> = new Set([
  'ServiceException',
  'ResourceConflictException',
  'ResourceNotReadyException',
  'ENINotReadyException',
  'EC2UnexpectedException',
  'EFSIOException',
  'EFSMountConnectivityException',
  'EFSMountTimeoutException',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

const credentialTroubles: ReadonlySet<string> = new Set([
  'CredentialsProviderError',
  'ExpiredTokenException',
  'UnrecognizedClientException',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
  'MissingAuthenticationToken',
  'MissingAuthenticationTokenException',
]);

/** Throws where the same would come of it again: the work's own time-out, or no worker there. */
export function outcomeOfReply(functionName: string, reply: LambdaReply): Outcome {
  if (reply.functionError === undefined) {
    return { outcome: 'reply', reply: decodeReplyEvent(functionName, reply.payload) };
  }
  const { type, message } = functionErrorOf(reply.payload);
  if (type === 'Sandbox.Timedout' || /Task timed out after/.test(message)) {
    throw new MusterError(
      'TIMEOUT_EXCEEDED',
      `Timeout exceeded: Lambda function '${functionName}' ran into its own limit (${message}): ` +
        'deploy it with a longer one, or ask for less',
    );
  }
  const why = `Lambda function '${functionName}' failed (${type}: ${message})`;
  return { outcome: 'died', why };
}

/** Throws where asking again can't help. */
export function outcomeOfError(functionName: string, error: unknown): Outcome {
  if (error instanceof MusterError) throw error;
  const failure = failureOf(error);
  const { name, message, status, retryAfterMs } = failure;
  const why = `Lambda function '${functionName}': ${name}: ${message}`;
  if (throttles.has(name) || status === 429) {
    return { outcome: 'throttled', why, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  if (passing.has(name)) return { outcome: 'unreachable', why, cause: error };
  const wrong = setUpError(functionName, failure);
  if (wrong !== undefined) throw new MusterError('NETWORK_ERROR', wrong, { cause: error });
  if (status === undefined) return { outcome: 'died', why, cause: error };
  if (status >= 500) return { outcome: 'unreachable', why, cause: error };
  throw new MusterError('NETWORK_ERROR', why, { cause: error });
}

/** One sentence about what to set right, where that is known. */
function setUpError(functionName: string, { name, message }: LambdaFailure): string | undefined {
  if (name === 'ResourceNotFoundException') {
    return (
      `There is no Lambda function '${functionName}' in this region and account: deploy it, or ` +
      'correct the name (--lambda-functions) or the region'
    );
  }
  if (name === 'AccessDeniedException') {
    return (
      `Lambda function '${functionName}' may not be invoked: give the root's role the permission ` +
      `lambda:InvokeFunction on it (${message})`
    );
  }
  if (/Region is missing/.test(message)) {
    return 'No AWS region is known for the Lambda functions: give --region or set AWS_REGION';
  }
  if (/^(Signature not yet current|Signature expired)/.test(message)) {
    return `AWS refuses what was signed by this machine's clock: set it right (${message})`;
  }
  if (credentialTroubles.has(name)) {
    return (
      `AWS does not take the root's credentials (${name}: ${message}): renew them, or set ` +
      'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile, or a role'
    );
  }
  return undefined;
}

interface FunctionError {
  readonly type: string;
  readonly message: string;
}

function functionErrorOf(payload: Uint8Array): FunctionError {
  const text = Buffer.from(payload).toString();
  const unknown = { type: 'Unhandled', message: text.slice(0, 200) };
  try {
    const { errorType, errorMessage } = JSON.parse(text) as Record<string, unknown>;
    return {
      type: typeof errorType === 'string' ? errorType : unknown.type,
      message: typeof errorMessage === 'string' ? errorMessage : unknown.message,
    };
  } catch {
    return unknown;
  }
}
