// Pairs of sets: counted from the cardinality of their intersection, or made. Where few sets meet each
// other again and again, as in a matrix of overlaps, all their pairs are counted at once
// (storage-format/pair-pages.ts); that each pair is there once is seen before (batch/simplified-batch.ts).

import {
  andCardinality,
  emptySet,
  setAnd,
  setAndNot,
  setCardinality,
  setOr,
  setXor,
} from '../../storage-format/bitmap.ts';
import { PairPages } from '../../storage-format/pair-pages.ts';
import type { CodeSet } from '../../storage-format/set-column.ts';
import { newCursor, type SetVector, setUnder } from '../../storage-format/set-vector.ts';
import type { PairHow } from '../batch/batch.ts';
import type { Pacer } from './pacer.ts';
import { type Rows, wants } from './set-graph.ts';

/** |a how b| from the two cardinalities and that of the intersection: no set is made. */
export function pairCount(how: PairHow, a: CodeSet, b: CodeSet): number {
  const both = andCardinality(a, b);
  return how === 'and' ? both : countOf(how, both, [setCardinality(a), setCardinality(b)]);
}

function countOf(how: PairHow, both: number, [a, b]: readonly [number, number]): number {
  switch (how) {
    case 'and':
      return both;
    case 'or':
      return a + b - both;
    case 'xor':
      return a + b - 2 * both;
    case 'andnot':
      return a - both;
  }
}

/** Row i of a side is row index[i] of a vector, -1 the empty set. */
export interface PairSide {
  readonly of: SetVector;
  readonly index: Int32Array;
}

/** What the rows of two sides share, and which sets they are of. */
export interface SharedMembers {
  /** Pair of each row, -1 where it is not wanted. */
  readonly pairs: Int32Array;
  readonly both: Float64Array;
  /** Of both sides of each pair, one after the other. */
  readonly cardinalities: Float64Array;
}

/**
 * All pairs at once, where there are few sets for so many pairs; undefined where one by one is quicker.
 * An object is made for each set, not for each row.
 */
export async function sharedMembers(
  [a, b]: readonly [PairSide, PairSide],
  rows: Rows,
  pacer: Pacer,
): Promise<SharedMembers | undefined> {
  const known = new DistinctSets();
  if (!isMatrix([a, b], rows)) return undefined;
  const numbers = new Uint32Array(2 * a.index.length);
  const pairs = new Int32Array(a.index.length).fill(-1);
  let many = 0;
  for (let r = 0; r < pairs.length; r++) {
    if (!wants(rows, r)) continue;
    numbers[2 * many] = known.number(a, r);
    numbers[2 * many + 1] = known.number(b, r);
    pairs[r] = many++;
  }
  const used = numbers.subarray(0, 2 * many);
  const both = await countAll(PairPages.of(known.sets, used), pacer);
  if (both === undefined) return undefined;
  const sizes = known.sets.map(setCardinality);
  return { pairs, both, cardinalities: Float64Array.from(used, (set) => sizes[set]!) };
}

export function sharedCounts(how: PairHow, shared: SharedMembers): Float64Array {
  const { pairs, both, cardinalities } = shared;
  return Float64Array.from(pairs, (pair) =>
    pair < 0
      ? 0
      : countOf(how, both[pair]!, [cardinalities[2 * pair]!, cardinalities[2 * pair + 1]!]),
  );
}

async function countAll(
  pages: PairPages | undefined,
  pacer: Pacer,
): Promise<Float64Array | undefined> {
  for (const page of pages?.pages ?? []) {
    let isOpen = false;
    for (const portion of pages?.portions() ?? []) {
      if (!isOpen) pages?.open(page);
      pages?.count(portion);
      isOpen = !pacer.due();
      if (!isOpen) await pacer.breathe();
    }
  }
  return pages?.counts;
}

/** Whether rows are many for the sets that they are of: told without a look at any set. */
function isMatrix(sides: readonly PairSide[], rows: Rows): boolean {
  let sets = 0;
  let wanted = 0;
  for (const { of, index } of sides) {
    const seen = new Uint8Array(of.length);
    wanted = 0;
    for (let r = 0; r < index.length; r++) {
      if (!wants(rows, r)) continue;
      wanted++;
      const row = index[r]!;
      if (row < 0 || seen[row] === 1) continue;
      seen[row] = 1;
      sets++;
    }
  }
  return sets < wanted;
}

/** Numbers of sets, by where they lie. */
class DistinctSets {
  readonly sets: CodeSet[] = [emptySet];
  readonly #cursor = newCursor();
  readonly #numbers = new Map<SetVector, Int32Array>();

  number({ of, index }: PairSide, row: number): number {
    const at = index[row]!;
    if (at < 0) return 0;
    const numbers = this.#numbers.get(of) ?? new Int32Array(of.length);
    if (numbers[at] === 0) {
      this.#numbers.set(of, numbers);
      of.locate(at, this.#cursor);
      numbers[at] = this.sets.push(setUnder(this.#cursor)) - 1;
    }
    return numbers[at]!;
  }
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
