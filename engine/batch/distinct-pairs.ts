// Row-wise pairs of rows of one or two vectors, each distinct pair once: a matrix of overlaps has many
// rows of a few sets.

interface Side {
  readonly base: number;
  /** Rows of the base, -1 for the empty set. */
  rows(): Int32Array;
}

interface Pairs {
  readonly a: Side;
  readonly b: Side;
  /** Whether (x, y) is another pair than (y, x), be they rows of one base. */
  readonly isOrdered: boolean;
}

interface DistinctPairs {
  readonly first: Int32Array;
  readonly second: Int32Array;
  /** Of each row, its pair. */
  readonly index: Int32Array;
}

const keyBase = 2 ** 26;

/** Rows beyond 2^26 are taken as they are. */
export function distinctPairs({ a, b, isOrdered }: Pairs): DistinctPairs {
  const [left, right] = [a.rows(), b.rows()];
  const unordered = !isOrdered && a.base === b.base;
  const places = new Map<number, number>();
  const first: number[] = [];
  const second: number[] = [];
  const index = new Int32Array(left.length);
  for (let r = 0; r < index.length; r++) {
    const x = left[r] as number;
    const y = right[r] as number;
    const swap = unordered && y < x;
    const key = swap ? (y + 1) * keyBase + x + 1 : (x + 1) * keyBase + y + 1;
    let place = x < keyBase && y < keyBase ? places.get(key) : undefined;
    if (place === undefined) {
      place = first.push(swap ? y : x) - 1;
      second.push(swap ? x : y);
      places.set(key, place);
    }
    index[r] = place;
  }
  return { first: Int32Array.from(first), second: Int32Array.from(second), index };
}
