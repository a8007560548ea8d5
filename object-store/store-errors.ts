// The errors that every object store words alike, and the one look inside a foreign error.

import type { ByteRange } from '../base/byte-range.ts';
import { MusterError } from '../base/errors.ts';
import type { ObjectKey } from './port.ts';

/** A reference points past the object's end: the object or the reference is damaged. */
export function rangePastEnd(key: ObjectKey, range: ByteRange, objectBytes?: number): MusterError {
  const size = objectBytes === undefined ? '' : `, which has ${objectBytes} bytes`;
  return new MusterError(
    'CORRUPTED_DATA',
    `corrupt part ${key}: bytes [${range.start}, ${range.end}) reach past its end${size}`,
  );
}

/** A name that holds a fresh random id is taken by something of another size. */
export function nameTaken(key: ObjectKey): MusterError {
  return new MusterError(
    'CORRUPTED_DATA',
    `another object is at ${key}, a name that was made for one upload; ` +
      'is something else writing below this root?',
  );
}

/** The `code` of an error of Node's, such as ENOENT; '' if it has none. */
export function errorCode(error: unknown): string {
  const known = error instanceof Error && 'code' in error && typeof error.code === 'string';
  return known ? String(error.code) : '';
}

const refusals = new Set(['AccessDenied', 'EACCES', 'EPERM', 'EROFS']);

/** Whether it is these credentials, this account or this mount that may not. */
export function isRefused(error: unknown): boolean {
  return error instanceof Error && refusals.has(errorCode(error.cause));
}
