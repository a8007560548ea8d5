// What is said of a regular expression that is not taken.

import { MusterError } from '../../../base/errors.ts';

export function cannotCompile(pattern: string, why: string): MusterError {
  return new MusterError(
    'CANNOT_COMPILE_REGEXP',
    `OptimizedRegularExpression: cannot compile re2: ${pattern}, error: ${why}`,
  );
}

export function regexNotSupported(pattern: string, what: string): MusterError {
  return new MusterError(
    'NOT_IMPLEMENTED',
    `Regular expression '${pattern}': ${what} is not supported`,
  );
}
