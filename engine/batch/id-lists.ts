// Lists of external ids, as literals, ingested rows and answers carry them. Ids are interned: a list
// holds ordinals into its distinct keys, so that a dictionary is asked once per distinct id.

import type { KeyList } from '../../storage-format/key-list.ts';

/** Row i holds ordinals[offsets[i], offsets[i+1]): distinct, ascending, into `keys` (distinct). */
export interface IdLists {
  readonly keys: KeyList;
  readonly offsets: Uint32Array;
  readonly ordinals: Uint32Array;
}
