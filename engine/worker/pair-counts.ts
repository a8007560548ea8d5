// Pairs of sets: counted from the cardinality of their intersection, or made. That the same sets meet
// again and again, as in a matrix of overlaps, is seen before (batch/simplified-batch.ts).

import {
  andCardinality,
  setAnd,
  setAndNot,
  setCardinality,
  setOr,
  setXor,
} from '../../storage-format/bitmap.ts';
import type { CodeSet } from '../../storage-format/set-column.ts';
import type { PairHow } from '../batch/batch.ts';

/** |a how b| from the two cardinalities and that of the intersection: no set is made. */
export function pairCount(how: PairHow, a: CodeSet, b: CodeSet): number {
  const both = andCardinality(a, b);
  if (how === 'and') return both;
  const first = setCardinality(a);
  if (how === 'andnot') return first - both;
  const sum = first + setCardinality(b);
  return how === 'or' ? sum - both : sum - 2 * both;
}

export function pairSet(how: PairHow, a: CodeSet, b: CodeSet): CodeSet {
  switch (how) {
    case 'and':
      return setAnd(a, b);
    case 'or':
      return setOr(a, b);
    case 'xor':
      return setXor(a, b);
    case 'andnot':
      return setAndNot(a, b);
  }
}
