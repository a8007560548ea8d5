// What scans keep between queries: scalar columns, sums of counts, and what merging decided of merged
// tables. All of it is derived from immutable objects, so an entry is never stale; the cache is bounded
// in bytes and nothing correct depends on what it holds.

import { ByteLru } from '../../base/lru.ts';
import type { Column } from '../../storage-format/column.ts';
import { columnBytes } from '../rows/column-bytes.ts';

/** Rows of stripes that become one row of the table. */
export interface Merging {
  /** Of each row of the table, the source row that gives its scalars. */
  readonly chosen: Int32Array;
  /** Source rows whose sets are folded: row i's are index[offsets[i], offsets[i + 1]). */
  readonly lists?: { readonly offsets: Uint32Array; readonly index: Int32Array };
}

export class ScanCache {
  readonly #columns: ByteLru<Column>;
  readonly #mergings: ByteLru<Merging>;

  constructor(bytesMax: number) {
    this.#columns = new ByteLru(Math.floor((3 * bytesMax) / 4));
    this.#mergings = new ByteLru(Math.floor(bytesMax / 4));
  }

  get bytes(): number {
    return this.#columns.bytes + this.#mergings.bytes;
  }

  column(key: string): Column | undefined {
    return this.#columns.get(key);
  }

  keepColumn(key: string, column: Column): void {
    this.#columns.set(key, column, columnBytes(column));
  }

  merging(key: string): Merging | undefined {
    return this.#mergings.get(key);
  }

  keepMerging(key: string, merging: Merging): void {
    const listBytes = 4 * (merging.lists?.index.length ?? 0);
    this.#mergings.set(key, merging, 8 * merging.chosen.length + listBytes);
  }
}
