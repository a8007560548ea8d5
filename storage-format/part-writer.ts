// Writes one stripe part as a stream of chunks: an Arrow IPC file with our index before its footer.
// SPEC.md, "Parts". Which groups and row groups a part holds is the stripe writer's decision; memory
// is bounded by one row group of one group (with its large payloads) and the index.

import { assert } from '../base/assert.ts';
import type { ByteRange } from '../base/byte-range.ts';
import { ByteWriter } from '../base/byte-writer.ts';
import {
  type ArrowBlock,
  type ArrowField,
  arrowEndOfStream,
  arrowHead,
  arrowSchema,
  arrowTail,
} from './arrow-envelope.ts';
import { BatchBody } from './batch-body.ts';
import type { Column } from './column.ts';
import { encodeScalar, isUtf8Column, type RowRange } from './column-encoder.ts';
import { scalarField } from './column-layout.ts';
import { crc32c } from './crc32c.ts';
import type { DataType } from './data-type.ts';
import { indexKinds, sealIndex } from './index-trailer.ts';
import {
  type ColumnExtents,
  encodeDirectory,
  type PartBatch,
  type ScalarExtents,
  type SliceExtents,
  type StripeShape,
} from './part-directory.ts';
import type { SetVector } from './set-vector.ts';
import { bitmapField, narrow, writeMembers, writeSlices } from './slice-writer.ts';
import { zoneOf } from './zones.ts';

/** A column of a table as a part stores it. */
export interface StoredColumn {
  readonly id: number;
  readonly name: string;
  readonly type: DataType;
}

/** One sorted block in memory, which becomes one stripe. */
export interface StripeBlock {
  /** Scalars and bitmap columns in table order. */
  readonly columns: readonly StoredColumn[];
  /** Ids of the ORDER BY columns that are plain columns. */
  readonly keyColumns: readonly number[];
  readonly rows: number;
  readonly scalars: ReadonlyMap<number, Column>;
  /** Column id -> group -> row. */
  readonly sets: ReadonlyMap<number, readonly SetVector[]>;
  /** Of the table; 1 where it has no dictionary. */
  readonly groups: number;
  /** Placed rows: the one group that they are in; all others have no sets here. */
  readonly placed?: number;
}

export interface PartPlan {
  readonly block: StripeBlock;
  readonly shape: StripeShape;
  /** First group and count. */
  readonly groups: readonly [number, number];
  readonly rowGroups: readonly RowRange[];
}

/** What a finished part is; ranges are relative to its first byte. */
export interface WrittenPart {
  readonly bytes: number;
  readonly checksum: number;
  /** The range that fetches the index; the whole part when it is unsplit. */
  readonly index: ByteRange;
  readonly batches: readonly PartBatch[];
}

/** Key columns and cardinalities ride in the index up to this. */
const copiesBytesMax = 256 * 1024;
/** Tables of payloads that are together up to this are read with the index. */
const tablesReadAlongMax = 4 * 1024;

export function* writePart(plan: PartPlan): Generator<Uint8Array, WrittenPart> {
  const { block, shape, groups, rowGroups } = plan;
  const schema = arrowSchema(
    block.columns.map((column) => fieldOf(plan, column)),
    new Map(),
  );
  const asides = { copies: new ByteWriter(1024), tables: new ByteWriter(0) };
  const batches: PartBatch[] = [];
  const blocks: ArrowBlock[] = [];
  let bytes = 0;
  let checksum = 0;
  const emit = (chunk: Uint8Array): Uint8Array => {
    bytes += chunk.length;
    checksum = crc32c(chunk, checksum);
    return chunk;
  };
  yield emit(arrowHead(schema));
  const groupCount = shape === 'unsplit' ? 1 : groups[1];
  for (let g = 0; g < groupCount; g++) {
    for (const rows of rowGroups) {
      const body = new BatchBody();
      const columns = writeBatch(body, asides, { plan, group: groups[0] + g, rows });
      const message = body.message(rows.end - rows.start);
      blocks.push({ offset: bytes, metadataLength: message.length, bodyLength: body.length });
      batches.push({ bodyAt: bytes + message.length, bodyBytes: body.length, columns });
      yield emit(Buffer.concat([message, ...body.finish()]));
    }
  }
  yield emit(arrowEndOfStream());
  const { tables, copies } = asides;
  const tablesAt = bytes;
  tables.align(8);
  const along = tables.length <= tablesReadAlongMax ? tablesAt : tablesAt + tables.length;
  const start = shape === 'unsplit' ? 0 : along;
  if (tables.length > 0) yield emit(tables.finish());
  const directory = directoryOf(plan, batches, tablesAt);
  yield emit(sealIndex(indexKinds.stripePart, copies.finish(), directory));
  const index = { start, end: bytes };
  yield emit(arrowTail(schema, blocks));
  return { bytes, checksum, index, batches };
}

