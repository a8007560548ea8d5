// Ids of one set in ascending order, more of them than memory shall hold: sorted runs, kept in memory
// while they are small and else in a file without a name, then merged.

import { MusterError } from '../../base/errors.ts';
import type { KeyList } from '../../storage-format/key-list.ts';
import { sortIntegers, sortStrings } from '../batch/merge-keys.ts';
import type { RandomAccess } from '../files/random-access.ts';
import { spoolBody } from '../files/spooled-body.ts';
import type { QueryContext } from '../query-context.ts';

const defaultRunIds = 2 ** 21;
const pieceIds = 2 ** 16;
/** Strings are sorted in memory. */
const stringsMax = 20_000_000;

/** `chunks` in any order, each id once. Yields the same ids ascending, as unsigned numbers or bytes. */
export async function* sortedIds(
  chunks: AsyncIterable<KeyList>,
  context: Pick<QueryContext, 'clock' | 'files' | 'signal'>,
  runIds = defaultRunIds,
): AsyncGenerator<KeyList> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return;
  const all = resumed(first.value, iterator);
  if (first.value.domain !== 'integer') {
    yield await sortedStrings(all, first.value.domain);
    return;
  }
  const lengths: number[] = [];
  const { clock, files, signal } = context;
  const spooled = await spoolBody(runBytes(all, { lengths, runIds }), {
    clock,
    spool: files.spool,
    signal,
  });
  try {
    for await (const values of mergedRuns(spooled, rangesOf(lengths))) {
      yield { domain: 'integer', values };
    }
  } finally {
    await spooled.close();
  }
}

async function* resumed(first: KeyList, rest: AsyncIterator<KeyList>): AsyncGenerator<KeyList> {
  yield first;
  for (;;) {
    const next = await rest.next();
    if (next.done === true) return;
    yield next.value;
  }
}

async function sortedStrings(
  chunks: AsyncIterable<KeyList>,
  domain: 'string' | 'uuid',
): Promise<KeyList> {
  const all: string[] = [];
  for await (const { values } of chunks) {
    for (const value of values) all.push(value as string);
    if (all.length <= stringsMax) continue;
    throw new MusterError(
      'MEMORY_LIMIT_EXCEEDED',
      `More than ${stringsMax} strings are not sorted here: export them unsorted`,
    );
  }
  return { domain, values: sortStrings(all, false) };
}

/** Runs of up to `runIds`, one after another; `lengths` becomes the ids of each. */
async function* runBytes(
  chunks: AsyncIterable<KeyList>,
  { lengths, runIds }: { readonly lengths: number[]; readonly runIds: number },
): AsyncGenerator<Uint8Array> {
  let gathered: BigUint64Array[] = [];
  let count = 0;
  const flush = (): Uint8Array => {
    const run = new BigUint64Array(count);
    let at = 0;
    for (const piece of gathered) {
      run.set(piece, at);
      at += piece.length;
    }
    gathered = [];
    lengths.push(count);
    count = 0;
    const sorted = sortIntegers(run, false);
    return new Uint8Array(sorted.buffer, sorted.byteOffset, sorted.byteLength);
  };
  for await (const keys of chunks) {
    if (keys.domain !== 'integer') throw new Error('ids of one set are of one domain');
    gathered.push(keys.values);
    count += keys.values.length;
    if (count >= runIds) yield flush();
  }
  if (count > 0) yield flush();
}

/** Where one run is being read: a piece of it, as halves. */
interface Cursor {
  readonly end: number;
  /** Of the next piece, in ids. */
  next: number;
  halves: Uint32Array;
  at: number;
  low: number;
  high: number;
}

/** Ids of a run, by their places in the file. */
export interface IdRange {
  readonly start: number;
  readonly end: number;
}

function rangesOf(lengths: readonly number[]): readonly IdRange[] {
  let end = 0;
  return lengths.map((length) => ({ start: end, end: (end += length) }));
}

/** Each range ascends. Memory: a piece of each. */
export async function* mergedRuns(
  runs: RandomAccess,
  ranges: readonly IdRange[],
): AsyncGenerator<BigUint64Array> {
  const heap: Cursor[] = [];
  for (const { start, end } of ranges) {
    const none = new Uint32Array(0);
    const cursor: Cursor = { end, next: start, halves: none, at: 0, low: 0, high: 0 };
    if (await advance(cursor, runs)) heap.push(cursor);
  }
  heap.sort((a, b) => (isBefore(a, b) ? -1 : 1));
  let out = new Uint32Array(2 * pieceIds);
  let filled = 0;
  while (heap.length > 0) {
    const top = heap[0]!;
    out[filled++] = top.low;
    out[filled++] = top.high;
    if (filled === out.length) {
      yield new BigUint64Array(out.buffer);
      out = new Uint32Array(2 * pieceIds);
      filled = 0;
    }
    if (!step(top) && !(await advance(top, runs))) {
      const last = heap.pop()!;
      if (heap.length === 0) break;
      if (last !== top) heap[0] = last;
    }
    siftDown(heap);
  }
  if (filled > 0) yield new BigUint64Array(out.buffer, 0, filled / 2);
}

/** To the next id of the piece; false at its end. */
function step(cursor: Cursor): boolean {
  if (cursor.at >= cursor.halves.length) return false;
  cursor.low = cursor.halves[cursor.at++]!;
  cursor.high = cursor.halves[cursor.at++]!;
  return true;
}

/** Reads the next piece and takes its first id; false at the end of the run. */
async function advance(cursor: Cursor, runs: RandomAccess): Promise<boolean> {
  const end = Math.min(cursor.end, cursor.next + pieceIds);
  if (end === cursor.next) return false;
  const ids = await readIds(runs, { start: cursor.next, end });
  cursor.halves = new Uint32Array(ids.buffer, ids.byteOffset, 2 * ids.length);
  cursor.at = 0;
  cursor.next = end;
  return step(cursor);
}

export async function readIds(
  runs: RandomAccess,
  { start, end }: IdRange,
): Promise<BigUint64Array> {
  if (end === start) return new BigUint64Array(0);
  const bytes = await runs.read({ start: 8 * start, end: 8 * end });
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  return new BigUint64Array(aligned.buffer, aligned.byteOffset, aligned.length / 8);
}

function isBefore(a: Cursor, b: Cursor): boolean {
  return a.high === b.high ? a.low < b.low : a.high < b.high;
}

function siftDown(heap: Cursor[]): void {
  const item = heap[0]!;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
    if (!isBefore(heap[child]!, item)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = item;
}
