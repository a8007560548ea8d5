// Ids to codes for an insert: what the dictionary knows keeps its code, what it doesn't is numbered
// from the group's next code on, in order of arrival. Pure but for the look-up; nothing is given out
// until a commit whose check finds the same next codes (Invariant C4 of the catalog).

import { MusterError } from '../../base/errors.ts';
import type { DictionarySchema } from '../../catalog/schema.ts';
import type { FoundKeys } from '../dictionary/dictionary-reader.ts';

/** One group and one code per key, and the keys whose codes are new. */
export interface EncodedKeys {
  readonly groupCount: number;
  readonly groups: Uint16Array;
  readonly codes: Uint32Array;
  /** Per group, ordinals of new keys in code order, from `base` = next code on. */
  readonly fresh: readonly FreshCodes[];
}

interface FreshCodes {
  readonly group: number;
  readonly base: number;
  readonly ordinals: readonly number[];
}

const codesPerGroup = 0x1_0000_0000;

/** Numbers the unknown keys. Throws BAD_ARGUMENTS when a group has given out all 2^32 codes. */
export function numberNewKeys(
  dictionary: DictionarySchema,
  found: FoundKeys,
  nextCodes: readonly number[],
): EncodedKeys {
  const { groups } = found;
  const codes = new Uint32Array(groups.length);
  const fresh = nextCodes.map((): number[] => []);
  for (let i = 0; i < groups.length; i++) {
    if (found.known[i] === 1) {
      codes[i] = found.codes[i] as number;
      continue;
    }
    const group = groups[i] as number;
    const ordinals = fresh[group] as number[];
    const code = (nextCodes[group] as number) + ordinals.length;
    if (code >= codesPerGroup) throw groupIsFull(dictionary, group);
    codes[i] = code;
    ordinals.push(i);
  }
  return {
    groupCount: dictionary.groups,
    groups,
    codes,
    fresh: fresh.flatMap((ordinals, group) =>
      ordinals.length === 0 ? [] : [{ group, base: nextCodes[group] ?? 0, ordinals }],
    ),
  };
}

function groupIsFull(dictionary: DictionarySchema, group: number): MusterError {
  return new MusterError(
    'BAD_ARGUMENTS',
    `Group ${group} of dictionary '${dictionary.name}' has given out all 2^32 codes; create a dictionary with more muster_groups`,
  );
}
