// Reads slices of a bitmap column of an opened part: the rows that are wanted and, of large sets, all
// or only the pieces that hold codes of some ranges. SPEC.md, "Reading". Large sets are views of the
// bytes that were read, small ones subarrays of one run: nothing is copied, so whoever caches them
// keeps the bytes alive, and nobody may write to them.

import { consecutiveStart } from '../base/consecutive.ts';
import { type CodeRange, viewPortable } from './bitmap.ts';
import { typed } from './column-decoder.ts';
import { type RangeReader, readExtents, readUnchecked, type WantedBytes } from './extent-reader.ts';
import { corrupt } from './index-trailer.ts';
import type { Members } from './member-slices.ts';
import type { LargePayload, SliceExtents } from './part-directory.ts';
import { type PartIndex, type RowGroupExtents, wantExtent } from './part-index.ts';
import { PayloadPieces } from './payload-pieces.ts';
import { decodeTable, pieceRange } from './payload-table.ts';
import { smallCardinalityMax } from './set-column.ts';
import type { StoredSlices } from './stored-slices.ts';

export interface SlicesPlace {
  readonly columnId: number;
  readonly group: number;
  /** -1 is no row. */
  readonly rows: Int32Array;
  /** Of large sets only what holds codes of these ranges (ascending, apart) is needed. */
  readonly within?: readonly CodeRange[];
}

/** A set of which less than this share can be left out is read whole. */
const leftOutMin = 1 / 8;

/**
 * Reads these rows, and those that lie in one run with them. Cost: the extents of those rows, near
 * ones in one read; one round, two where cardinalities don't ride in the index, or where `within` is
 * given and tables are not read along with it.
 */
export async function readSlices(
  index: PartIndex,
  place: SlicesPlace,
  to: { readonly into: StoredSlices; readonly read: RangeReader },
): Promise<void> {
  const { into, read } = to;
  if (index.directory.shape === 'unsplit') {
    into.addMembers((await readMembers(index, place.columnId, read))[place.group]!);
    return;
  }
  const slices = wantedSlices(index, place);
  const runs = slices.map(({ slice }) => slice);
  const tabled = place.within === undefined ? [] : slices.map((wanted) => tablesOf(wanted, into));
  const [counts, tables] = await Promise.all([
    readCounts(index, runs, read),
    readTables(index, tabled.flat(), read),
  ]);
  const needs = slices.flatMap(({ slice, firstRow, wanted }, i) => {
    const rows = { firstRow, wanted, cardinality: counts[i]! };
    for (const table of tabled[i] ?? []) addTable(index, { rows, table, tables, into });
    return [...planSmall(slice, rows, into), ...planLarge(slice, rows, { ...place, into })];
  });
  const found = await readExtents(
    index.part,
    needs.map((need) => need.want),
    read,
  );
  needs.forEach((need, i) => {
    try {
      need.take(found[i]!, into);
    } catch (error) {
      corrupt(index.key, `extent ${need.want.name}`, error);
    }
  });
}

/** Cardinalities of row groups: from the index where they ride in it, else read. */
export async function readCounts(
  index: PartIndex,
  slices: readonly RowGroupExtents<SliceExtents>[],
  read: RangeReader,
): Promise<Uint32Array[]> {
  const copied = slices.map((slice) => index.copiedCounts(slice));
  const missing = slices.filter((_, i) => copied[i] === undefined);
  const wanted = missing.map(({ extents, name, bodyAt }) => ({
    at: bodyAt + extents.counts.at,
    pieces: [extents.counts],
    name: `${name}, counts`,
  }));
  const found = await readExtents(index.part, wanted, read);
  return slices.map((slice, i) => {
    const bytes = copied[i] === undefined ? found[missing.indexOf(slice)]! : undefined;
    if (bytes === undefined) return copied[i]!;
    return typed(bytes.subarray(0, 4 * slice.rows), Uint32Array, slice.rows);
  });
}

