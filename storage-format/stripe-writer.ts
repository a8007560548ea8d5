// Writes a block as a stripe in the shape that fits its size: unsplit, batches of one part, or an
// object per group. SPEC.md, "Stripes". Cuts row groups, the same for all groups, so that memory
// while writing is bounded by one row group of one group and one large bitmap.

import { assert } from '../base/assert.ts';
import type { ByteRange } from '../base/byte-range.ts';
import { portableBytesMax } from './bitmap.ts';
import type { Column } from './column.ts';
import { type RowRange, rawBytes } from './column-encoder.ts';
import { encodeKeyTuple, keyValueAt } from './key-tuple.ts';
import type { PartBatch, StripeShape, Zone } from './part-directory.ts';
import { type PartPlan, type StripeBlock, type WrittenPart, writePart } from './part-writer.ts';
import { smallCardinalityMax } from './set-column.ts';
import { cardinalityUnder, newCursor, setUnder } from './set-vector.ts';
import { mergeZones } from './zones.ts';

/** Where a part or a segment begins. */
export interface PartStart {
  readonly object: string;
  /** Of its first byte within the object. */
  readonly offset: number;
}

/** Where parts go: the caller maps them to shared objects and objects of their own. */
export interface StripeSink {
  /** A small part, whole; the caller appends it to a shared object (at a multiple of 8). */
  packed(part: Uint8Array): PartStart | Promise<PartStart>;
  /** An object for one group of a large stripe. */
  object(group: number): PartWriter | Promise<PartWriter>;
}

export interface PartWriter {
  readonly object: string;
  write(bytes: Uint8Array): Promise<void>;
  finish(): Promise<unknown>;
}

export interface StripeDescription {
  readonly shape: StripeShape;
  readonly parts: readonly PartDescription[];
  readonly rows: number;
  /** Per group: bytes of its members, and the sum of its sets' cardinalities. */
  readonly groups: readonly GroupSize[];
  /** Encoded tuples of the key columns of the first and the last row. */
  readonly keyMin: Uint8Array;
  readonly keyMax: Uint8Array;
  /** Bounds of scalar columns, where they are known. */
  readonly zones: ReadonlyMap<number, Zone>;
}

interface GroupSize {
  readonly bytes: number;
  readonly cardinality: number;
}

/** What the catalog keeps about one part: enough to open it with one ranged read. */
export interface PartDescription extends PartStart {
  readonly bytes: number;
  /** CRC32C of the whole part. */
  readonly checksum: number;
  /** Relative to the object: one read of this range opens the part. */
  readonly index: ByteRange;
  /** First group and count. */
  readonly groups: readonly [number, number];
}

/** Stripes up to this are unsplit. */
const unsplitBytesMax = 64 * 1024;
/** Stripes up to this are one part; above, each group has an object. */
const packedBytesMax = 8 * 1024 * 1024;
const rowGroupRowsMax = 32 * 1024;
const rowGroupBytesMax = 16 * 1024 * 1024;

export async function writeStripe(
  block: StripeBlock,
  sink: StripeSink,
): Promise<StripeDescription> {
  assert(block.rows > 0, 'a stripe has rows');
  const size = measure(block);
  const rowGroups = size.rowGroups;
  if (size.unsplit <= unsplitBytesMax || size.split <= packedBytesMax) {
    const shape = size.unsplit <= unsplitBytesMax ? 'unsplit' : 'batches';
    const groups = groupsOf(block);
    const { bytes, written } = collectPart({ block, shape, groups, rowGroups });
    const place = await sink.packed(bytes);
    const part = describePart(written, place, groups);
    return describeStripe(block, { shape, parts: [part], batches: written.batches, size });
  }
  const parts: PartDescription[] = [];
  let first: readonly PartBatch[] = [];
  const [firstGroup, count] = groupsOf(block);
  for (let group = firstGroup; group < firstGroup + count; group++) {
    const groups = [group, 1] as const;
    const plan: PartPlan = { block, shape: 'objects', groups, rowGroups };
    const writer = await sink.object(group);
    const written = await streamPart(plan, writer);
    parts.push(describePart(written, { object: writer.object, offset: 0 }, groups));
    if (group === firstGroup) first = written.batches;
  }
  return describeStripe(block, { shape: 'objects', parts, batches: first, size });
}

/** The groups that the rows are in: first and count. */
function groupsOf({ placed, groups }: StripeBlock): readonly [number, number] {
  return placed === undefined ? [0, groups] : [placed, 1];
}

/** A whole small part in memory. */
export function collectPart(plan: PartPlan): { bytes: Uint8Array; written: WrittenPart } {
  const chunks: Uint8Array[] = [];
  const steps = writePart(plan);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) {
      return { bytes: rawBytes(Buffer.concat(chunks)), written: step.value };
    }
    chunks.push(step.value);
  }
}

