// From lists of ids to what a stripe stores: for each group and row, the set of codes. The keys are
// encoded already (one group and one code per distinct id); rows that merge are unions. No object is made
// for a small set.

import { setFromRange } from '../../storage-format/bitmap.ts';
import { FlatSetsBuilder } from '../../storage-format/flat-sets.ts';
import { SetList, type SetVector } from '../../storage-format/set-vector.ts';
import type { IdLists } from '../batch/id-lists.ts';
import { WholeLists } from '../batch/whole-lists.ts';
import type { MergedRows } from './arrange-rows.ts';
import type { EncodedKeys } from './encode-keys.ts';

/**
 * Sets of one bitmap column, of each group those of all rows. Cost: one pass over the members, and sorts;
 * nothing for one row of all keys, of which none was known before.
 */
export function buildMemberSets(
  lists: IdLists,
  encoded: EncodedKeys,
  rows: MergedRows,
): readonly SetVector[] {
  const count = rows.starts.length - 1;
  if (encoded.spans !== undefined && count === 1 && hasAllKeys(lists, rows)) {
    return encoded.spans.map((span) => new SetList([setFromRange(span)]));
  }
  const groups = Array.from({ length: encoded.groupCount }, () => new FlatSetsBuilder(count));
  for (let row = 0; row < count; row++) {
    const end = rows.starts[row + 1] ?? 0;
    for (let at = rows.starts[row] ?? 0; at < end; at++) {
      scatter(lists, rows.order[at] ?? 0, encoded, groups);
    }
    for (let group = 0; group < groups.length; group++) groups[group]?.closeRow();
  }
  return groups.map((builder) => builder.finish());
}

/** Whether the one row has all keys. */
function hasAllKeys(lists: IdLists, { order }: MergedRows): boolean {
  return lists instanceof WholeLists && lists.isOneRow && order.length === 1;
}

function scatter(
  { ordinals, offsets }: IdLists,
  row: number,
  encoded: EncodedKeys,
  groups: readonly FlatSetsBuilder[],
): void {
  const end = offsets[row + 1] ?? 0;
  for (let at = offsets[row] ?? 0; at < end; at++) {
    const key = ordinals[at] as number;
    (groups[encoded.groups[key] as number] as FlatSetsBuilder).push(encoded.codes[key] as number);
  }
}
