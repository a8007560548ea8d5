// Rows that have a place, group by group: of a table that is grouped by columns rows whose columns hash
// alike are together, with the ids of their sets; detail rows with an id column lie in their id's group. What follows (encoding, segments, stripes) treats each group's rows as an
// insert of their own, committed with the others. SPEC.md, "Groups".

import { assert, defined } from '../../base/assert.ts';
import type { DictionaryId, TableSchema } from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { groupOfHash, type HashHalves, hashBytes } from '../../kernels/hash64.ts';
import type { Column } from '../../storage-format/column.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import { encodeKeyTuple, keyValueAt } from '../../storage-format/key-tuple.ts';
import { domainOfIds, hashKeys } from '../../storage-format/key-list.ts';
import type { IdLists } from '../batch/id-lists.ts';
import { groupingColumns, idColumn, idDictionary } from '../ddl/grouping.ts';
import { createInternTable } from '../dictionary/intern-table.ts';
import { groupsOfHashes } from '../dictionary/key-groups.ts';
import { selectKeys } from '../dictionary/key-selection.ts';
import { GroupTable } from '../library/columns/group-table.ts';
import { take } from '../library/columns/take.ts';
import { internColumn } from '../root/set-expressions.ts';
import type { StagedRows } from './row-stage.ts';

/** Staged rows; those of one group where `group` says which. */
export interface PlacedRows extends StagedRows {
  readonly group?: number;
  /** Of the table, where `group` is told. */
  readonly groupCount?: number;
  /** Of detail rows that lie with their ids: which of the dictionary's keys each row has. */
  readonly ids?: { readonly dictionary: DictionaryId; readonly ordinals: Uint32Array };
}

/** Of a table grouped by id all rows as they are. */
export function placeRows(
  staged: StagedRows,
  table: TableSchema,
  snapshot: Snapshot,
): readonly PlacedRows[] {
  const idAt = idColumn(table);
  if (idAt !== undefined) return placeById(staged, table, { idAt, snapshot });
  const positions = groupingColumns(table);
  if (positions === undefined) return [staged];
  const columns = positions.map((at) => defined(table.columns[at], 'a grouping column'));
  const values = columns.map((column) => defined(staged.scalars.get(column.id), column.name));
  const types = columns.map((column) => column.type);
  const groups = Math.max(...dictionariesOf(table).map((id) => groupsOf(snapshot, id)));
  const rows = rowsByGroup(values, types, { rows: staged.rows, groups });
  return placed(staged, rows, groups);
}

/** Detail rows: where sets of their ids have those ids. */
function placeById(
  staged: StagedRows,
  table: TableSchema,
  { idAt, snapshot }: { readonly idAt: number; readonly snapshot: Snapshot },
): readonly PlacedRows[] {
  const { id, type } = defined(table.columns[idAt], 'an id column');
  const { id: dictionary, groups } = idDictionary(table, snapshot);
  const ids = createInternTable(domainOfIds(type));
  const ordinals = new Uint32Array(staged.rows);
  internColumn(defined(staged.scalars.get(id), 'ids of rows'), ids, ordinals);
  const all = ids.keys();
  const groupOfId = groupsOfHashes(hashKeys(all), groups);
  const { places, kept } = numberedInGroups(groupOfId, groups);
  const rows = splitRows(ordinals, groupOfId, groups);
  return placed(staged, rows, groups).map((one) => {
    const own = rows.get(one.group)!;
    return {
      ...one,
      keys: new Map([[dictionary, selectKeys(all, kept[one.group]!)]]),
      ids: { dictionary, ordinals: through(own, ordinals, places) },
    };
  });
}

/** Of each row, the place of its id. */
function through(rows: Int32Array, ordinals: Uint32Array, places: Uint32Array): Uint32Array {
  const out = new Uint32Array(rows.length);
  for (let i = 0; i < out.length; i++) out[i] = places[ordinals[rows[i]!]!]!;
  return out;
}

/** Ids of each group, ascending, and the place of each id among those of its group. */
function numberedInGroups(
  groupOfId: Uint16Array,
  groups: number,
): { readonly places: Uint32Array; readonly kept: readonly Uint32Array[] } {
  const counts = new Uint32Array(groups);
  const places = new Uint32Array(groupOfId.length);
  for (let id = 0; id < places.length; id++) places[id] = counts[groupOfId[id]!]!++;
  const kept = Array.from(counts, (count) => new Uint32Array(count));
  for (let id = 0; id < places.length; id++) kept[groupOfId[id]!]![places[id]!] = id;
  return { places, kept };
}