async function streamPart(plan: PartPlan, writer: PartWriter): Promise<WrittenPart> {
  const steps = writePart(plan);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) {
      await writer.finish();
      return step.value;
    }
    await writer.write(step.value);
  }
}

function describePart(
  written: WrittenPart,
  place: PartStart,
  groups: readonly [number, number],
): PartDescription {
  const { object, offset } = place;
  const index = { start: offset + written.index.start, end: offset + written.index.end };
  return { object, offset, bytes: written.bytes, checksum: written.checksum, index, groups };
}

interface Finished {
  readonly shape: StripeShape;
  readonly parts: readonly PartDescription[];
  /** Of the first part: holds the scalars. */
  readonly batches: readonly PartBatch[];
  readonly size: BlockSize;
}

function describeStripe(block: StripeBlock, finished: Finished): StripeDescription {
  const { shape, parts, batches, size } = finished;
  const scalarBatches = batches.slice(0, size.rowGroups.length);
  const zones = new Map<number, Zone>();
  block.columns.forEach((column, i) => {
    const zone = mergeZones(
      scalarBatches.map((batch) => {
        const extents = batch.columns[i];
        return extents?.kind === 'scalar' ? extents.zone : undefined;
      }),
    );
    if (zone !== undefined) zones.set(column.id, zone);
  });
  const keyMin = keyOf(block, 0);
  const keyMax = keyOf(block, block.rows - 1);
  return { shape, parts, rows: block.rows, groups: size.groups, keyMin, keyMax, zones };
}

function keyOf(block: StripeBlock, row: number): Uint8Array {
  const types = block.keyColumns.map((id) => {
    const column = block.columns.find((candidate) => candidate.id === id);
    assert(column !== undefined, `key column ${id} is a column`);
    return column.type;
  });
  const values = block.keyColumns.map((id) => {
    const column = block.scalars.get(id);
    assert(column !== undefined, `key column ${id} has values`);
    return keyValueAt(column, row);
  });
  return encodeKeyTuple(values, types);
}

interface BlockSize {
  /** Estimates of the stripe's bytes in either form. */
  readonly unsplit: number;
  readonly split: number;
  readonly groups: readonly GroupSize[];
  readonly rowGroups: readonly RowRange[];
}

function measure(block: StripeBlock): BlockSize {
  const rowBytes = new Float64Array(block.rows);
  const groups: GroupSize[] = [];
  let members = 0;
  const [firstGroup, count] = groupsOf(block);
  for (let group = 0; group < block.groups; group++) {
    const isHere = group >= firstGroup && group < firstGroup + count;
    const size = isHere ? measureGroup(block, group, rowBytes) : { bytes: 0, cardinality: 0 };
    members += size.cardinality;
    groups.push(size);
  }
  let scalars = 512 + 128 * block.columns.length;
  for (const column of block.scalars.values()) scalars += scalarBytes(column);
  const lists = 4 * block.rows * block.sets.size;
  const places = 20 * block.rows * block.sets.size;
  const payload = groups.reduce((sum, group) => sum + group.bytes, 0);
  return {
    unsplit: scalars + lists + 8 * members,
    split: count * (scalars + places) + payload,
    groups,
    rowGroups: cutRows(rowBytes),
  };
}

/** Raises `rowBytes` to what each row's members take in this group. */
function measureGroup(block: StripeBlock, group: number, rowBytes: Float64Array): GroupSize {
  let bytes = 0;
  let cardinality = 0;
  const cursor = newCursor();
  for (const sets of block.sets.values()) {
    const slices = sets[group];
    assert(slices?.length === block.rows, `a slice for each of ${block.rows} rows`);
    for (let row = 0; row < slices.length; row++) {
      slices.locate(row, cursor);
      const count = cardinalityUnder(cursor);
      const isLarge = count > smallCardinalityMax;
      const size = isLarge ? portableBytesMax(setUnder(cursor)) : 4 * count;
      cardinality += count;
      bytes += size;
      if (size > rowBytes[row]!) rowBytes[row] = size;
    }
  }
  return { bytes, cardinality };
}

function cutRows(rowBytes: Float64Array): RowRange[] {
  const cuts: RowRange[] = [];
  let start = 0;
  let bytes = 0;
  for (let row = 0; row < rowBytes.length; row++) {
    const size = rowBytes[row]!;
    if (row > start && (row - start >= rowGroupRowsMax || bytes + size > rowGroupBytesMax)) {
      cuts.push({ start, end: row });
      start = row;
      bytes = 0;
    }
    bytes += size;
  }
  cuts.push({ start, end: rowBytes.length });
  return cuts;
}

function scalarBytes(column: Column): number {
  if (column.kind === 'array') return column.offsets.byteLength + scalarBytes(column.items);
  if (column.kind === 'tuple') return column.fields.reduce((sum, f) => sum + scalarBytes(f), 0);
  if (column.kind !== 'string') return column.values.byteLength;
  let bytes = 4 * column.values.length;
  for (const value of column.values) bytes += value.length;
  return bytes;
}
