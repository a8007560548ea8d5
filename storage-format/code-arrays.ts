// Set algebra over sorted arrays of unique 32-bit codes: the flat form of tiny sets. All results are
// new arrays or views of an operand; operands are never changed. Merges gallop nowhere: these arrays
// hold at most a few thousand codes.

/** Codes [start, end) of an array. */
interface CodeRun {
  readonly codes: Uint32Array;
  readonly start: number;
  readonly end: number;
}

/** Index of the first code >= `code`. */
export function lowerBound(codes: Uint32Array, code: number): number {
  return lowerBoundIn({ codes, start: 0, end: codes.length }, code);
}

/** Index of the first code >= `code` in a run, its end where there is none. */
export function lowerBoundIn({ codes, start, end }: CodeRun, code: number): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (codes[middle]! < code) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function arrayHas(codes: Uint32Array, code: number): boolean {
  return codes[lowerBound(codes, code)] === code;
}

export function arrayAnd(a: Uint32Array, b: Uint32Array): Uint32Array {
  const out = new Uint32Array(Math.min(a.length, b.length));
  let n = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const x = a[i]!;
    const y = b[j]!;
    if (x === y) out[n++] = x;
    if (x <= y) i++;
    if (y <= x) j++;
  }
  return out.subarray(0, n);
}

/**
 * Members of both. Codes are mostly below 2^31: then differences fit 32 bits, and steps are added up
 * without a branch that no processor could foresee: half the time (bench/kernels-bench).
 */
export function arrayAndCardinality(a: Uint32Array, b: Uint32Array): number {
  if (!isLow(a) || !isLow(b)) return andCardinalityOfHigh(a, b);
  const [aEnd, bEnd] = [a.length, b.length];
  let n = 0;
  let i = 0;
  let j = 0;
  while (i < aEnd && j < bEnd) {
    const difference = ((a[i]! | 0) - (b[j]! | 0)) | 0;
    const below = difference >>> 31;
    const above = -difference >>> 31;
    n += 1 - below - above;
    i += 1 - above;
    j += 1 - below;
  }
  return n;
}

function isLow(codes: Uint32Array): boolean {
  return codes.length === 0 || codes[codes.length - 1]! < 2 ** 31;
}

/** The plain merge, for any codes. */
function andCardinalityOfHigh(a: Uint32Array, b: Uint32Array): number {
  let n = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const x = a[i]!;
    const y = b[j]!;
    if (x === y) n++;
    if (x <= y) i++;
    if (y <= x) j++;
  }
  return n;
}

export function arrayOr(a: Uint32Array, b: Uint32Array): Uint32Array {
  return merge(a, b, true);
}

export function arrayXor(a: Uint32Array, b: Uint32Array): Uint32Array {
  return merge(a, b, false);
}

export function arrayAndNot(a: Uint32Array, b: Uint32Array): Uint32Array {
  const out = new Uint32Array(a.length);
  let n = 0;
  let j = 0;
  for (const x of a) {
    while (j < b.length && b[j]! < x) j++;
    if (b[j] !== x) out[n++] = x;
  }
  return out.subarray(0, n);
}

/** Sorts (in place) and removes duplicates: `codes` is taken over. */
export function sortUnique(codes: Uint32Array): Uint32Array {
  codes.sort();
  let n = 0;
  for (let i = 0; i < codes.length; i++) {
    if (i === 0 || codes[i] !== codes[n - 1]) codes[n++] = codes[i]!;
  }
  return n === codes.length ? codes : codes.subarray(0, n);
}

function merge(a: Uint32Array, b: Uint32Array, keepBoth: boolean): Uint32Array {
  const out = new Uint32Array(a.length + b.length);
  let n = 0;
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const x = a[i]!;
    const y = b[j]!;
    if (x < y) out[n++] = x;
    else if (y < x || keepBoth) out[n++] = y;
    if (x <= y) i++;
    if (y <= x) j++;
  }
  while (i < a.length) out[n++] = a[i++]!;
  while (j < b.length) out[n++] = b[j++]!;
  return out.subarray(0, n);
}
