// What travels between a root and its workers, as bytes: a request there, a reply or a failure back.
// The batch is encoded once and put as it is into each request. What is too big for the way travels
// as a reference to an object of the store, in either direction (spill.ts).
//
// A MusterError raised in the worker is data on the way and is raised again at the root. Messages of
// another format, or that answer something else, are refused and never taken for an answer.

import {
  type ErrorName,
  type ErrorPosition,
  errorClasses,
  MusterError,
} from '../../base/errors.ts';
import { type Batch, batchFormat, type InvocationReply, type Slice } from './batch.ts';
import { decodeEnvelope, encodeEnvelope } from './envelope.ts';

/** An object of the store that holds what was too big to send. */
export interface SpillRef {
  readonly key: string;
  readonly bytes: number;
  /** CRC32C of all its bytes. */
  readonly checksum: number;
}

interface RequestHead {
  /** Of the attempt: random. */
  readonly id: string;
  readonly queryId: string;
  /** The root's wall clock, ms. */
  readonly sentAt: number;
  /** A longer reply comes by reference. */
  readonly replyBytesMax?: number;
  /** `encodeBatch`'s bytes. */
  readonly batch: Uint8Array | SpillRef;
}

/** To a worker that evaluates. */
export interface InvocationRequest extends RequestHead {
  readonly slices: readonly Slice[];
}

/** To a worker that asks others, one for each of `children`, and merges what they reply. */
export interface BranchRequest extends RequestHead {
  readonly children: readonly (readonly Slice[])[];
}

export type WorkerRequest =
  | ({ readonly message: 'invocation' } & InvocationRequest)
  | ({ readonly message: 'branch' } & BranchRequest);

type Message =
  | (WorkerRequest & { readonly format: number })
  | ({ readonly message: 'reply'; readonly queryId: string } & InvocationReply)
  | {
      readonly message: 'failure';
      readonly id: string;
      readonly errorName: string;
      readonly text: string;
      readonly position?: ErrorPosition;
    }
  | ({ readonly message: 'spilled' } & SpillRef);

/** What a reply must bear to be taken. */
interface ExpectedReply {
  readonly id: string;
  readonly queryId: string;
}

export function encodeBatch(batch: Batch): Uint8Array {
  return encodeEnvelope(batch);
}

/** Typed arrays are views of `bytes`. UNKNOWN_FORMAT_VERSION. */
export function decodeBatch(bytes: Uint8Array): Batch {
  const batch = decodeEnvelope(bytes) as Batch;
  checkFormat(batch.format);
  return batch;
}

export function encodeInvocation(request: InvocationRequest): Uint8Array {
  return encodeMessage({ message: 'invocation', format: batchFormat, ...request });
}

export function encodeBranch(request: BranchRequest): Uint8Array {
  return encodeMessage({ message: 'branch', format: batchFormat, ...request });
}

/** The batch is a view of `bytes`. UNKNOWN_FORMAT_VERSION, INCORRECT_DATA. */
export function decodeRequest(bytes: Uint8Array): WorkerRequest {
  const decoded = decodeMessage(bytes);
  if (decoded.message !== 'invocation' && decoded.message !== 'branch') {
    throw unexpected('a request', decoded.message);
  }
  checkFormat(decoded.format);
  return decoded;
}

export function encodeReply(
  reply: Omit<InvocationReply, 'format'> & { readonly queryId: string },
): Uint8Array {
  return encodeMessage({ message: 'reply', format: batchFormat, ...reply });
}

/** Anything thrown: what is not a MusterError is a bug, and arrives as LOGICAL_ERROR. */
export function encodeFailure(error: unknown, id = ''): Uint8Array {
  if (error instanceof MusterError) {
    const { errorName, message, position } = error;
    const at = position === undefined ? {} : { position };
    return encodeMessage({ message: 'failure', id, errorName, text: message, ...at });
  }
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return encodeMessage({ message: 'failure', id, errorName: 'LOGICAL_ERROR', text });
}

/**
 * Raises the worker's failure. Typed arrays are views of `bytes`. LOGICAL_ERROR for the answer to
 * another question, UNKNOWN_FORMAT_VERSION for a worker of another version.
 */
export function decodeReply(bytes: Uint8Array, expected: ExpectedReply): InvocationReply {
  const decoded = decodeMessage(bytes);
  if (decoded.message === 'failure') {
    if (decoded.id !== '' && decoded.id !== expected.id) throw foreign('invocation', decoded.id);
    throw raised(decoded);
  }
  if (decoded.message !== 'reply') throw unexpected('a reply', decoded.message);
  checkFormat(decoded.format);
  if (decoded.queryId !== expected.queryId) throw foreign('query', decoded.queryId);
  if (decoded.id !== expected.id) throw foreign('invocation', decoded.id);
  if (!Array.isArray(decoded.replies) || !Array.isArray(decoded.usages)) {
    throw unexpected('a whole reply', 'one without its parts');
  }
  return decoded;
}

export function encodeSpilled(ref: SpillRef): Uint8Array {
  return encodeMessage({ message: 'spilled', ...ref });
}

/** Undefined where the bytes are the message itself. */
export function spilledIn(bytes: Uint8Array): SpillRef | undefined {
  if (bytes.length > spilledBytesMax) return undefined;
  const decoded = decodeMessage(bytes);
  return decoded.message === 'spilled' ? decoded : undefined;
}

/** A reference is far smaller, so that long messages need not be looked into. */
const spilledBytesMax = 1024;

function encodeMessage(message: Message): Uint8Array {
  return encodeEnvelope(message);
}

function decodeMessage(bytes: Uint8Array): Message {
  const decoded = decodeEnvelope(bytes);
  if (typeof decoded !== 'object' || decoded === null)
    throw unexpected('a message', typeof decoded);
  return decoded as Message;
}

function raised(failure: Extract<Message, { readonly message: 'failure' }>): MusterError {
  const known = Object.hasOwn(errorClasses, failure.errorName);
  const name = known ? (failure.errorName as ErrorName) : 'LOGICAL_ERROR';
  const { position } = failure;
  return new MusterError(name, failure.text, position === undefined ? {} : { position });
}

function checkFormat(found: number): void {
  if (found === batchFormat) return;
  throw new MusterError(
    'UNKNOWN_FORMAT_VERSION',
    `Root and workers are of different versions: a message of format ${found} reached a process ` +
      `that speaks format ${batchFormat}. Deploy both from the same version of Muster`,
  );
}

function foreign(what: string, found: string): MusterError {
  return new MusterError(
    'LOGICAL_ERROR',
    `A worker answered for another ${what} (${found}): its reply was not taken. ` +
      'Check what stands between root and workers, such as a cache',
  );
}

function unexpected(expected: string, found: string): MusterError {
  return new MusterError(
    'INCORRECT_DATA',
    `Expected ${expected} between root and worker: ${found}`,
  );
}
