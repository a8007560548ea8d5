// Ids of many sets, set after set, each ascending: chunks hold pieces of all sets, so they are put aside,
// in memory while they are few and else in a file without a name, and read back by neighbours. A set that
// is larger than memory shall hold is merged from its pieces, which ascend already.

import { MusterError } from '../../base/errors.ts';
import type { KeyList } from '../../storage-format/key-list.ts';
import { sortStrings } from '../batch/merge-keys.ts';
import type { RandomAccess } from '../files/random-access.ts';
import { spoolBody } from '../files/spooled-body.ts';
import type { QueryContext } from '../query-context.ts';
import type { IdChunk } from './id-chunks.ts';
import { type IdRange, mergedRuns, readIds } from './sorted-ids.ts';

/** Ids of row firstRow + r are keys[offsets[r], offsets[r + 1]); a large set comes in several pieces. */
export interface SortedSets {
  readonly firstRow: number;
  readonly offsets: Uint32Array;
  readonly keys: KeyList;
}

const defaultIdsAtOnce = 2 ** 20;
/** Strings are sorted in memory. */
const stringsMax = 20_000_000;

/** Memory: `idsAtOnce` ids, and four bytes for each set and chunk. */
export async function* sortedSets(
  chunks: AsyncIterable<IdChunk>,
  context: Pick<QueryContext, 'clock' | 'files' | 'signal'>,
  idsAtOnce = defaultIdsAtOnce,
): AsyncGenerator<SortedSets> {
  const pieces: Uint32Array[] = [];
  const strings: IdChunk[] = [];
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      if (chunk.keys.domain !== 'integer') {
        strings.push(chunk);
        refuseTooMany(strings);
        continue;
      }
      pieces.push(chunk.offsets);
      const { buffer, byteOffset, byteLength } = chunk.keys.values;
      if (byteLength > 0) yield new Uint8Array(buffer, byteOffset, byteLength);
    }
  };
  const { clock, files, signal } = context;
  const spooled = await spoolBody(bytes(), { clock, spool: files.spool, signal });
  try {
    if (strings.length > 0) yield* sortedStringSets(strings);
    else yield* new PutAside(spooled, pieces).sets(idsAtOnce);
  } finally {
    await spooled.close();
  }
}

/** All pieces of all sets, chunk after chunk, in each set after set. */
class PutAside {
  readonly #ids: RandomAccess;
  readonly #pieces: readonly Uint32Array[];
  /** Where each chunk begins. */
  readonly #starts: readonly number[];

  constructor(ids: RandomAccess, pieces: readonly Uint32Array[]) {
    this.#ids = ids;
    this.#pieces = pieces;
    let next = 0;
    this.#starts = pieces.map((offsets) => {
      const start = next;
      next += offsets.at(-1) ?? 0;
      return start;
    });
  }

  async *sets(idsAtOnce: number): AsyncGenerator<SortedSets> {
    const rows = (this.#pieces[0]?.length ?? 1) - 1;
    for (let row = 0; row < rows; ) {
      let end = row;
      let ids = 0;
      while (end < rows && (end === row || ids + this.#count(end) <= idsAtOnce)) {
        ids += this.#count(end++);
      }
      if (ids > idsAtOnce) yield* this.#large(row);
      else yield await this.#between(row, end);
      row = end;
    }
  }

  #count(row: number): number {
    let count = 0;
    for (const offsets of this.#pieces) count += offsets[row + 1]! - offsets[row]!;
    return count;
  }

  /** What a chunk has of rows [row, end). */
  #range(chunk: number, row: number, end: number): IdRange {
    const offsets = this.#pieces[chunk]!;
    const start = this.#starts[chunk]!;
    return { start: start + offsets[row]!, end: start + offsets[end]! };
  }

  async *#large(row: number): AsyncGenerator<SortedSets> {
    const ranges = this.#pieces.map((_, chunk) => this.#range(chunk, row, row + 1));
    for await (const values of mergedRuns(this.#ids, ranges)) {
      const offsets = Uint32Array.of(0, values.length);
      yield { firstRow: row, offsets, keys: { domain: 'integer', values } };
    }
  }

  async #between(row: number, end: number): Promise<SortedSets> {
    const read = await Promise.all(
      this.#pieces.map((_, chunk) => {
        const range = this.#range(chunk, row, end);
        return readIds(this.#ids, range);
      }),
    );
    const total = read.reduce((sum, { length }) => sum + length, 0);
    const values = new BigUint64Array(total);
    const offsets = new Uint32Array(end - row + 1);
    let at = 0;
    for (let each = row; each < end; each++) {
      const start = at;
      let parts = 0;
      for (const [chunk, ids] of read.entries()) {
        const pieces = this.#pieces[chunk]!;
        const first = pieces[row]!;
        const piece = ids.subarray(pieces[each]! - first, pieces[each + 1]! - first);
        if (piece.length === 0) continue;
        values.set(piece, at);
        at += piece.length;
        parts++;
      }
      if (parts > 1) values.subarray(start, at).sort();
      offsets[each - row + 1] = at;
    }
    return { firstRow: row, offsets, keys: { domain: 'integer', values } };
  }
}

function* sortedStringSets(chunks: readonly IdChunk[]): Generator<SortedSets> {
  const rows = (chunks[0]?.offsets.length ?? 1) - 1;
  for (let row = 0; row < rows; row++) {
    const ids = chunks.flatMap(({ offsets, keys }) =>
      (keys.values as readonly string[]).slice(offsets[row], offsets[row + 1]),
    );
    const { domain } = chunks[0]!.keys;
    if (domain === 'integer') throw new Error('ids of sets are of one domain');
    const offsets = Uint32Array.of(0, ids.length);
    yield { firstRow: row, offsets, keys: { domain, values: sortStrings(ids, false) } };
  }
}

function refuseTooMany(chunks: readonly IdChunk[]): void {
  const count = chunks.reduce((sum, { keys }) => sum + keys.values.length, 0);
  if (count <= stringsMax) return;
  throw new MusterError(
    'MEMORY_LIMIT_EXCEEDED',
    `More than ${stringsMax} strings are not sorted here: export them unsorted`,
  );
}
