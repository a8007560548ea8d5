// Pairs of sets, row by row, where the same sets meet again and again: a matrix of overlaps is a pair
// node over two takes of a few distinct sets. Each unordered pair of distinct large sets is computed
// once; tiny sets are cheaper to compute than to remember.

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

/** Below this many rows remembering is not worth its maps. */
const rememberFromRows = 8;
const setsMax = 2 ** 26;

export class PairMemo<T> {
  readonly #ordinals = new Map<CodeSet, number>();
  readonly #known = new Map<number, T>();
  readonly #on: boolean;
  readonly #symmetric: boolean;

  constructor(rows: number, symmetric: boolean) {
    this.#on = rows >= rememberFromRows;
    this.#symmetric = symmetric;
  }

  get(a: CodeSet, b: CodeSet, compute: (a: CodeSet, b: CodeSet) => T): T {
    if (!this.#on || a instanceof Uint32Array || b instanceof Uint32Array) return compute(a, b);
    const x = this.#ordinal(a);
    const y = this.#ordinal(b);
    const key = this.#symmetric && y < x ? y * setsMax + x : x * setsMax + y;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = compute(a, b);
    this.#known.set(key, value);
    return value;
  }

  #ordinal(set: CodeSet): number {
    const known = this.#ordinals.get(set);
    if (known !== undefined) return known;
    const ordinal = this.#ordinals.size;
    this.#ordinals.set(set, ordinal);
    return ordinal;
  }
}

/** |a how b| from the two cardinalities and that of the intersection: no set is made. */
export function pairCount(how: PairHow, a: CodeSet, b: CodeSet, memo: PairMemo<number>): number {
  const both = memo.get(a, b, andCardinality);
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
