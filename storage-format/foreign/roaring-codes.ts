// One portable roaring bitmap of 32-bit values from outside: checked, then read. Runs can promise
// 2^32 members in half a megabyte, so that a promise is bounded before memory is asked for.

import type { Refusal } from '../../base/byte-reader.ts';
import { MusterError } from '../../base/errors.ts';
import { refuseTooMany } from '../members-max.ts';
import { checkPortable, portableCodes, readPortableHeader } from '../portable-roaring.ts';

/** `bytes` is exactly one bitmap. */
export function decodeRoaring(bytes: Uint8Array, refusal: Refusal): Uint32Array {
  return renamed(refusal, () => {
    refuseTooMany(readPortableHeader(bytes).cardinality);
    return portableCodes(bytes, checkPortable(bytes));
  });
}

/** The bitmap at the front of `bytes`, and where it ends. */
export function decodeRoaringAtFront(
  bytes: Uint8Array,
  refusal: Refusal,
): { readonly codes: Uint32Array; readonly end: number } {
  const end = renamed(refusal, () => readPortableHeader(bytes).starts.at(-1) ?? 0);
  return { codes: decodeRoaring(bytes.subarray(0, end), refusal), end };
}

/** Reasons of the bitmap's own check, said as the reader's. */
function renamed<T>(refusal: Refusal, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MusterError) || error.errorName !== 'INCORRECT_DATA') throw error;
    const reason = error.message.slice(error.message.indexOf(': ') + 2);
    throw refusal(`has ${reason}`);
  }
}