/** The slices of an unsplit column, by group. */
export async function readMembers(
  index: PartIndex,
  columnId: number,
  read: RangeReader,
): Promise<readonly Members[]> {
  const held = index.members(columnId);
  if (held !== undefined) return held;
  const wanted = index
    .memberExtents(columnId)
    .map(({ extents, name, bodyAt }) => wantExtent(extents, name, bodyAt));
  return index.splitMembers(columnId, await readExtents(index.part, wanted, read));
}

/** Bytes to read, and how they become sets. */
interface Need {
  readonly want: WantedBytes;
  readonly take: (bytes: Uint8Array, into: StoredSlices) => void;
}

interface WantedSlice {
  readonly slice: RowGroupExtents<SliceExtents>;
  readonly firstRow: number;
  /** 1 for each row that is wanted. */
  readonly wanted: Uint8Array;
}

/** The row groups that hold any of the rows. */
function wantedSlices(index: PartIndex, { columnId, group, rows }: SlicesPlace): WantedSlice[] {
  const flags = new Uint8Array(index.rows);
  const start = consecutiveStart(rows);
  if (start !== undefined) flags.fill(1, start, start + rows.length);
  else for (let i = 0; i < rows.length; i++) if (rows[i]! >= 0) flags[rows[i]!] = 1;
  const slices: WantedSlice[] = [];
  let firstRow = 0;
  for (const slice of index.slices(columnId, group)) {
    const wanted = flags.subarray(firstRow, firstRow + slice.rows);
    if (wanted.includes(1)) slices.push({ slice, firstRow, wanted });
    firstRow += slice.rows;
  }
  return slices;
}

/** A table to read, of the payload `large`. */
interface WantedTable {
  readonly large: LargePayload;
  /** From the start of all tables. */
  readonly at: number;
  readonly name: string;
}

/** Tables of the wanted rows that `into` doesn't know. */
function tablesOf({ slice, firstRow, wanted }: WantedSlice, into: StoredSlices): WantedTable[] {
  const tables: WantedTable[] = [];
  let at = slice.extents.tablesAt;
  for (const large of slice.extents.larges) {
    const isWanted = large.tableBytes > 0 && wanted[large.row] !== 0;
    if (isWanted && into.pieces(firstRow + large.row) === undefined) {
      tables.push({ large, at, name: `${slice.name}, table, row ${large.row}` });
    }
    at += large.tableBytes;
  }
  return tables;
}

async function readTables(
  index: PartIndex,
  tables: readonly WantedTable[],
  read: RangeReader,
): Promise<ReadonlyMap<WantedTable, Uint8Array>> {
  const ranges = tables.map((table) => {
    const start = index.directory.tablesAt + table.at;
    return { start, end: start + table.large.tableBytes };
  });
  const found = await readUnchecked(index.part, ranges, read);
  return new Map(tables.map((table, i) => [table, found[i]!]));
}

function addTable(
  index: PartIndex,
  of: {
    readonly rows: RowGroupRows;
    readonly table: WantedTable;
    readonly tables: ReadonlyMap<WantedTable, Uint8Array>;
    readonly into: StoredSlices;
  },
): void {
  const { rows, table } = of;
  const { row, bytes, checksum } = table.large;
  const facts = { bytes, checksum, cardinality: rows.cardinality[row]! };
  try {
    const decoded = decodeTable(of.tables.get(table)!, facts);
    of.into.addPieces(rows.firstRow + row, new PayloadPieces(decoded));
  } catch (error) {
    corrupt(index.key, `extent ${table.name}`, error);
  }
}

interface RowGroupRows {
  readonly firstRow: number;
  readonly cardinality: Uint32Array;
  readonly wanted: Uint8Array;
}

