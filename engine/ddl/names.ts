// What databases, tables and columns may be called: anything that is not empty and not endless. No
// name reaches an object's key, so no character is dangerous.

import { MusterError } from '../../base/errors.ts';

/** As for dictionaries. */
const nameCharsMax = 200;

/** Answered by the server itself; nobody can create it. */
export const systemDatabase = 'system';

/** Throws BAD_ARGUMENTS (36). */
export function checkName(what: 'database' | 'table' | 'column', name: string): void {
  if (name.length >= 1 && name.length <= nameCharsMax) return;
  throw new MusterError(
    'BAD_ARGUMENTS',
    `The name of a ${what} has 1 to ${nameCharsMax} characters, not ${name.length}`,
  );
}