function directoryOf(plan: PartPlan, batches: readonly PartBatch[], tablesAt: number): Uint8Array {
  const { block, shape, groups, rowGroups } = plan;
  return encodeDirectory({
    shape,
    rows: block.rows,
    tableGroups: block.groups,
    groups,
    rowGroups: rowGroups.map((rows) => rows.end - rows.start),
    columns: block.columns.map((column) => ({
      id: column.id,
      type: column.type,
      isKey: block.keyColumns.includes(column.id),
    })),
    tablesAt,
    batches,
  });
}

function fieldOf(plan: PartPlan, column: StoredColumn): ArrowField {
  if (column.type.kind === 'Bitmap') {
    return bitmapField(column.name, column.type, plan.shape === 'unsplit');
  }
  return scalarField(column.name, column.type, isUtf8Column(scalarOf(plan.block, column)));
}

/** What lies behind the batches, of all of them together. */
interface Asides {
  /** In the index. */
  readonly copies: ByteWriter;
  /** Of payloads. */
  readonly tables: ByteWriter;
}

interface BatchPlan {
  readonly plan: PartPlan;
  readonly group: number;
  readonly rows: RowRange;
}

function writeBatch(body: BatchBody, asides: Asides, batch: BatchPlan): ColumnExtents[] {
  const { plan, group, rows } = batch;
  const { copies, tables } = asides;
  return plan.block.columns.map((column) => {
    if (column.type.kind !== 'Bitmap') return writeScalar(body, copies, { ...batch, column });
    const sets = plan.block.sets.get(column.id);
    assert(sets?.length === plan.block.groups, `sets of column ${column.id} for each group`);
    if (plan.shape === 'unsplit') return writeMembers(body, sets, rows);
    const written = writeSlices(body, { of: sets[group]!, ...rows }, tables);
    return withCardinalities(written.extents, copies, written.cardinalities);
  });
}

function writeScalar(
  body: BatchBody,
  copies: ByteWriter,
  batch: BatchPlan & { readonly column: StoredColumn },
): ScalarExtents {
  const { plan, rows, column } = batch;
  const values = scalarOf(plan.block, column);
  const { nodes, buffers } = encodeScalar(values, column.type, rows);
  body.beginExtent();
  for (const node of nodes) body.node(node.length, node.nulls);
  for (const buffer of buffers) body.buffer(buffer);
  const extent = body.endExtent();
  // Scalars are read from the first part of a stripe, whatever the group.
  const first = batch.group === (plan.block.placed ?? 0);
  const rides =
    first &&
    plan.shape !== 'unsplit' &&
    plan.block.keyColumns.includes(column.id) &&
    copies.length + extent.bytes <= copiesBytesMax;
  const copyAt = rides ? addCopy(copies, body.extentBytes()) : undefined;
  const zone = first ? zoneOf(values, column.type, rows) : undefined;
  return { kind: 'scalar', extent, buffers: buffers.map((b) => b.length), copyAt, zone };
}

function withCardinalities(extents: SliceExtents, copies: ByteWriter, values: Uint32Array) {
  const { bytes, width } = narrow(values);
  if (copies.length + bytes.length > copiesBytesMax) return extents;
  return { ...extents, cardinalities: { at: addCopy(copies, bytes), width } };
}

function addCopy(copies: ByteWriter, bytes: Uint8Array): number {
  const at = copies.length;
  copies.raw(bytes);
  copies.align(8);
  return at;
}

function scalarOf(block: StripeBlock, column: StoredColumn): Column {
  const values = block.scalars.get(column.id);
  assert(values !== undefined, `column ${column.name} has no values`);
  return values;
}
