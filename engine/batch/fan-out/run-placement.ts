// Pieces of work in order, cut into runs so that the heaviest run is as light as it can be. A run pays
// what is fixed of a group once, however many of its pieces it has.

export interface Piece<T> {
  readonly slice: T;
  readonly group: number;
  readonly fixedMs: number;
  readonly divisibleMs: number;
}

/** Positions [start, end). */
export interface IndexRange {
  readonly start: number;
  readonly end: number;
}

/** `count` runs of neighbours, as long as each other. */
export function evenRuns(length: number, count: number): readonly IndexRange[] {
  return Array.from({ length: count }, (_, run) => ({
    start: Math.floor((run * length) / count),
    end: Math.floor(((run + 1) * length) / count),
  }));
}

/** Steps of bisection: the heaviest run is within a millionth of the lightest possible. */
const bisections = 20;

/** At most `runsMax` runs, none empty; pieces of one group are neighbours. */
export function placeRuns<T>(
  pieces: readonly Piece<T>[],
  runsMax: number,
): readonly (readonly Piece<T>[])[] {
  let low = Math.max(0, ...pieces.map((piece) => piece.fixedMs + piece.divisibleMs));
  let high = loadOf(pieces);
  for (let step = 0; step < bisections && high - low > high * 1e-6; step++) {
    const capacity = (low + high) / 2;
    if (fill(pieces, capacity).length <= runsMax) high = capacity;
    else low = capacity;
  }
  // Without weights there is nothing to even out but the number of pieces.
  if (high === 0) return evenly(pieces, runsMax);
  return fill(pieces, high);
}

export function loadOf(run: readonly Piece<unknown>[]): number {
  return run.reduce((sum, piece, i) => sum + added(piece, run[i - 1]), 0);
}

function fill<T>(pieces: readonly Piece<T>[], capacity: number): Piece<T>[][] {
  const limit = capacity * (1 + 1e-9);
  const runs: Piece<T>[][] = [];
  let load = 0;
  for (const piece of pieces) {
    const run = runs.at(-1);
    const more = added(piece, run?.at(-1));
    if (run !== undefined && load + more <= limit) {
      run.push(piece);
      load += more;
    } else {
      runs.push([piece]);
      load = added(piece, undefined);
    }
  }
  return runs;
}

function added(piece: Piece<unknown>, before: Piece<unknown> | undefined): number {
  return piece.divisibleMs + (before?.group === piece.group ? 0 : piece.fixedMs);
}

function evenly<T>(pieces: readonly Piece<T>[], runsMax: number): readonly (readonly Piece<T>[])[] {
  const count = Math.max(1, Math.min(runsMax, pieces.length));
  return evenRuns(pieces.length, count).map(({ start, end }) => pieces.slice(start, end));
}
