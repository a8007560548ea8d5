// Lists whose rows follow one another among their keys: row i has keys [offsets[i], offsets[i + 1]). Ids
// that an insert keeps as they came are such lists, and of very many of them nobody asks for ordinals.

import type { KeyList } from '../../storage-format/key-list.ts';
import type { IdLists } from './id-lists.ts';

/** The same id may come twice; then there are two keys of it. */
export class WholeLists implements IdLists {
  readonly keys: KeyList;
  readonly offsets: Uint32Array;
  #ordinals: Uint32Array | undefined;

  constructor(keys: KeyList, offsets: Uint32Array) {
    this.keys = keys;
    this.offsets = offsets;
  }

  /** 0, 1, 2 and so on. */
  get ordinals(): Uint32Array {
    if (this.#ordinals === undefined) {
      this.#ordinals = new Uint32Array(this.keys.values.length);
      for (let i = 0; i < this.#ordinals.length; i++) this.#ordinals[i] = i;
    }
    return this.#ordinals;
  }

  /** Whether there is one row, which has all keys. */
  get isOneRow(): boolean {
    return this.offsets.length === 2 && this.offsets[0] === 0;
  }
}
