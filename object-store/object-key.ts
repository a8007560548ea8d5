// The checking constructor of object keys. What each key means is catalog/keys.ts's business.

import { MusterError } from '../base/errors.ts';
import type { ObjectKey } from './port.ts';

const segmentPattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const keyCharsMax = 512;

/** Throws BAD_ARGUMENTS on anything that could leave the store's root or be read two ways. */
export function objectKey(text: string): ObjectKey {
  if (!isObjectKey(text)) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      `object key ${JSON.stringify(text)} must be segments of [A-Za-z0-9._-] joined by '/', none beginning with '.'`,
    );
  }
  return text;
}

/** False for names below a root that can only be somebody else's; listings leave those out. */
export function isObjectKey(text: string): text is ObjectKey {
  return (
    text.length <= keyCharsMax && text.split('/').every((segment) => segmentPattern.test(segment))
  );
}
