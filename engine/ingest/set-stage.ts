// The ids of one dictionary that an insert has gathered: interned as they come, over all blocks and
// columns, so that each distinct id is held and encoded once, and what a block held is free again.

import { assert } from '../../base/assert.ts';
import { noKeys, type KeyList } from '../../storage-format/key-list.ts';
import type { IdLists } from '../batch/id-lists.ts';
import type { GivenLists } from '../batch/sorted-lists.ts';
import { WholeLists } from '../batch/whole-lists.ts';
import { createGrowingTable } from '../dictionary/growing-intern-table.ts';
import type { Interning } from '../dictionary/intern-table.ts';
import type { SetInsertColumn } from './insert-block.ts';

/** Rows of one column in one block; ordinals are the stage's. */
interface Piece {
  readonly offsets: Uint32Array;
  readonly ordinals: Uint32Array;
}

export class SetStage {
  readonly #pieces = new Map<number, Piece[]>();
  /** The first lists, while there are no others: they are as they must be, or many. */
  #only: { readonly columnId: number; readonly column: SetInsertColumn } | undefined;
  #table: Interning | undefined;
  #bytes = 0;

  /** Rough bytes held. */
  get bytes(): number {
    return this.#bytes + (this.#table?.bytes ?? 0);
  }

  add(columnId: number, column: SetInsertColumn): void {
    if (this.#table === undefined && this.#only === undefined && staysAsItIs(column)) {
      this.#only = { columnId, column };
      this.#bytes += bytesOfColumn(column);
      return;
    }
    this.#internOnly();
    this.#intern(columnId, column);
  }

  /**
   * Lists that share their keys, by column. Ordinals of a row are in any order, and may repeat; so may
   * the keys of very many ids.
   */
  take(): { readonly keys: KeyList; readonly members: ReadonlyMap<number, IdLists> } {
    const only = this.#only;
    if (only !== undefined) {
      const ids = only.column.kind === 'ids' ? only.column.ids : listsAsTheyCame(only.column.lists);
      return { keys: ids.keys, members: new Map([[only.columnId, ids]]) };
    }
    const keys = this.#table?.keys() ?? noKeys('integer');
    this.#table?.close?.();
    this.#table = undefined;
    const members = new Map<number, IdLists>();
    for (const [columnId, pieces] of this.#pieces) {
      members.set(columnId, { keys, ...joined(pieces) });
    }
    return { keys, members };
  }

  #internOnly(): void {
    const only = this.#only;
    if (only === undefined) return;
    this.#only = undefined;
    this.#bytes = 0;
    this.#intern(only.columnId, only.column);
  }

  #intern(columnId: number, column: SetInsertColumn): void {
    const piece = column.kind === 'ids' ? this.#translated(column.ids) : this.#numbered(column);
    const pieces = this.#pieces.get(columnId) ?? [];
    pieces.push(piece);
    this.#pieces.set(columnId, pieces);
    this.#bytes += piece.offsets.byteLength + piece.ordinals.byteLength;
  }

  #translated({ keys, offsets, ordinals }: IdLists): Piece {
    const ordinalOf = this.#ordinals(keys);
    const own = new Uint32Array(ordinals.length);
    for (let i = 0; i < ordinals.length; i++) own[i] = ordinalOf[ordinals[i]!]!;
    return { offsets, ordinals: own };
  }

  #numbered({ lists }: Extract<SetInsertColumn, { readonly kind: 'lists' }>): Piece {
    const { offsets, ids } = lists;
    assert(offsets[0] === 0, 'lists begin with the first id');
    return { offsets, ordinals: this.#ordinals(ids) };
  }

  #ordinals(keys: KeyList): Uint32Array {
    this.#table ??= createGrowingTable(keys.domain);
    const ordinals = new Uint32Array(keys.values.length);
    this.#table.intern(keys, ordinals);
    return ordinals;
  }
}

function joined(pieces: readonly Piece[]): Pick<IdLists, 'offsets' | 'ordinals'> {
  const [first] = pieces;
  if (first !== undefined && pieces.length === 1) return first;
  const rows = pieces.reduce((sum, { offsets }) => sum + offsets.length - 1, 0);
  const total = pieces.reduce((sum, { ordinals }) => sum + ordinals.length, 0);
  const offsets = new Uint32Array(rows + 1);
  const ordinals = new Uint32Array(total);
  let row = 0;
  let at = 0;
  for (const piece of pieces) {
    for (let i = 1; i < piece.offsets.length; i++) offsets[++row] = at + piece.offsets[i]!;
    ordinals.set(piece.ordinals, at);
    at += piece.ordinals.length;
  }
  return { offsets, ordinals };
}

/** So many at once are of one huge set, or of many, and most of them differ. */
const uninternedMin = 131_072;

function staysAsItIs(column: SetInsertColumn): boolean {
  if (column.kind === 'ids') return true;
  const { ids, isMostlyNew } = column.lists;
  return isMostlyNew === true && ids.values.length >= uninternedMin;
}

/** Each id is a key of its own, also where it comes twice: the dictionary gives both the same code. */
function listsAsTheyCame({ offsets, ids }: GivenLists): IdLists {
  return new WholeLists(ids, offsets);
}

function bytesOfColumn(column: SetInsertColumn): number {
  if (column.kind === 'lists') {
    const { offsets, ids } = column.lists;
    return bytesOfKeys(ids) + offsets.byteLength;
  }
  const { keys, offsets, ordinals } = column.ids;
  return bytesOfKeys(keys) + offsets.byteLength + ordinals.byteLength;
}

function bytesOfKeys(keys: KeyList): number {
  if (keys.domain === 'integer') return keys.values.byteLength;
  return keys.values.reduce((sum, key) => sum + key.length + stringBytes, 0);
}

/** Rough, of a string and its place. */
const stringBytes = 32;
