// Staged rows as stripes: one per partition, its rows in storage order, its sets spread over groups.
// Parts go to the insert's upload; a stripe's entry is complete once that upload is finished.

import { defined } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import type { NewStripe } from '../../catalog/entry.ts';
import { dataName } from '../../catalog/keys.ts';
import type { ColumnSchema, DictionaryId, TableSchema } from '../../catalog/schema.ts';
import type { Column } from '../../storage-format/column.ts';
import type { StripeBlock } from '../../storage-format/part-writer.ts';
import { NoSets, type SetVector } from '../../storage-format/set-vector.ts';
import {
  type PartDescription,
  type StripeDescription,
  type StripeSink,
  writeStripe,
} from '../../storage-format/stripe-writer.ts';
import type { IdLists } from '../batch/id-lists.ts';
import { codeColumn, storedColumns } from '../ddl/grouping.ts';
import { take } from '../library/columns/take.ts';
import type { QueryContext } from '../query-context.ts';
import { type ArrangedPartition, arrangeRows, type MergedRows } from './arrange-rows.ts';
import type { EncodedKeys } from './encode-keys.ts';
import type { InsertUpload } from './insert-upload.ts';
import { keyColumns, plainKeyColumns } from './key-columns.ts';
import { buildMemberSets } from './member-sets.ts';
import type { PlacedRows } from './place-rows.ts';

interface WriteStripesOptions {
  readonly table: TableSchema;
  readonly encoded: ReadonlyMap<DictionaryId, EncodedKeys>;
  readonly upload: InsertUpload;
  readonly context: QueryContext;
}

/** Gives the entry; to be called after the upload is finished. */
export type PendingStripe = () => NewStripe;

export async function writeStripes(
  staged: PlacedRows,
  options: WriteStripesOptions,
): Promise<readonly PendingStripe[]> {
  const { table, context } = options;
  const byName = new Map(
    table.columns.flatMap((column) => {
      const values = staged.scalars.get(column.id);
      return values === undefined ? [] : [[column.name, { type: column.type, values }] as const];
    }),
  );
  const version = byName.get(table.versionColumn ?? '')?.values;
  const partitions = arrangeRows({
    rows: staged.rows,
    engine: table.engine,
    partition: keyColumns(partitionTexts(table), { columns: byName, rows: staged.rows, context }),
    sortingKey: keyColumns(table.orderBy, { columns: byName, rows: staged.rows, context }),
    ...(version === undefined ? {} : { version }),
  });
  checkPartitionCount(partitions.length, context);
  const pending: PendingStripe[] = [];
  for (const partition of partitions) {
    pending.push(await writePartition(staged, partition, options));
  }
  return pending;
}

/** Of one INSERT; throws TOO_MANY_PARTS (252). */
export function checkPartitionCount(count: number, { settings }: QueryContext): void {
  const most = settings.maxPartitionsPerInsertBlock;
  if (most === 0 || count <= most) return;
  throw new MusterError(
    'TOO_MANY_PARTS',
    `Too many partitions for one INSERT (more than ${most}): setting max_partitions_per_insert_block`,
  );
}

function partitionTexts(table: TableSchema): readonly string[] {
  return table.partitionBy === undefined ? [] : [table.partitionBy];
}

async function writePartition(
  staged: PlacedRows,
  partition: ArrangedPartition,
  options: WriteStripesOptions,
): Promise<PendingStripe> {
  const { table, upload, context } = options;
  const block = stripeBlock(staged, partition.rows, options);
  const sink = stripeSink(upload, dataName(context.clock.randomId()));
  const description = await writeStripe(block, sink);
  return () => newStripe(table, partition.partition, { description, upload });
}

