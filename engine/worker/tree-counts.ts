// Members of a tree of operators over one row's sets: over bitsets where all leaves are hot, else step by
// step, without what an empty side makes needless.

import { emptySet, isEmpty, type SliceBitmap } from '../../storage-format/bitmap.ts';
import { hotTreeCardinality, type SetTree } from '../../storage-format/hot-trees.ts';
import type { CodeSet } from '../../storage-format/set-column.ts';
import { pairCount, pairSet } from './pair-counts.ts';

/** `leaves`: a set for each leaf. */
export function treeCount(tree: SetTree, leaves: readonly CodeSet[]): number {
  const large = leaves.filter(isLarge);
  const hot = large.length === leaves.length ? hotTreeCardinality(tree, large) : undefined;
  if (hot !== undefined) return hot;
  const { how, a, b } = tree.steps.at(-1)!;
  const first = setOf(tree, leaves, a);
  if (isEmpty(first) && (how === 'and' || how === 'andnot')) return 0;
  return pairCount(how, first, setOf(tree, leaves, b));
}

function setOf(tree: SetTree, leaves: readonly CodeSet[], at: number): CodeSet {
  if (at < tree.leaves) return leaves[at]!;
  const { how, a, b } = tree.steps[at - tree.leaves]!;
  const first = setOf(tree, leaves, a);
  if (isEmpty(first) && (how === 'and' || how === 'andnot')) return emptySet;
  return pairSet(how, first, setOf(tree, leaves, b));
}

function isLarge(set: CodeSet): set is SliceBitmap {
  return !(set instanceof Uint32Array);
}
