// Arrays of numbers that follow each other, as the rows of a scan do: views of one shared array, so that
// millions of them are neither written nor gone through again, and whoever has one knows it by its buffer.
// Nobody may write to them. Nothing depends on whether an array is such a view; only speed does.

/** Longer ones are arrays of their own: 32 MiB are shared at most. */
const sharedMax = 8 * 1024 * 1024;

let shared: Int32Array = new Int32Array(0);
/** Of views that are still about, from before the array grew. */
const buffers = new WeakSet<ArrayBufferLike>();

/** Numbers [start, end), ascending; both are 0 to 2^31 - 1. */
export function consecutive(start: number, end: number): Int32Array {
  if (end > sharedMax) return numbered(start, end);
  if (end > shared.length) {
    shared = numbered(0, Math.min(sharedMax, Math.max(end, 2 * shared.length, 65_536)));
    buffers.add(shared.buffer);
  }
  return shared.subarray(start, Math.max(start, end));
}

/** The first of numbers that are known to follow each other; undefined where that isn't known. */
export function consecutiveStart(numbers: Int32Array | Uint32Array): number | undefined {
  return buffers.has(numbers.buffer) ? numbers.byteOffset / 4 : undefined;
}

/** Index from `from` on of the first of ascending numbers that is at least `least`. */
export function firstAtLeast(ascending: Int32Array, least: number, from = 0): number {
  let low = from;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Arrays one after the other. */
export function joinedNumbers(parts: readonly Int32Array[]): Int32Array {
  const run = joinedRun(parts);
  if (run !== undefined) return run;
  const all = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Where each begins with what would follow the one before. */
function joinedRun(parts: readonly Int32Array[]): Int32Array | undefined {
  let start: number | undefined;
  let end = 0;
  for (const part of parts) {
    const first = consecutiveStart(part);
    if (first === undefined || (start !== undefined && first !== end)) return undefined;
    start ??= first;
    end = first + part.length;
  }
  return start === undefined ? undefined : consecutive(start, end);
}

function numbered(start: number, end: number): Int32Array {
  const numbers = new Int32Array(Math.max(0, end - start));
  for (let i = 0; i < numbers.length; i++) numbers[i] = start + i;
  return numbers;
}
