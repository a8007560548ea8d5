// Ids to codes for an insert: what the dictionary knows keeps its code, what it doesn't is numbered
// from the group's next code on, in order of arrival. Nothing is given out until a commit whose check
// finds the same next codes (Invariant C4 of the catalog). Numbering itself is the dictionary's
// (bulk-tables.ts): new keys go straight into the pages of their segments.

import { MusterError } from '../../base/errors.ts';
import type { DictionarySchema } from '../../catalog/schema.ts';
import type { CodeRange } from '../../storage-format/bitmap.ts';
import type { FreshKeys } from '../dictionary/dictionary-reader.ts';

/** One group and one code per key. */
export interface EncodedKeys {
  readonly groupCount: number;
  readonly groups: Uint16Array;
  readonly codes: Uint32Array;
  /**
   * Told where none of the keys was known before: then those of a group have all codes from its next one
   * on, in some order. Of each group.
   */
  readonly spans?: readonly CodeRange[];
}

/** Of keys none of which was known before. */
export function spansOf(
  fresh: readonly Pick<FreshKeys, 'group' | 'base' | 'count'>[],
  groupCount: number,
): readonly CodeRange[] {
  const spans = Array.from({ length: groupCount }, (): CodeRange => ({ start: 0, end: 0 }));
  for (const { group, base, count } of fresh) spans[group] = { start: base, end: base + count };
  return spans;
}

const codesPerGroup = 0x1_0000_0000;

/** Throws BAD_ARGUMENTS when the group would give out more than 2^32 codes. */
export function checkRoom(
  dictionary: DictionarySchema,
  { group, base, count }: Pick<FreshKeys, 'group' | 'base' | 'count'>,
): void {
  if (base + count <= codesPerGroup) return;
  throw new MusterError(
    'BAD_ARGUMENTS',
    `Group ${group} of dictionary '${dictionary.name}' has given out all 2^32 codes; create a dictionary with more muster_groups`,
  );
}
