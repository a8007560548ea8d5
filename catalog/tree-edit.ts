// Changes a tree by writing new pages for those that change: copy on write (SPEC.md, "Folding").
// Pages that no edit touches keep their references; nothing is ever written in place.

import { inChunks } from './chunks.ts';
import { emptyRoot, type InnerPage, type PageRef } from './page.ts';
import {
  type CutOptions,
  cutInner,
  cutLeaves,
  refsBytes,
  type TreeEditor,
} from './page-cutting.ts';
import { compareSortKeys, type Row, type RowRange, rangeHolds, sortKeyOf } from './row.ts';
import { compareToRange, lowerBound } from './tree-scan.ts';

export interface TreeEdits {
  /** Ascending by sort key; one of an existing key replaces it. */
  readonly puts: readonly Row[];
  /** Taken from what the tree holds, never from `puts`. */
  readonly ranges: readonly RowRange[];
}

/** The tree's new root. Reads and writes at most the pages on the paths to what changes. */
export async function editTree(
  editor: TreeEditor,
  root: InnerPage,
  edits: TreeEdits,
): Promise<InnerPage> {
  let { level } = root;
  let refs = await editRefs(editor, root, edits);
  if (refs.length === 0) return emptyRoot;
  while (refs.length > 1 && refsBytes(refs) > editor.limits.rootBytesMax) {
    refs = await cutInner(editor, { level, refs }, { appending: false });
    level++;
  }
  return { level, refs };
}

async function editRefs(
  editor: TreeEditor,
  { level, refs }: InnerPage,
  edits: TreeEdits,
): Promise<readonly PageRef[]> {
  if (edits.puts.length === 0 && edits.ranges.length === 0) return refs;
  if (refs.length === 0) return cutLeaves(editor, edits.puts, { appending: true });
  const shares = shareOut(refs, edits.puts);
  const tasks = refs.map((ref, i) => ({ ref, puts: shares[i] ?? [], last: i === refs.length - 1 }));
  const edited = await inChunks(tasks, ({ ref, puts, last }) =>
    editPage(editor, { ref, level }, { edits: { puts, ranges: edits.ranges }, last }),
  );
  return edited.flat();
}

async function editPage(
  editor: TreeEditor,
  page: { readonly ref: PageRef; readonly level: number },
  change: { readonly edits: TreeEdits; readonly last: boolean },
): Promise<readonly PageRef[]> {
  const { ref, level } = page;
  const { puts, ranges } = change.edits;
  const touching = ranges.filter((range) => touches(ref, range));
  if (puts.length === 0) {
    if (touching.length === 0) return [ref];
    if (touching.some((range) => covers(ref, range))) return [];
  }
  const held = await editor.pages.read(ref);
  const options: CutOptions = { appending: change.last };
  if (held.kind === 'leaf') {
    const kept = held.rows.filter((row) => {
      const key = sortKeyOf(row);
      return !touching.some((range) => rangeHolds(range, key));
    });
    return cutLeaves(editor, mergeRows(kept, puts), options);
  }
  const refs = await editRefs(editor, held, { puts, ranges: touching });
  return cutInner(editor, { level: level - 1, refs }, options);
}

/** Which of the puts fall to each reference: from its first key to the next one's. */
function shareOut(refs: readonly PageRef[], puts: readonly Row[]): (readonly Row[])[] {
  const starts = refs.map((ref, i) =>
    i === 0
      ? 0
      : lowerBound(puts.length, (at) => compareSortKeys(sortKeyOf(puts[at] as Row), ref.first) < 0),
  );
  return refs.map((_, i) => puts.slice(starts[i], starts[i + 1]));
}

function mergeRows(held: readonly Row[], puts: readonly Row[]): Row[] {
  const merged: Row[] = [];
  let at = 0;
  for (const row of held) {
    const key = sortKeyOf(row);
    let order = -1;
    for (; at < puts.length; at++) {
      const put = puts[at] as Row;
      order = compareSortKeys(sortKeyOf(put), key);
      if (order >= 0) break;
      merged.push(put);
    }
    if (at < puts.length && order === 0) continue;
    merged.push(row);
  }
  merged.push(...puts.slice(at));
  return merged;
}

function touches(ref: PageRef, range: RowRange): boolean {
  return compareToRange(ref.last, range) >= 0 && compareToRange(ref.first, range) <= 0;
}

function covers(ref: PageRef, range: RowRange): boolean {
  return rangeHolds(range, ref.first) && rangeHolds(range, ref.last);
}
