// Reads the catalog's trees: ranges of rows with pruning at every level, and single rows. References
// are sorted, so that what cannot overlap is left out by binary search: planning costs O(log n + k).

import { inChunks } from './chunks.ts';
import type { InnerPage, LeafPage, PageRef } from './page.ts';
import type { PageStore } from './page-store.ts';
import {
  compareByteStrings,
  compareSortKeys,
  type Row,
  type RowRange,
  type SortKey,
  sortKeyOf,
  spaces,
} from './row.ts';

/** The leaves that may hold rows of `range`, in order; `keep` prunes references at every level. */
export async function leavesOf(
  pages: PageStore,
  root: InnerPage,
  scan: { readonly range: RowRange; readonly keep: (ref: PageRef) => boolean },
): Promise<LeafPage[]> {
  let { level, refs } = { level: root.level, refs: overlapping(root.refs, scan.range) };
  for (; ; level--) {
    const read = await inChunks(refs.filter(scan.keep), (ref) => pages.read(ref));
    if (level === 0) return read.flatMap((page) => (page.kind === 'leaf' ? [page] : []));
    refs = read.flatMap((page) =>
      page.kind === 'inner' ? overlapping(page.refs, scan.range) : [],
    );
  }
}

/** All rows of a tree, in order. */
export async function allRows(pages: PageStore, root: InnerPage): Promise<Row[]> {
  let refs = root.refs;
  for (let level = root.level; level > 0; level--) {
    const read = await inChunks(refs, (ref) => pages.read(ref));
    refs = read.flatMap((page) => (page.kind === 'inner' ? page.refs : []));
  }
  const leaves = await inChunks(refs, (ref) => pages.read(ref));
  return leaves.flatMap((page) => (page.kind === 'leaf' ? page.rows : []));
}

/** The row at exactly `key`; reads one page a level. */
export async function findRow(
  pages: PageStore,
  root: InnerPage,
  key: SortKey,
): Promise<Row | undefined> {
  let refs = root.refs;
  for (;;) {
    const at = lowerBound(refs.length, (i) => compareSortKeys((refs[i] as PageRef).last, key) < 0);
    const ref = refs[at];
    if (ref === undefined || compareSortKeys(ref.first, key) > 0) return undefined;
    const page = await pages.read(ref);
    if (page.kind === 'leaf') {
      return page.rows.find((row) => compareSortKeys(sortKeyOf(row), key) === 0);
    }
    refs = page.refs;
  }
}

/** The references whose rows may be of `range`: a contiguous run. */
function overlapping(refs: readonly PageRef[], range: RowRange): readonly PageRef[] {
  const start = lowerBound(
    refs.length,
    (i) => compareToRange((refs[i] as PageRef).last, range) < 0,
  );
  const end = lowerBound(
    refs.length,
    (i) => compareToRange((refs[i] as PageRef).first, range) <= 0,
  );
  return refs.slice(start, end);
}

/** Below, in (0) or above the range. */
export function compareToRange(key: SortKey, range: RowRange): number {
  return (
    spaces.indexOf(key.space) - spaces.indexOf(range.space) ||
    key.id - range.id ||
    (range.partition === undefined ? 0 : compareByteStrings(key.partition, range.partition)) ||
    compareToKeys(key.key, range.keys)
  );
}

function compareToKeys(key: string, keys: RowRange['keys']): number {
  if (keys === undefined) return 0;
  return key < keys.first ? -1 : key > keys.last ? 1 : 0;
}

/** How many of the first indexes satisfy `before`, which no later one does. */
export function lowerBound(length: number, before: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
