// Lists of ids that are kept as they came, and interned only when somebody asks for ordinals. An insert
// never does: the dictionary takes keys that come twice, so that numbering them here first would be a
// table as large as its own, for nothing.

import type { KeyList } from '../../storage-format/key-list.ts';
import type { SetInsertColumn } from '../ingest/insert-block.ts';
import type { IdLists } from './id-lists.ts';
import { type GivenLists, internedLists } from './sorted-lists.ts';

export class LateLists implements IdLists {
  readonly given: GivenLists;
  #interned: IdLists | undefined;

  constructor(given: GivenLists) {
    this.given = given;
  }

  get domain(): KeyList['domain'] {
    return this.given.ids.domain;
  }

  get rows(): number {
    return this.given.offsets.length - 1;
  }

  get keys(): KeyList {
    return this.interned().keys;
  }

  get offsets(): Uint32Array {
    return this.interned().offsets;
  }

  get ordinals(): Uint32Array {
    return this.interned().ordinals;
  }

  interned(): IdLists {
    this.#interned ??= internedLists(this.given);
    return this.#interned;
  }
}

/** As plain data, which can be sent. */
export function plainLists(ids: IdLists): IdLists {
  return ids instanceof LateLists ? ids.interned() : ids;
}

/** For an insert: ids that nobody has interned yet are left so. */
export function asTheyAre(ids: IdLists): SetInsertColumn {
  if (ids instanceof LateLists) return { kind: 'lists', lists: ids.given };
  return { kind: 'ids', ids };
}
