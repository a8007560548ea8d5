// Folds of a list of sets into one. The empty list is the empty set, for every operator.

import {
  emptySet,
  isEmpty,
  setAnd,
  setCardinality,
  setXor,
  unionSets,
} from '../../storage-format/bitmap.ts';
import type { CodeSet } from '../../storage-format/set-column.ts';

export function foldSets(how: 'or' | 'and' | 'xor', sets: readonly CodeSet[]): CodeSet {
  if (how === 'or') return unionSets(sets);
  if (how === 'and') return intersection(sets);
  return sets.reduce(setXor, emptySet);
}

/** Smallest first: the result never grows, and stops at the first empty one. */
function intersection(sets: readonly CodeSet[]): CodeSet {
  const ordered = sets.toSorted((a, b) => setCardinality(a) - setCardinality(b));
  let result = ordered[0] ?? emptySet;
  for (let i = 1; i < ordered.length && !isEmpty(result); i++) {
    result = setAnd(result, ordered[i] as CodeSet);
  }
  return result;
}
