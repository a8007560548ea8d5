// Ids to codes for an insert: what the dictionary knows keeps its code, what it doesn't is numbered
// from the group's next code on, in order of arrival. Pure but for the look-up; nothing is given out
// until a commit whose check finds the same next codes (Invariant C4 of the catalog).

import { MusterError } from '../../base/errors.ts';
import type { DictionarySchema } from '../../catalog/schema.ts';
import { groupOfHash, hashBytes, type HashHalves, hashInteger } from '../../kernels/hash64.ts';
import { type KeyList, keyCount } from '../batch/id-lists.ts';

/** One group and one code per key, and the keys whose codes are new. */
export interface EncodedKeys {
  readonly groupCount: number;
  readonly groups: Uint16Array;
  readonly codes: Uint32Array;
  /** Per group, ordinals of new keys in code order, from `base` = next code on. */
  readonly fresh: readonly FreshCodes[];
}

export interface FreshCodes {
  readonly group: number;
  readonly base: number;
  readonly ordinals: readonly number[];
}

/** Known codes as the dictionary's reader gives them. */
export interface KnownCodes {
  readonly codes: Uint32Array;
  /** 1 where codes[i] is the key's code. */
  readonly known: Uint8Array;
}

const codesPerGroup = 0x1_0000_0000;

/** The group of each key: floor(hash x groups / 2^64). */
export function groupsOfKeys(keys: KeyList, groups: number): Uint16Array {
  const out = new Uint16Array(keyCount(keys));
  const hash: HashHalves = { low: 0, high: 0 };
  if (keys.domain === 'integer') {
    const halves = new Uint32Array(keys.values.buffer, keys.values.byteOffset, 2 * out.length);
    for (let i = 0; i < out.length; i++) {
      hashInteger(halves[2 * i] as number, halves[2 * i + 1] as number, hash);
      out[i] = groupOfHash(hash.high, hash.low, groups);
    }
    return out;
  }
  for (let i = 0; i < out.length; i++) {
    hashBytes(Buffer.from(keys.values[i] ?? '', 'latin1'), hash);
    out[i] = groupOfHash(hash.high, hash.low, groups);
  }
  return out;
}

/** Numbers the unknown keys. Throws BAD_ARGUMENTS when a group has given out all 2^32 codes. */
export function numberNewKeys(
  dictionary: DictionarySchema,
  groups: Uint16Array,
  knownCodes: KnownCodes,
  nextCodes: readonly number[],
): EncodedKeys {
  const codes = new Uint32Array(groups.length);
  const fresh = nextCodes.map((): number[] => []);
  for (let i = 0; i < groups.length; i++) {
    if (knownCodes.known[i] === 1) {
      codes[i] = knownCodes.codes[i] as number;
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

/** The keys at these ordinals, in their order. */
export function selectKeys(keys: KeyList, ordinals: readonly number[]): KeyList {
  if (keys.domain === 'string') {
    return { domain: 'string', values: ordinals.map((at) => keys.values[at] ?? '') };
  }
  const values = new BigUint64Array(ordinals.length);
  for (let i = 0; i < values.length; i++) values[i] = keys.values[ordinals[i] as number] as bigint;
  return { domain: 'integer', values };
}

function groupIsFull(dictionary: DictionarySchema, group: number): MusterError {
  return new MusterError(
    'BAD_ARGUMENTS',
    `Group ${group} of dictionary '${dictionary.name}' has given out all 2^32 codes; create a dictionary with more muster_groups`,
  );
}
