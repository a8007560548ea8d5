// Very many integers by the groups of their dictionary: each run of groups is encoded, numbered and written
// by itself, so that what this takes is that of a run, and not of all ids. SPEC.md, "Groups".

import type { DictionaryId } from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { scratchKernels } from '../../kernels/kernel-memory.ts';
import { groupOfHash } from '../../kernels/hash64.ts';
import type { KeyList } from '../../storage-format/key-list.ts';
import type { IdLists } from '../batch/id-lists.ts';
import { WholeLists } from '../batch/whole-lists.ts';
import type { StagedRows } from './row-stage.ts';

/** Fewer are encoded at once. */
const groupedMin = 4_194_304;
const stepKeys = 65_536;

/** The keys of group g are those from starts[g] to starts[g + 1]. */
export type GroupStarts = Uint32Array;

/** The same rows, the keys of huge sets in the order of their groups. */
export function inGroupOrder(
  staged: StagedRows,
  { dictionaries }: Pick<Snapshot, 'dictionaries'>,
  keysMin: number = groupedMin,
): StagedRows {
  const keys = new Map(staged.keys);
  const members = new Map(staged.members);
  const groupStarts = new Map<DictionaryId, GroupStarts>(staged.groupStarts ?? []);
  for (const [id, all] of staged.keys) {
    const dictionary = dictionaries.get(id);
    if (all.domain !== 'integer' || all.values.length < keysMin) continue;
    if (dictionary?.groupBy.rule !== 'id' || groupStarts.has(id)) continue;
    const { values, starts, places } = ordered(all.values, dictionary.groups);
    const own: KeyList = { domain: 'integer', values };
    keys.set(id, own);
    groupStarts.set(id, starts);
    for (const [column, lists] of staged.members) {
      if (lists.keys === all) members.set(column, through(lists, places, own));
    }
  }
  return { ...staged, keys, members, groupStarts };
}

function through(lists: IdLists, places: Uint32Array, keys: KeyList): IdLists {
  const { offsets } = lists;
  if (lists instanceof WholeLists) {
    return lists.isOneRow ? new WholeLists(keys, offsets) : { keys, offsets, ordinals: places };
  }
  const { ordinals } = lists;
  const own = new Uint32Array(ordinals.length);
  for (let i = 0; i < own.length; i++) own[i] = places[ordinals[i]!]!;
  return { keys, offsets, ordinals: own };
}

interface OrderedKeys {
  readonly values: BigUint64Array;
  readonly starts: GroupStarts;
  /** Of each key as given. */
  readonly places: Uint32Array;
}

function ordered(keys: BigUint64Array, groups: number): OrderedKeys {
  const groupOf = groupsOf(keys, groups);
  const starts = new Uint32Array(groups + 1);
  for (let i = 0; i < groupOf.length; i++) starts[groupOf[i]! + 1]!++;
  for (let group = 0; group < groups; group++) starts[group + 1]! += starts[group]!;
  const next = starts.slice();
  const from = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
  const values = new BigUint64Array(keys.length);
  const to = new Uint32Array(values.buffer);
  const places = new Uint32Array(keys.length);
  for (let i = 0; i < groupOf.length; i++) {
    const place = next[groupOf[i]!]!++;
    places[i] = place;
    to[2 * place] = from[2 * i]!;
    to[2 * place + 1] = from[2 * i + 1]!;
  }
  return { values, starts, places };
}

function groupsOf(keys: BigUint64Array, groups: number): Uint16Array {
  const kernels = scratchKernels();
  const out = new Uint16Array(keys.length);
  for (let from = 0; from < keys.length; from += stepKeys) {
    const some = keys.subarray(from, from + stepKeys);
    const at = kernels.scratch(8 * stepKeys);
    kernels.u64(at, some.length).set(some);
    kernels.calls.hashIntegers(at, some.length, at);
    const halves = kernels.u32(at, 2 * some.length);
    for (let i = 0; i < some.length; i++) {
      out[from + i] = groupOfHash(halves[2 * i + 1]!, halves[2 * i]!, groups);
    }
  }
  return out;
}