function placed(
  staged: StagedRows,
  rows: ReadonlyMap<number, Int32Array>,
  groupCount: number,
): readonly (PlacedRows & { readonly group: number })[] {
  return [...rows].map(([group, index]) => ({ group, groupCount, ...rowsOf(staged, index) }));
}

function dictionariesOf(table: TableSchema): readonly DictionaryId[] {
  return table.columns.flatMap(({ dictionary }) => (dictionary === undefined ? [] : [dictionary]));
}

function groupsOf(snapshot: Snapshot, id: DictionaryId): number {
  return defined(snapshot.dictionaries.get(id), `dictionary ${id}`).groups;
}

/** Rows of each group that has any, ascending. Equal values are hashed once. */
function rowsByGroup(
  columns: readonly Column[],
  types: readonly DataType[],
  { rows, groups }: { readonly rows: number; readonly groups: number },
): ReadonlyMap<number, Int32Array> {
  const table = new GroupTable(types);
  const tuples = table.add(columns, rows);
  const keys = table.keys();
  const groupOfTuple = Uint16Array.from({ length: table.size }, (_, tuple) => {
    const values = keys.map((column) => keyValueAt(column, tuple));
    return groupOfTuple64(encodeKeyTuple(values, types), groups);
  });
  return splitRows(tuples, groupOfTuple, groups);
}

/** Row i is of kind kinds[i], and kind k of group groupOfKind[k]. */
function splitRows(
  kinds: Uint32Array,
  groupOfKind: Uint16Array,
  groups: number,
): ReadonlyMap<number, Int32Array> {
  const counts = new Uint32Array(groups);
  for (const kind of kinds) counts[groupOfKind[kind]!]!++;
  const index = new Map<number, Int32Array>();
  counts.forEach((count, group) => {
    if (count > 0) index.set(group, new Int32Array(count));
  });
  const at = new Uint32Array(groups);
  for (let row = 0; row < kinds.length; row++) {
    const group = groupOfKind[kinds[row]!]!;
    index.get(group)![at[group]!++] = row;
  }
  return index;
}

function groupOfTuple64(tuple: Uint8Array, groups: number): number {
  const hash: HashHalves = { low: 0, high: 0 };
  hashBytes(tuple, hash);
  return groupOfHash(hash.high, hash.low, groups);
}

function rowsOf(staged: StagedRows, index: Int32Array): StagedRows {
  const scalars = new Map<number, Column>();
  for (const [id, column] of staged.scalars) scalars.set(id, take(column, index));
  const keys = new Map(staged.keys);
  const members = new Map<number, IdLists>();
  for (const [dictionary, all] of staged.keys) {
    const lists = [...staged.members].filter(([, one]) => one.keys === all);
    const used = new Uint8Array(all.values.length);
    for (const [, { offsets, ordinals }] of lists) {
      for (const row of index) {
        for (let i = offsets[row]!; i < offsets[row + 1]!; i++) used[ordinals[i]!] = 1;
      }
    }
    const { kept, renumbered } = compact(used);
    const own = selectKeys(all, kept);
    keys.set(dictionary, own);
    for (const [id, list] of lists) members.set(id, pickLists(list, index, { own, renumbered }));
  }
  assert(members.size === staged.members.size, 'lists share the keys of their dictionary');
  return { rows: index.length, scalars, members, keys };
}

function compact(used: Uint8Array): { kept: Uint32Array; renumbered: Uint32Array } {
  let count = 0;
  for (let i = 0; i < used.length; i++) count += used[i]!;
  const kept = new Uint32Array(count);
  const renumbered = new Uint32Array(used.length);
  let at = 0;
  for (let i = 0; i < used.length; i++) {
    if (used[i] === 0) continue;
    renumbered[i] = at;
    kept[at++] = i;
  }
  return { kept, renumbered };
}

function pickLists(
  lists: IdLists,
  index: Int32Array,
  keys: { readonly own: IdLists['keys']; readonly renumbered: Uint32Array },
): IdLists {
  const offsets = new Uint32Array(index.length + 1);
  index.forEach((row, i) => {
    offsets[i + 1] = offsets[i]! + lists.offsets[row + 1]! - lists.offsets[row]!;
  });
  const ordinals = new Uint32Array(offsets[index.length]!);
  let at = 0;
  for (const row of index) {
    for (let i = lists.offsets[row]!; i < lists.offsets[row + 1]!; i++) {
      ordinals[at++] = keys.renumbered[lists.ordinals[i]!]!;
    }
  }
  return { keys: keys.own, offsets, ordinals };
}
