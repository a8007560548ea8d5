// Lists of ordinals that are long on average, as bitmaps by row: about 2 bytes a member, where a pair of
// row and ordinal takes 8.

import {
  setBytes,
  setCardinality,
  setFromSorted,
  setOr,
  setToCodes,
} from '../../storage-format/bitmap.ts';
import type { KeyList } from '../../storage-format/key-list.ts';
import type { CodeSet } from '../../storage-format/set-column.ts';
import type { IdLists } from './id-lists.ts';

export class LongLists {
  readonly #sets: CodeSet[] = [];

  /** Rough bytes held. Cost: the number of rows. */
  bytes(): number {
    return this.#sets.reduce((sum, set) => sum + setBytes(set), 0);
  }

  /** Pairs ascending by row, then ordinal, each once; copied. */
  add(rows: Uint32Array, ordinals: Uint32Array): void {
    for (let from = 0; from < rows.length; ) {
      const row = rows[from]!;
      let to = from + 1;
      while (to < rows.length && rows[to] === row) to++;
      while (this.#sets.length <= row) this.#sets.push(new Uint32Array(0));
      this.#sets[row] = setOr(this.#sets[row]!, setFromSorted(ordinals.slice(from, to)));
      from = to;
    }
  }

  /** Lists of rows [0, rows), ascending; there are none afterwards. */
  finish(rows: number, keys: KeyList): IdLists {
    const offsets = new Uint32Array(rows + 1);
    for (let row = 0; row < rows; row++) {
      const set = this.#sets[row];
      offsets[row + 1] = offsets[row]! + (set === undefined ? 0 : setCardinality(set));
    }
    const ordinals = new Uint32Array(offsets[rows]!);
    this.#sets.forEach((set, row) => ordinals.set(setToCodes(set), offsets[row]));
    this.#sets.length = 0;
    return { keys, offsets, ordinals };
  }
}
