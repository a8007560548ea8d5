// Sets within one range of codes: what a slice sees that is not a whole group. Flat rows are narrowed
// where they lie. What is left of a large set is kept as long as that set is: the next question asks for
// the same range, and to cut costs as much as many an answer.

import { type CodeRange, restrict, type SliceBitmap } from '../../storage-format/bitmap.ts';
import { lowerBoundIn } from '../../storage-format/code-arrays.ts';
import type { CodeSet } from '../../storage-format/set-column.ts';
import { locateSet, type SetCursor, type SetVector } from '../../storage-format/set-vector.ts';

interface Piece extends CodeRange {
  readonly set: CodeSet;
}

/** Ranges that change from question to question must not pile up. */
const piecesMax = 2;

const pieces = new WeakMap<SliceBitmap, readonly Piece[]>();

export class RestrictedSets implements SetVector {
  readonly #of: SetVector;
  readonly #range: CodeRange;

  constructor(of: SetVector, range: CodeRange) {
    this.#of = of;
    this.#range = range;
  }

  get length(): number {
    return this.#of.length;
  }

  locate(row: number, cursor: SetCursor): void {
    this.#of.locate(row, cursor);
    const { large } = cursor;
    if (large !== undefined) {
      locateSet(pieceOf(large, this.#range), cursor);
      return;
    }
    const { start, end } = this.#range;
    cursor.start = lowerBoundIn(cursor, start);
    cursor.end = lowerBoundIn(cursor, end);
  }
}

function pieceOf(large: SliceBitmap, range: CodeRange): CodeSet {
  const kept = pieces.get(large) ?? [];
  const known = kept.find(({ start, end }) => start === range.start && end === range.end);
  if (known !== undefined) return known.set;
  const set = restrict(large, range);
  pieces.set(large, [{ ...range, set }, ...kept].slice(0, piecesMax));
  return set;
}
