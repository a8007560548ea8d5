// Row-wise pairs of rows of one or two vectors, each distinct pair once: a matrix of overlaps has many
// rows of a few sets.

interface Side {
  readonly base: number;
  /** Of the base. */
  readonly length: number;
  /** Rows of the base, -1 for the empty set. */
  readonly rows: Int32Array;
}

interface Pairs {
  readonly a: Side;
  readonly b: Side;
  /** Whether (x, y) is another pair than (y, x), be they rows of one base. */
  readonly isOrdered: boolean;
}

export interface DistinctPairs {
  readonly first: Int32Array;
  readonly second: Int32Array;
  /** Of each row, its pair. */
  readonly index: Int32Array;
}

const keyBase = 2 ** 26;
/** Of all pairs that there can be, as a table: so many entries for a row of the pairs at most. */
const tableEntriesPerRow = 8;

/** Rows beyond 2^26 are taken as they are. */
export function distinctPairs({ a, b, isOrdered }: Pairs): DistinctPairs {
  const [left, right] = [a.rows, b.rows];
  const unordered = !isOrdered && a.base === b.base;
  const places = placesFor(a, b);
  const first = new Int32Array(left.length);
  const second = new Int32Array(left.length);
  const index = new Int32Array(left.length);
  let many = 0;
  for (let r = 0; r < index.length; r++) {
    const x = left[r]!;
    const y = right[r]!;
    const swap = unordered && y < x;
    const [low, high] = swap ? [y, x] : [x, y];
    let place = places.get(low, high);
    if (place === undefined) {
      place = many++;
      first[place] = low;
      second[place] = high;
      places.set(low, high, place);
    }
    index[r] = place;
  }
  return { first: first.slice(0, many), second: second.slice(0, many), index };
}

interface Places {
  get(x: number, y: number): number | undefined;
  set(x: number, y: number, place: number): void;
}

/** Rows are -1 or more. */
function placesFor(a: Side, b: Side): Places {
  const width = b.length + 1;
  const entries = (a.length + 1) * width;
  if (entries <= tableEntriesPerRow * a.rows.length) {
    const table = new Int32Array(entries);
    return {
      get: (x, y) => {
        const found = table[(x + 1) * width + y + 1]!;
        return found === 0 ? undefined : found - 1;
      },
      set: (x, y, place) => {
        table[(x + 1) * width + y + 1] = place + 1;
      },
    };
  }
  const known = new Map<number, number>();
  const isKnown = (x: number, y: number) => x < keyBase && y < keyBase;
  const keyOf = (x: number, y: number) => (x + 1) * keyBase + y + 1;
  return {
    get: (x, y) => (isKnown(x, y) ? known.get(keyOf(x, y)) : undefined),
    set: (x, y, place) => {
      if (isKnown(x, y)) known.set(keyOf(x, y), place);
    },
  };
}
