// How many members one set from outside may have. A run of a roaring bitmap promises 65,536 members
// in ten bytes, half a megabyte of them all 2^32: what is promised is bounded before memory is asked
// for it.

import { MusterError } from '../base/errors.ts';

/** Members of one set from outside; 8 bytes each while it is read. */
export const membersMax = 2 ** 27;

/** MEMORY_LIMIT_EXCEEDED. */
export function refuseTooMany(members: number): void {
  if (members <= membersMax) return;
  throw new MusterError(
    'MEMORY_LIMIT_EXCEEDED',
    `a set of ${members} members: at most ${membersMax} are read from one value; ` +
      'give it as several, which are merged where their keys are equal',
  );
}
