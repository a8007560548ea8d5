// Reads columns of an opened part: whole scalar columns, cardinalities, and sets; those that are kept, or
// parts of large ones, are read by slice-reader.ts. SPEC.md, "Reading".

import type { Column } from './column.ts';
import { decodeScalar } from './column-decoder.ts';
import { concatColumns } from './column-rows.ts';
import { checkPieces, type RangeReader, readExtents, type WantedBytes } from './extent-reader.ts';
import { corrupt } from './index-trailer.ts';
import type { ScalarExtents } from './part-directory.ts';
import { joinNumbers, type PartIndex, wantExtent } from './part-index.ts';
import { type SetVector, TakenSets } from './set-vector.ts';
import { readCounts, readMembers, readSlices } from './slice-reader.ts';
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
 * set), or of all. Views of what was read.
 */
export async function readSets(
  index: PartIndex,
  place: { readonly columnId: number; readonly group: number; readonly rows?: Int32Array },
  read: RangeReader,
): Promise<SetVector> {
  const rows = place.rows ?? allRows(index.rows);
  const slices = new StoredSlices(index.rows);
  await readSlices(index, { ...place, rows }, { into: slices, read });
  return place.rows === undefined ? slices : new TakenSets(slices, rows);
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
