// A large payload of which only some pieces were read: what is there, what is missing for a range of
// codes, and the bitmap of the containers of such ranges. Immutable to its readers: pieces are only
// ever added.

import { type CodeRange, type SliceBitmap, viewPortable } from './bitmap.ts';
import { type PayloadTable, pieceRange } from './payload-table.ts';
import { headerLayout, writePortableHeader } from './portable-roaring.ts';

/** Containers [start, end). */
interface Run {
  readonly start: number;
  readonly end: number;
}

interface Made {
  readonly runs: readonly Run[];
  readonly set: SliceBitmap;
}

/** Ranges that change from question to question must not pile up. */
const madeMax = 2;
const containerCodes = 2 ** 16;

export class PayloadPieces {
  readonly table: PayloadTable;
  readonly #held: (Uint8Array | undefined)[];
  #made: readonly Made[] = [];
  #bytes: number;

  constructor(table: PayloadTable) {
    this.table = table;
    this.#held = new Array<Uint8Array | undefined>(table.checksums.length).fill(undefined);
    this.#bytes = 16 * table.header.containers + 8 * table.checksums.length;
  }

  /** Held, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Pieces that hold codes of these ranges and were not added yet, ascending. */
  missing(within: readonly CodeRange[]): number[] {
    const found: number[] = [];
    for (const run of this.#runs(within)) {
      const last = this.#pieceOf(run.end - 1);
      for (let p = this.#pieceOf(run.start); p <= last; p++) {
        if (this.#held[p] === undefined && found.at(-1) !== p) found.push(p);
      }
    }
    return found;
  }

  /** The checked bytes of a piece. */
  add(piece: number, bytes: Uint8Array): void {
    if (this.#held[piece] === undefined) this.#bytes += bytes.length;
    this.#held[piece] ??= bytes;
  }

  /**
   * A set that holds exactly the members that are in these ranges, and others of the same
   * containers; undefined when it holds none. No piece may be missing.
   */
  set(within: readonly CodeRange[]): SliceBitmap | undefined {
    const runs = this.#runs(within);
    if (runs.length === 0) return undefined;
    const known = this.#made.find((made) => sameRuns(made.runs, runs));
    if (known !== undefined) return known.set;
    const set = this.#make(runs);
    this.#made = [{ runs, set }, ...this.#made].slice(0, madeMax);
    return set;
  }

  #make(runs: readonly Run[]): SliceBitmap {
    const { keys, cardinalities, isRun, starts } = this.table.header;
    const chosen = runs.flatMap(({ start, end }) =>
      Array.from({ length: end - start }, (_, i) => start + i),
    );
    const list = {
      keys: Uint16Array.from(chosen, (c) => keys[c]!),
      cardinalities: Uint32Array.from(chosen, (c) => cardinalities[c]!),
      isRun: Uint8Array.from(chosen, (c) => isRun[c]!),
    };
    let at = headerLayout(chosen.length, list.isRun.includes(1)).start;
    const bytes = runs.reduce((sum, { start, end }) => sum + starts[end]! - starts[start]!, at);
    const out = new Uint8Array(bytes);
    writePortableHeader(out, list, (i) => starts[chosen[i]! + 1]! - starts[chosen[i]!]!);
    for (const run of runs) at = this.#copyRun(run, out, at);
    return viewPortable(
      out,
      list.cardinalities.reduce((sum, count) => sum + count, 0),
    );
  }

  /** Whole pieces are from now on held by what was made of them: their bytes are there once. */
  #copyRun(run: Run, out: Uint8Array, at: number): number {
    const { starts } = this.table.header;
    const [from, to] = [starts[run.start]!, starts[run.end]!];
    const last = this.#pieceOf(run.end - 1);
    for (let p = this.#pieceOf(run.start); p <= last; p++) {
      const [start, end] = pieceRange(this.table, p);
      const bytes = this.#held[p];
      if (bytes === undefined) throw new Error(`assertion failed: piece ${p} is held`);
      const part = bytes.subarray(Math.max(0, from - start), Math.min(end, to) - start);
      const place = at + Math.max(0, start - from);
      out.set(part, place);
      if (part.length === bytes.length) this.#held[p] = out.subarray(place, place + part.length);
    }
    return at + to - from;
  }

  /** Containers of these ranges; ascending, apart. */
  #runs(within: readonly CodeRange[]): Run[] {
    const { keys } = this.table.header;
    const runs: Run[] = [];
    for (const range of within) {
      const start = firstAtLeast(keys, Math.floor(range.start / containerCodes));
      const end = firstAtLeast(keys, Math.ceil(range.end / containerCodes));
      const previous = runs.at(-1);
      if (range.start >= range.end || start >= end) continue;
      if (previous !== undefined && end <= previous.end) continue;
      if (previous !== undefined && start <= previous.end) {
        runs[runs.length - 1] = { start: previous.start, end };
      } else runs.push({ start, end });
    }
    return runs;
  }

  #pieceOf(container: number): number {
    return firstAtLeast(this.table.firsts, container + 1) - 1;
  }
}

function firstAtLeast(ascending: Uint16Array | Uint32Array, value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sameRuns(a: readonly Run[], b: readonly Run[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ start, end }, i) => start === b[i]!.start && end === b[i]!.end)
  );
}
