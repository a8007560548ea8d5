// Lists of external ids, as literals, ingested rows and answers carry them. Ids are interned: a list
// holds ordinals into its distinct keys, so that a dictionary is asked once per distinct id.

/** Keys of one domain. Integers: 64-bit patterns, signed types sign-extended. Strings: bytes. */
export type KeyList =
  | { readonly domain: 'integer'; readonly values: BigUint64Array }
  | { readonly domain: 'string'; readonly values: readonly string[] };

export function keyCount(keys: KeyList): number {
  return keys.values.length;
}

/** Row i holds ordinals[offsets[i], offsets[i+1]): distinct, ascending, into `keys` (distinct). */
export interface IdLists {
  readonly keys: KeyList;
  readonly offsets: Uint32Array;
  readonly ordinals: Uint32Array;
}
