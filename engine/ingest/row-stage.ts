// Rows of an insert gathered in memory until there are enough for a stripe, or the input ends. Ids
// of all blocks and columns of one dictionary are interned together (set-stage.ts).

import type { KeyList } from '../../storage-format/key-list.ts';
import type { ColumnSchema, DictionaryId } from '../../catalog/schema.ts';
import type { Column } from '../../storage-format/column.ts';
import { concatColumns } from '../../storage-format/column-rows.ts';
import type { IdLists } from '../batch/id-lists.ts';
import type { GroupStarts } from './grouped-keys.ts';
import type { InsertBlock, InsertColumn } from './insert-block.ts';
import { SetStage } from './set-stage.ts';

/** Lists of one dictionary share their `keys`. */
export interface StagedRows {
  readonly rows: number;
  /** Plain columns by column id. */
  readonly scalars: ReadonlyMap<number, Column>;
  /** Bitmap columns by column id. */
  readonly members: ReadonlyMap<number, IdLists>;
  readonly keys: ReadonlyMap<DictionaryId, KeyList>;
  /** Of very many keys, where they lie group by group (grouped-keys.ts). */
  readonly groupStarts?: ReadonlyMap<DictionaryId, GroupStarts>;
}

export class RowStage {
  readonly #columns: readonly ColumnSchema[];
  #scalars = new Map<number, Column[]>();
  #sets = new Map<DictionaryId, SetStage>();
  #rows = 0;
  #scalarBytes = 0;

  /** `columns`: of the table, in the order of every block's columns. */
  constructor(columns: readonly ColumnSchema[]) {
    this.#columns = columns;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Rough bytes held. */
  get bytes(): number {
    let bytes = this.#scalarBytes;
    for (const stage of this.#sets.values()) bytes += stage.bytes;
    return bytes;
  }

  add(block: InsertBlock): void {
    if (block.rows === 0) return;
    this.#rows += block.rows;
    for (const [at, { id, dictionary }] of this.#columns.entries()) {
      const column = block.columns[at];
      if (column === undefined) continue;
      if (column.kind === 'ids' || column.kind === 'lists') {
        if (dictionary !== undefined) this.#stageOf(dictionary).add(id, column);
        continue;
      }
      const pieces = this.#scalars.get(id) ?? [];
      pieces.push(column);
      this.#scalars.set(id, pieces);
      this.#scalarBytes += columnBytes(column);
    }
  }

  /** Everything added since the last take. */
  take(): StagedRows {
    const scalars = new Map<number, Column>();
    for (const [id, pieces] of this.#scalars) scalars.set(id, concatColumns(pieces));
    const members = new Map<number, IdLists>();
    const keys = new Map<DictionaryId, KeyList>();
    for (const [dictionary, stage] of this.#sets) {
      const taken = stage.take();
      keys.set(dictionary, taken.keys);
      for (const [columnId, lists] of taken.members) members.set(columnId, lists);
    }
    const rows = this.#rows;
    this.#scalars = new Map();
    this.#sets = new Map();
    this.#rows = 0;
    this.#scalarBytes = 0;
    return { rows, scalars, members, keys };
  }

  #stageOf(dictionary: DictionaryId): SetStage {
    let stage = this.#sets.get(dictionary);
    if (stage === undefined) {
      stage = new SetStage();
      this.#sets.set(dictionary, stage);
    }
    return stage;
  }
}

/** Rough bytes that a block holds. */
export function blockBytes({ columns }: InsertBlock): number {
  return columns.reduce((sum, column) => sum + insertBytes(column), 0);
}

function insertBytes(column: InsertColumn): number {
  if (column.kind === 'lists') {
    return column.lists.offsets.byteLength + keyBytes(column.lists.ids);
  }
  if (column.kind !== 'ids') return columnBytes(column);
  const { keys, offsets, ordinals } = column.ids;
  return keyBytes(keys) + offsets.byteLength + ordinals.byteLength;
}

const stringBytes = 32;

function stringsBytes(values: readonly string[]): number {
  let bytes = stringBytes * values.length;
  for (const value of values) bytes += value.length;
  return bytes;
}

function columnBytes(column: Column): number {
  switch (column.kind) {
    case 'string':
      return stringsBytes(column.values);
    case 'array':
      return column.offsets.byteLength + columnBytes(column.items);
    case 'tuple':
      return column.fields.reduce((sum, field) => sum + columnBytes(field), 0);
    default:
      return column.values.byteLength;
  }
}

function keyBytes(keys: KeyList): number {
  return keys.domain === 'integer' ? keys.values.byteLength : stringsBytes(keys.values);
}
