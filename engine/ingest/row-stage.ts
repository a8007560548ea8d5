// Rows of an insert gathered in memory until there are enough for a stripe, or the input ends. Ids
// of all blocks and columns of one dictionary are interned together, so that each distinct id is
// encoded once.

import type { KeyList } from '../../storage-format/key-list.ts';
import type { ColumnSchema, DictionaryId } from '../../catalog/schema.ts';
import type { Column } from '../../storage-format/column.ts';
import { concatColumns } from '../../storage-format/column-rows.ts';
import type { IdLists } from '../batch/id-lists.ts';
import { createInternTable } from '../dictionary/intern-table.ts';
import type { InsertBlock } from './insert-block.ts';

/** Lists of one dictionary share their `keys`. */
export interface StagedRows {
  readonly rows: number;
  /** Plain columns by column id. */
  readonly scalars: ReadonlyMap<number, Column>;
  /** Bitmap columns by column id. */
  readonly members: ReadonlyMap<number, IdLists>;
  readonly keys: ReadonlyMap<DictionaryId, KeyList>;
}

export class RowStage {
  readonly #columns: readonly ColumnSchema[];
  #blocks: InsertBlock[] = [];
  #rows = 0;
  #bytes = 0;

  /** `columns`: of the table, in the order of every block's columns. */
  constructor(columns: readonly ColumnSchema[]) {
    this.#columns = columns;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Rough bytes held. */
  get bytes(): number {
    return this.#bytes;
  }

  add(block: InsertBlock): void {
    if (block.rows === 0) return;
    this.#blocks.push(block);
    this.#rows += block.rows;
    this.#bytes += blockBytes(block);
  }

  /** Everything added since the last take. */
  take(): StagedRows {
    const blocks = this.#blocks;
    const rows = this.#rows;
    this.#blocks = [];
    this.#rows = 0;
    this.#bytes = 0;
    const scalars = new Map<number, Column>();
    const listed = new Map<DictionaryId, { columnId: number; lists: IdLists[] }[]>();
    for (const [at, column] of this.#columns.entries()) {
      const pieces = blocks.map((block) => block.columns[at]);
      if (column.dictionary === undefined) {
        scalars.set(column.id, concatColumns(pieces.filter(isPlain)));
        continue;
      }
      const lists = pieces.flatMap((piece) => (piece?.kind === 'ids' ? [piece.ids] : []));
      const group = listed.get(column.dictionary) ?? [];
      group.push({ columnId: column.id, lists });
      listed.set(column.dictionary, group);
    }
    return { rows, scalars, ...unifyKeys(listed) };
  }
}

/** Rough bytes that a block holds. */
export function blockBytes({ columns }: InsertBlock): number {
  return columns.reduce(
    (sum, column) => sum + (column.kind === 'ids' ? listBytes(column.ids) : columnBytes(column)),
    0,
  );
}

function isPlain(column: InsertBlock['columns'][number] | undefined): column is Column {
  return column !== undefined && column.kind !== 'ids';
}

type ListsByDictionary = ReadonlyMap<
  DictionaryId,
  readonly { readonly columnId: number; readonly lists: readonly IdLists[] }[]
>;

function unifyKeys(listed: ListsByDictionary): Pick<StagedRows, 'members' | 'keys'> {
  const members = new Map<number, IdLists>();
  const keys = new Map<DictionaryId, KeyList>();
  for (const [dictionary, columns] of listed) {
    const [first] = columns;
    const [only] = first?.lists ?? [];
    if (first !== undefined && columns.length === 1 && first.lists.length === 1 && only) {
      members.set(first.columnId, only);
      keys.set(dictionary, only.keys);
      continue;
    }
    const unified = internTogether(columns);
    keys.set(dictionary, unified.keys);
    for (const [columnId, lists] of unified.members) members.set(columnId, lists);
  }
  return { members, keys };
}

function internTogether(
  columns: readonly { readonly columnId: number; readonly lists: readonly IdLists[] }[],
): { keys: KeyList; members: readonly (readonly [number, IdLists])[] } {
  const domain = columns[0]?.lists[0]?.keys.domain ?? 'integer';
  const table = createInternTable(domain);
  const joined = columns.map(({ columnId, lists }) => {
    const translated = lists.map((list) => {
      const ordinalOf = new Uint32Array(list.keys.values.length);
      table.intern(list.keys, ordinalOf);
      return { list, ordinalOf };
    });
    return { columnId, ...joinLists(translated) };
  });
  const keys = table.keys();
  return {
    keys,
    members: joined.map(({ columnId, offsets, ordinals }) => [
      columnId,
      { keys, offsets, ordinals },
    ]),
  };
}

/** Ordinals of a row keep their order of arrival: sets are built from any order. */
function joinLists(
  pieces: readonly { readonly list: IdLists; readonly ordinalOf: Uint32Array }[],
): Pick<IdLists, 'offsets' | 'ordinals'> {
  const rows = pieces.reduce((sum, { list }) => sum + list.offsets.length - 1, 0);
  const total = pieces.reduce((sum, { list }) => sum + list.ordinals.length, 0);
  const offsets = new Uint32Array(rows + 1);
  const ordinals = new Uint32Array(total);
  let row = 0;
  let at = 0;
  for (const { list, ordinalOf } of pieces) {
    for (let i = 1; i < list.offsets.length; i++) {
      offsets[++row] = at + (list.offsets[i] as number);
    }
    for (let i = 0; i < list.ordinals.length; i++) {
      ordinals[at + i] = ordinalOf[list.ordinals[i] as number] as number;
    }
    at += list.ordinals.length;
  }
  return { offsets, ordinals };
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

function listBytes(lists: IdLists): number {
  const keys =
    lists.keys.domain === 'integer'
      ? lists.keys.values.byteLength
      : stringsBytes(lists.keys.values);
  return keys + lists.offsets.byteLength + lists.ordinals.byteLength;
}