function stripeBlock(
  staged: PlacedRows,
  rows: MergedRows,
  options: WriteStripesOptions,
): StripeBlock {
  const { table, encoded } = options;
  const first = firstRows(rows);
  const scalars = new Map<number, Column>();
  const sets = new Map<number, readonly SetVector[]>();
  let groups = staged.groupCount ?? 1;
  for (const keys of encoded.values()) groups = Math.max(groups, keys.groupCount);
  for (const column of table.columns) {
    const values = staged.scalars.get(column.id);
    if (values !== undefined) scalars.set(column.id, take(values, first));
    const lists = staged.members.get(column.id);
    const keys = column.dictionary === undefined ? undefined : encoded.get(column.dictionary);
    if (lists === undefined || keys === undefined) continue;
    sets.set(
      column.id,
      staged.group === undefined
        ? padded(buildMemberSets(lists, keys, rows), groups, first.length)
        : placedSets(lists, keys, { rows, group: staged.group, groups }),
    );
  }
  const coded = codesOfRows(staged, options);
  if (coded !== undefined) scalars.set(coded.column.id, take(coded.values, first));
  return {
    columns: storedColumns(table),
    keyColumns: plainKeyColumns(table),
    rows: first.length,
    scalars,
    sets,
    groups,
    ...(staged.group === undefined ? {} : { placed: staged.group }),
  };
}

/** Of detail rows that lie with their ids. */
function codesOfRows(
  { ids }: PlacedRows,
  { table, encoded }: WriteStripesOptions,
): { readonly column: ColumnSchema; readonly values: Column } | undefined {
  const column = codeColumn(table);
  if (ids === undefined || column === undefined) return undefined;
  const { codes } = defined(encoded.get(ids.dictionary), 'codes of ids');
  const values = new Uint32Array(ids.ordinals.length);
  for (let row = 0; row < values.length; row++) values[row] = codes[ids.ordinals[row]!]!;
  return { column, values: { kind: 'number', values } };
}

/** The source row of each row; of those that merge the first. */
function firstRows({ order, starts }: MergedRows): Int32Array {
  const first = new Int32Array(starts.length - 1);
  for (let row = 0; row < first.length; row++) first[row] = order[starts[row]!]!;
  return first;
}

/** A table of two dictionaries has as many groups as the larger one: the others are empty. */
function padded(sets: readonly SetVector[], groups: number, rows: number): readonly SetVector[] {
  const none = new NoSets(rows);
  return [...sets, ...Array.from({ length: groups - sets.length }, () => none)];
}

/** All rows are in one group: the others have no lists. */
function placedSets(
  lists: IdLists,
  keys: EncodedKeys,
  place: { readonly rows: MergedRows; readonly group: number; readonly groups: number },
): readonly SetVector[] {
  const none = new NoSets(0);
  const { codes, groups } = keys;
  const alone = { groupCount: 1, groups: new Uint16Array(groups.length), codes };
  const [own = none] = buildMemberSets(lists, alone, place.rows);
  return Array.from({ length: place.groups }, (_, group) => (group === place.group ? own : none));
}

export function stripeSink(upload: InsertUpload, name: string): StripeSink {
  return {
    packed: (part) => upload.pack(part),
    object: async (group) => {
      const object = `${name}-${group}`;
      return { object, ...(await upload.openObject(object)) };
    },
  };
}

export function newStripe(
  table: TableSchema,
  partition: string,
  written: { readonly description: StripeDescription; readonly upload: InsertUpload },
): NewStripe {
  const { description, upload } = written;
  return {
    table: table.id,
    partition,
    shape: description.shape,
    rows: description.rows,
    parts: description.parts.map((part) => upload.place(pendingPlace(part))),
    groupBytes: description.groups.map((group) => group.bytes),
    groupCardinality: description.groups.map((group) => group.cardinality),
    keyMin: byteString(description.keyMin),
    keyMax: byteString(description.keyMax),
    zones: [...description.zones]
      .filter(([id]) => id !== codeColumn(table)?.id)
      .map(([columnId, zone]) => ({
        columnId,
        min: byteString(zone.min),
        max: byteString(zone.max),
      })),
    schemaVersion: table.schemaVersion,
    erasureEpoch: 0,
  };
}

function pendingPlace(part: PartDescription) {
  const { object, offset, bytes, checksum, index } = part;
  const [groupFirst, groupCount] = part.groups;
  return { object, offset, bytes, checksum, index, groupFirst, groupCount };
}

function byteString(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
