// What travels between a root and its workers, as bytes: an invocation there, replies or a failure
// back. A MusterError raised in the worker is data on the way and is raised again at the root.

import {
  type ErrorName,
  type ErrorPosition,
  errorClasses,
  MusterError,
} from '../../base/errors.ts';
import { batchFormat, type Invocation, type SliceReply } from './batch.ts';
import { decodeEnvelope, encodeEnvelope } from './envelope.ts';

type Message =
  | { readonly message: 'invocation'; readonly invocation: Invocation }
  | { readonly message: 'replies'; readonly replies: readonly SliceReply[] }
  | {
      readonly message: 'failure';
      readonly errorName: string;
      readonly text: string;
      readonly position?: ErrorPosition;
    };

export function encodeInvocation(invocation: Invocation): Uint8Array {
  return encodeMessage({ message: 'invocation', invocation });
}

/** Typed arrays are views of `bytes`. */
export function decodeInvocation(bytes: Uint8Array): Invocation {
  const decoded = decodeMessage(bytes);
  if (decoded.message !== 'invocation') throw unexpected('invocation', decoded.message);
  const found: number = decoded.invocation.batch.format;
  if (found !== batchFormat) {
    throw new MusterError(
      'UNKNOWN_FORMAT_VERSION',
      `A batch of format ${found} reached a worker that speaks format ${batchFormat}`,
    );
  }
  return decoded.invocation;
}

export function encodeReplies(replies: readonly SliceReply[]): Uint8Array {
  return encodeMessage({ message: 'replies', replies });
}

/** Anything thrown: what is not a MusterError is a bug, and arrives as LOGICAL_ERROR. */
export function encodeFailure(error: unknown): Uint8Array {
  if (error instanceof MusterError) {
    const { errorName, message, position } = error;
    const at = position === undefined ? {} : { position };
    return encodeMessage({ message: 'failure', errorName, text: message, ...at });
  }
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return encodeMessage({ message: 'failure', errorName: 'LOGICAL_ERROR', text });
}

/** Raises the worker's failure. Typed arrays are views of `bytes`. */
export function decodeReplies(bytes: Uint8Array): readonly SliceReply[] {
  const decoded = decodeMessage(bytes);
  if (decoded.message === 'replies') return decoded.replies;
  if (decoded.message !== 'failure') throw unexpected('replies', decoded.message);
  const known = Object.hasOwn(errorClasses, decoded.errorName);
  const name = known ? (decoded.errorName as ErrorName) : 'LOGICAL_ERROR';
  const position = decoded.position;
  throw new MusterError(name, decoded.text, position === undefined ? {} : { position });
}

function encodeMessage(message: Message): Uint8Array {
  return encodeEnvelope(message);
}

function decodeMessage(bytes: Uint8Array): Message {
  return decodeEnvelope(bytes) as Message;
}

function unexpected(expected: string, found: string): MusterError {
  return new MusterError(
    'INCORRECT_DATA',
    `Expected ${expected} between root and worker: ${found}`,
  );
}