/** Empty rows of runs that needn't be read are known from their counts. */
function planSmall(
  slice: RowGroupExtents<SliceExtents>,
  rows: RowGroupRows,
  slices: StoredSlices,
): Need[] {
  const { extents, name, bodyAt } = slice;
  const needs: Need[] = [];
  let row = 0;
  let at = bodyAt + extents.smallAt;
  for (const run of extents.smallRuns) {
    const [start, end] = [row, row + run.rows];
    const need = someSmall(rows, start, end);
    if (need && run.codes > 0) {
      const pieces = [{ bytes: 4 * run.codes, checksum: run.checksum }];
      needs.push({
        want: { at, pieces, name: `${name}, small, rows ${start} to ${end}` },
        take: (bytes, into) => {
          const counts = rows.cardinality.subarray(start, end);
          into.addRun(rows.firstRow + start, counts, typed(bytes, Uint32Array, run.codes));
        },
      });
    } else slices.addCounts(rows.firstRow + start, rows.cardinality.subarray(start, end));
    row = end;
    at += 4 * run.codes;
  }
  return needs;
}

function someSmall(rows: RowGroupRows, start: number, end: number): boolean {
  for (let row = start; row < end; row++) {
    const count = rows.cardinality[row]!;
    if (rows.wanted[row] !== 0 && count > 0 && count <= smallCardinalityMax) return true;
  }
  return false;
}

function planLarge(
  slice: RowGroupExtents<SliceExtents>,
  rows: RowGroupRows,
  how: { readonly within?: readonly CodeRange[]; readonly into: StoredSlices },
): Need[] {
  const { within, into } = how;
  const needs: Need[] = [];
  let at = slice.bodyAt + slice.extents.largeAt;
  for (const large of slice.extents.larges) {
    if (rows.wanted[large.row] !== 0) {
      const row = rows.firstRow + large.row;
      const payload = { large, at, row, name: `${slice.name}, large, row ${large.row}` };
      const pieces = within === undefined ? undefined : into.pieces(row);
      const some = pieces === undefined ? undefined : planPieces(payload, pieces, within!);
      const cardinality = rows.cardinality[large.row]!;
      if (some === undefined) needs.push(wholePayload(payload, cardinality));
      else needs.push(...some);
    }
    at += large.bytes;
  }
  return needs;
}

interface PlacedPayload {
  readonly large: LargePayload;
  /** In the part. */
  readonly at: number;
  /** In the column. */
  readonly row: number;
  readonly name: string;
}

function wholePayload({ large, at, row, name }: PlacedPayload, cardinality: number): Need {
  return {
    want: { at, pieces: [large], name },
    take: (payload, into) => {
      into.addLarge(row, viewPortable(payload, cardinality), payload.length);
    },
  };
}

/** Runs of missing pieces that follow one another; undefined where nearly all are missing. */
function planPieces(
  { large, at, name }: PlacedPayload,
  pieces: PayloadPieces,
  within: readonly CodeRange[],
): Need[] | undefined {
  const { table } = pieces;
  const runs: number[][] = [];
  let bytes = 0;
  for (const piece of pieces.missing(within)) {
    const [start, end] = pieceRange(table, piece);
    bytes += end - start;
    const run = runs.at(-1);
    if (run?.at(-1) === piece - 1) run.push(piece);
    else runs.push([piece]);
  }
  if (bytes > (1 - leftOutMin) * large.bytes) return undefined;
  return runs.map((run) => {
    const ranges = run.map((piece) => pieceRange(table, piece));
    const first = ranges[0]![0];
    const checked = ranges.map(([start, end], i) => ({
      bytes: end - start,
      checksum: table.checksums[run[i]!]!,
    }));
    return {
      want: { at: at + first, pieces: checked, name: `${name}, pieces from ${run[0]}` },
      take: (found) => {
        run.forEach((piece, i) => {
          const [start, end] = ranges[i]!;
          pieces.add(piece, found.subarray(start - first, end - first));
        });
      },
    };
  });
}
