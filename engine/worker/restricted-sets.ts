// Sets within one range of codes: what a slice sees that is not a whole group. Flat rows are narrowed
// where they lie. What is left of a large set is kept as long as that set is: the next question asks for
// the same range, and to cut costs as much as many an answer.

import { type CodeRange, restrict, type SliceBitmap } from '../../storage-format/bitmap.ts';
import { lowerBoundIn } from '../../storage-format/code-arrays.ts';
import type { CodeSet } from '../../storage-format/set-column.ts';
import {
  locateSet,
  type SetCursor,
  type SetVector,
  type SpanUser,
  visitSpans,
} from '../../storage-format/set-vector.ts';

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

  /** Codes of many rows at once are picked one by one, without a look at where each row is. */
  spans(start: number, end: number, use: SpanUser): void {
    const rows = { start, end };
    const range = this.#range;
    visitSpans(this.#of, rows, {
      flat: (codes, from, to) => {
        for (let at = from; at < to; at += pickedMax) {
          const count = pickCodes({ codes, start: at, end: Math.min(to, at + pickedMax) }, range);
          if (count > 0) use.flat(picked, 0, count);
        }
      },
      large: (set) => {
        const piece = pieceOf(set, range);
        if (!(piece instanceof Uint32Array)) use.large(piece);
        else if (piece.length > 0) use.flat(piece, 0, piece.length);
      },
    });
  }
}

const pickedMax = 16_384;
/** Of one call at a time: who is given it has used it when the call returns. */
const picked = new Uint32Array(pickedMax);

/** Puts those of a run that are in the range into `picked`, without a branch; returns how many. */
function pickCodes(
  run: { readonly codes: Uint32Array; readonly start: number; readonly end: number },
  range: CodeRange,
): number {
  const { codes } = run;
  const width = range.end - range.start;
  let count = 0;
  for (let i = run.start; i < run.end; i++) {
    const code = codes[i]!;
    picked[count] = code;
    const above = code - range.start;
    if (above >= 0 && above < width) count++;
  }
  return count;
}

function pieceOf(large: SliceBitmap, range: CodeRange): CodeSet {
  const kept = pieces.get(large) ?? [];
  const known = kept.find(({ start, end }) => start === range.start && end === range.end);
  if (known !== undefined) return known.set;
  const set = restrict(large, range);
  pieces.set(large, [{ ...range, set }, ...kept].slice(0, piecesMax));
  return set;
}
