// The ids of groupBitmapState over plain rows. Interned, memory follows the distinct ids and not the rows.
// What an insert takes is kept as it comes while most ids are new, 8 bytes each: its dictionary takes keys
// that come twice, and a table here would be as large as that of the dictionary, for nothing. Whether most
// are new is looked at whenever there are twice as many.

import type { KeyDomain } from '../../storage-format/key-list.ts';
import type { Column } from '../../storage-format/column.ts';
import { IdListBuilder } from '../batch/id-list-builder.ts';
import type { IdLists } from '../batch/id-lists.ts';
import { LateLists } from '../batch/late-lists.ts';
import { createGrowingTable } from '../dictionary/growing-intern-table.ts';
import type { Interning } from '../dictionary/intern-table.ts';
import { ChunkedIds } from './chunked-ids.ts';
import { internColumn, patternsOf } from './set-expressions.ts';

const firstLook = 131_072;
/** A distinct id in a table takes some three times what an id takes as it is. */
const distinctShareMin = 0.6;
/** Distinct ids at the end for each one by then, if ids are drawn at random: 1 / (1 - 1 / e^1.2). */
const distinctToCome = 1.43;

export class GatheredIds {
  readonly #domain: KeyDomain;
  #kept: ChunkedIds | undefined;
  #lookAt = firstLook;
  #table: Interning | undefined;
  readonly #lists = new IdListBuilder();

  /** `late`: sets are taken by an insert, most likely. */
  constructor(domain: KeyDomain, late: boolean) {
    this.#domain = domain;
    this.#kept = late && domain === 'integer' ? new ChunkedIds() : undefined;
  }

  /** Rough. */
  get bytes(): number {
    return (this.#kept?.bytes ?? 0) + (this.#table?.bytes ?? 0) + this.#lists.bytes;
  }

  /** Row i of the column is an id of group groups[i]. */
  add(column: Column, groups: Uint32Array): void {
    if (this.#kept === undefined) {
      const ordinals = new Uint32Array(groups.length);
      internColumn(column, this.#interning(), ordinals);
      this.#lists.add(groups, ordinals);
      return;
    }
    this.#kept.add(patternsOf(column), groups);
    if (this.#kept.count >= this.#lookAt) this.#look(this.#kept);
  }

  finish(groupCount: number): IdLists {
    if (this.#kept !== undefined) return new LateLists(this.#kept.takeLists(groupCount));
    const ids = this.#lists.finish(groupCount, this.#interning().keys());
    this.#table?.close?.();
    return ids;
  }

  #look(kept: ChunkedIds): void {
    this.#lookAt = 2 * kept.count;
    const share = kept.distinctShare();
    if (share >= distinctShareMin) return;
    this.#kept = undefined;
    this.#table = createGrowingTable(this.#domain, distinctToCome * share * kept.count);
    for (const { ids, groups } of kept.drain()) {
      const ordinals = new Uint32Array(ids.length);
      this.#interning().intern({ domain: 'integer', values: ids }, ordinals);
      this.#lists.add(groups, ordinals);
    }
  }

  #interning(): Interning {
    this.#table ??= createGrowingTable(this.#domain);
    return this.#table;
  }
}
