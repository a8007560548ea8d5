// Reads columns of an opened part: whole scalar columns, cardinalities, and the slices of bitmap
// columns, fetching only the extents that are needed. SPEC.md, "Reading". Large slices are views of
// the bytes that were read, small ones subarrays of one run: nothing is copied, so whoever caches
// them keeps the bytes alive, and nobody may write to them.

import { emptySet, viewPortable } from './bitmap.ts';
import type { Column } from './column.ts';
import { decodeScalar, typed } from './column-decoder.ts';
import { concatColumns } from './column-rows.ts';
import { checkPieces, type RangeReader, readExtents, type WantedBytes } from './extent-reader.ts';
import { corrupt } from './index-trailer.ts';
import type { Members } from './member-slices.ts';
import type { LargePayload, ScalarExtents, SliceExtents } from './part-directory.ts';
import { joinNumbers, type PartIndex, type RowGroupExtents, wantExtent } from './part-index.ts';
import { type CodeSets, smallCardinalityMax } from './set-column.ts';
import { newCursor, setUnder } from './set-vector.ts';
import { StoredSlices } from './stored-slices.ts';

/**
 * Whole scalar columns in the order asked; key columns mostly come from the index, without a read.
 * Columns that the part doesn't have (`hasColumn`) must not be asked for.
 */
export async function readScalars(
  index: PartIndex,
  columnIds: readonly number[],
  read: RangeReader,
): Promise<Column[]> {
  const wanted: WantedBytes[] = [];
  const columns = columnIds.map((id) =>
    index.scalarExtents(id).map((run) => {
      const want = wantExtent(run.extents, run.name, run.bodyAt);
      const copy = copiedExtent(index, run.extents, want);
      return { run, at: copy === undefined ? wanted.push(want) - 1 : -1, copy };
    }),
  );
  const found = await readExtents(index.part, wanted, read);
  return columns.map((runs, i) => {
    const type = index.directory.columns.find((column) => column.id === columnIds[i])!.type;
    const decoded = runs.map(({ run, at, copy }) => {
      try {
        return decodeScalar(cutBuffers(copy ?? found[at]!, run.extents), type, run.rows);
      } catch (error) {
        return corrupt(index.key, `extent ${run.name}`, error);
      }
    });
    return concatColumns(decoded);
  });
}

/** Cardinality of each row's slice: from the index, or one more round. */
export async function readCardinalities(
  index: PartIndex,
  place: { readonly columnId: number; readonly group: number },
  read: RangeReader,
): Promise<Uint32Array> {
  const { columnId, group } = place;
  const known = index.cardinality(columnId, group);
  if (known !== undefined) return known;
  if (index.directory.shape === 'unsplit') {
    return (await readMembers(index, columnId, read))[group]!.cardinality;
  }
  const slices = index.slices(columnId, group);
  return joinNumbers(await readCounts(index, slices, read), index.rows);
}

/**
 * The slices of one group of a bitmap column: of the given rows, in their order (-1 is the empty
 * set), or of all. An object each: for many rows, `readSlices`.
 */
export async function readSets(
  index: PartIndex,
  place: { readonly columnId: number; readonly group: number; readonly rows?: Int32Array },
  read: RangeReader,
): Promise<CodeSets> {
  const rows = place.rows ?? allRows(index.rows);
  const slices = new StoredSlices(index.rows);
  await readSlices(index, { ...place, rows }, { into: slices, read });
  const cursor = newCursor();
  return Array.from(rows, (row) => {
    if (row < 0) return emptySet;
    slices.locate(row, cursor);
    return setUnder(cursor);
  });
}

/**
 * Reads these rows, and those that lie in one run with them. Cost: the extents of those rows, near ones
 * in one read; one round, two where cardinalities don't ride in the index.
 */
export async function readSlices(
  index: PartIndex,
  place: { readonly columnId: number; readonly group: number; readonly rows: Int32Array },
  to: { readonly into: StoredSlices; readonly read: RangeReader },
): Promise<void> {
  const { into, read } = to;
  if (index.directory.shape === 'unsplit') {
    into.addMembers((await readMembers(index, place.columnId, read))[place.group]!);
    return;
  }
  const slices = wantedSlices(index, place);
  const counts = await readCounts(
    index,
    slices.map(({ slice }) => slice),
    read,
  );
  const needs = slices.flatMap(({ slice, ...run }, i) => {
    const needed = { ...run, cardinality: counts[i]! };
    into.addCounts(run.firstRow, needed.cardinality);
    return [...planSmall(slice, needed), ...planLarge(slice, needed)];
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

function allRows(count: number): Int32Array {
  const rows = new Int32Array(count);
  for (let row = 0; row < count; row++) rows[row] = row;
  return rows;
}

function copiedExtent(index: PartIndex, extents: ScalarExtents, want: WantedBytes) {
  if (extents.copyAt === undefined) return undefined;
  const bytes = index.copies.subarray(extents.copyAt, extents.copyAt + extents.extent.bytes);
  return checkPieces(index.key, want, bytes);
}

function cutBuffers(bytes: Uint8Array, extents: ScalarExtents): Uint8Array[] {
  let at = 0;
  return extents.buffers.map((length) => {
    const buffer = bytes.subarray(at, at + length);
    at += length + ((8 - (length % 8)) % 8);
    return buffer;
  });
}

async function readMembers(
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
function wantedSlices(
  index: PartIndex,
  place: { readonly columnId: number; readonly group: number; readonly rows: Int32Array },
): WantedSlice[] {
  const flags = new Uint8Array(index.rows);
  const { rows } = place;
  for (let i = 0; i < rows.length; i++) if (rows[i]! >= 0) flags[rows[i]!] = 1;
  const slices: WantedSlice[] = [];
  let firstRow = 0;
  for (const slice of index.slices(place.columnId, place.group)) {
    const wanted = flags.subarray(firstRow, firstRow + slice.rows);
    if (wanted.includes(1)) slices.push({ slice, firstRow, wanted });
    firstRow += slice.rows;
  }
  return slices;
}

/** Cardinalities of row groups: from the index where they ride in it, else read. */
async function readCounts(
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

interface RowGroupRows {
  readonly firstRow: number;
  readonly cardinality: Uint32Array;
  readonly wanted: Uint8Array;
}

function planSmall(slice: RowGroupExtents<SliceExtents>, rows: RowGroupRows): Need[] {
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
    }
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

function planLarge(slice: RowGroupExtents<SliceExtents>, rows: RowGroupRows): Need[] {
  const needs: Need[] = [];
  let at = slice.bodyAt + slice.extents.largeAt;
  for (const large of slice.extents.larges) {
    const bytes = payloadBytes(large);
    if (rows.wanted[large.row] !== 0) {
      const cardinality = rows.cardinality[large.row]!;
      needs.push({
        want: { at, pieces: large.pieces, name: `${slice.name}, large, row ${large.row}` },
        take: (payload, into) => {
          const set = viewPortable(payload, cardinality);
          into.addLarge(rows.firstRow + large.row, set, payload.length);
        },
      });
    }
    at += bytes;
  }
  return needs;
}

function payloadBytes(large: LargePayload): number {
  return large.pieces.reduce((sum, piece) => sum + piece.bytes, 0);
}
