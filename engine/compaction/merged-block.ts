// The rows of several stripes as one block: sorted by the table's key, rows of equal keys in order of
// sequence, and merged as the table's engine says, by the very code that reads use. So a partition of one
// stripe needs no merging when it is read, whoever wrote it. Sets are united as codes.

import { defined } from '../../base/assert.ts';
import type { TableSchema } from '../../catalog/schema.ts';
import { concatColumns } from '../../storage-format/column-rows.ts';
import type { Column } from '../../storage-format/column.ts';
import { unionSets } from '../../storage-format/bitmap.ts';
import type { StripeBlock } from '../../storage-format/part-writer.ts';
import { FlatSetsBuilder } from '../../storage-format/flat-sets.ts';
import {
  JoinedSets,
  newCursor,
  NoSets,
  type SetVector,
  setUnder,
  TakenSets,
} from '../../storage-format/set-vector.ts';
import { storedColumns } from '../ddl/grouping.ts';
import type { DataObjects } from '../dictionary/data-objects.ts';
import { plainKeyColumns } from '../ingest/key-columns.ts';
import { take } from '../library/columns/take.ts';
import type { FunctionContext } from '../library/scalar-function.ts';
import { mergeRows } from '../root/merged-rows.ts';
import type { Merging } from '../root/scan-cache.ts';
import type { MergeRun } from './merge-policy.ts';
import { StripeContents } from './stripe-contents.ts';

interface MergedBlockOptions {
  readonly table: TableSchema;
  readonly isPlaced: boolean;
  readonly data: DataObjects;
  /** Called between steps of some milliseconds. */
  readonly pause: () => Promise<void>;
}

/** Keys are read in UTC, as they are written. */
const functions: FunctionContext = { timeZone: 'UTC', now: 0, database: '', user: '' };
/** Sets that are united between two pauses. */
const rowsPerStep = 4096;

/** Memory: the run's bytes, and what was united. */
export async function mergedBlock(
  run: MergeRun,
  { table, isPlaced, data, pause }: MergedBlockOptions,
): Promise<StripeBlock> {
  const contents = await Promise.all(run.map((stripe) => StripeContents.read(stripe, data)));
  const whole = await concatenated(contents, table);
  await pause();
  const merging = await mergeRows({
    schema: table,
    stripes: run,
    functions,
    column: async (at) => defined(whole.get(table.columns[at]!.id), 'a scalar of a key'),
  });
  const scalars = new Map<number, Column>();
  for (const [id, column] of whole) {
    await pause();
    scalars.set(id, take(column, merging.chosen));
  }
  const { parts, groupBytes } = run[0]!;
  const groups = groupBytes.length;
  const placed = isPlaced ? parts[0]!.groupFirst : undefined;
  const sets = new Map<number, readonly SetVector[]>();
  for (const { id, type } of table.columns) {
    if (type.kind !== 'Bitmap') continue;
    const ofGroups: SetVector[] = [];
    for (let group = 0; group < groups; group++) {
      const isEmpty = placed !== undefined && group !== placed;
      ofGroups.push(
        isEmpty ? new NoSets(0) : await united(contents, { id, group }, { merging, pause }),
      );
    }
    sets.set(id, ofGroups);
  }
  return {
    columns: storedColumns(table),
    keyColumns: plainKeyColumns(table),
    rows: merging.chosen.length,
    scalars,
    sets,
    groups,
    ...(placed === undefined ? {} : { placed }),
  };
}

/** Scalar columns by their id, of all rows in order of sequence. */
async function concatenated(
  contents: readonly StripeContents[],
  table: TableSchema,
): Promise<ReadonlyMap<number, Column>> {
  const ids = storedColumns(table).flatMap(({ id, type }) => (type.kind === 'Bitmap' ? [] : [id]));
  const pieces = await Promise.all(contents.map((stripe) => stripe.scalars(ids)));
  return new Map(ids.map((id, i) => [id, concatColumns(pieces.map((columns) => columns[i]!))]));
}

/** One group's slices of a column. */
async function united(
  contents: readonly StripeContents[],
  { id, group }: { readonly id: number; readonly group: number },
  { merging, pause }: { readonly merging: Merging; readonly pause: () => Promise<void> },
): Promise<SetVector> {
  const read: SetVector[] = [];
  for (const stripe of contents) read.push(await stripe.sets(id, group));
  const all = new JoinedSets(read);
  await pause();
  const { chosen, lists } = merging;
  if (lists === undefined) return new TakenSets(all, chosen);
  const { offsets, index } = lists;
  const sets = new FlatSetsBuilder(chosen.length);
  const cursor = newCursor();
  const setAt = (row: number) => {
    all.locate(row, cursor);
    return setUnder(cursor);
  };
  for (let row = 0; row < chosen.length; row++) {
    const [start, end] = [offsets[row]!, offsets[row + 1]!];
    if (end - start === 1) sets.add(setAt(index[start]!));
    else sets.add(unionSets(Array.from(index.subarray(start, end), setAt)));
    if (row % rowsPerStep === 0) await pause();
  }
  return sets.finish();
}
