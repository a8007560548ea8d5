// Lists of external ids, as literals, ingested rows and answers carry them. Ids are interned: a list
// holds ordinals into its distinct keys, so that a dictionary is asked once per distinct id.

import type { KeyList as StoredKeyList } from '../../storage-format/key-list.ts';

/** Keys of one domain. UUIDs have a form on disk, but no questions can be asked about them yet. */
export type KeyList = Exclude<StoredKeyList, { readonly domain: 'uuid' }>;

/** Row i holds ordinals[offsets[i], offsets[i+1]): distinct, ascending, into `keys` (distinct). */
export interface IdLists {
  readonly keys: KeyList;
  readonly offsets: Uint32Array;
  readonly ordinals: Uint32Array;
}
