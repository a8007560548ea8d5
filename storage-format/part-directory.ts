// The directory of a stripe part as data, and its bytes: which columns, groups and row groups there
// are, and where every checksummed piece lies. SPEC.md, "Directory of a stripe part". Offsets are
// relative to their batch's body, bodies to the part's first byte.

import { ByteReader, isNot } from '../base/byte-reader.ts';
import { ByteWriter } from '../base/byte-writer.ts';
import { type DataType, formatType } from './data-type.ts';
import { parseType } from './data-type-parser.ts';

const shapeNumbers = { unsplit: 1, batches: 2, objects: 3 } as const;
export type StripeShape = keyof typeof shapeNumbers;

export interface PartDirectory {
  readonly shape: StripeShape;
  readonly rows: number;
  /** Groups of the whole table. */
  readonly tableGroups: number;
  /** The groups of this part: first, count. */
  readonly groups: readonly [number, number];
  /** Rows of each row group. */
  readonly rowGroups: readonly number[];
  readonly columns: readonly PartColumn[];
  /** Where the tables of payloads start in the part. */
  readonly tablesAt: number;
  /** Group by group (all groups at once when unsplit), row group by row group. */
  readonly batches: readonly PartBatch[];
}

interface PartColumn {
  readonly id: number;
  readonly type: DataType;
  readonly isKey: boolean;
}

export interface PartBatch {
  readonly bodyAt: number;
  readonly bodyBytes: number;
  /** One for each column, in order. */
  readonly columns: readonly ColumnExtents[];
}

export type ColumnExtents = ScalarExtents | MemberExtents | SliceExtents;

/** A checksummed run of bytes of a body. */
export interface Extent {
  readonly at: number;
  readonly bytes: number;
  readonly checksum: number;
}

export interface ScalarExtents {
  readonly kind: 'scalar';
  readonly extent: Extent;
  /** Lengths of the buffers; each starts at a multiple of 8 from the extent's start. */
  readonly buffers: readonly number[];
  /** Where a copy of the extent lies in the index. */
  readonly copyAt: number | undefined;
  readonly zone: Zone | undefined;
}

/** Bounds of a run of rows: encoded key tuples of one value; NULLs counted apart. */
export interface Zone {
  readonly min: Uint8Array;
  readonly max: Uint8Array;
  readonly hasNulls: boolean;
}

/** A bitmap column of an unsplit part: List<UInt64> of group x 2^32 + code. */
export interface MemberExtents {
  readonly kind: 'members';
  readonly extent: Extent;
  readonly members: number;
  /** Per group; -1 when it has no member. */
  readonly maxCodes: readonly number[];
}

/** A bitmap column of one group. */
export interface SliceExtents {
  readonly kind: 'slices';
  /** Validity and offsets of `small` and of `large`: for Arrow readers; ours use cardinalities. */
  readonly smallPlaces: Extent;
  readonly largePlaces: Extent;
  /** Cardinality of each row: UInt32. */
  readonly counts: Extent;
  /** Min, max: two UInt32 buffers, each padded to 8. */
  readonly bounds: Extent;
  readonly maxCode: number;
  readonly smallAt: number;
  readonly smallRuns: readonly SmallRun[];
  readonly largeAt: number;
  readonly larges: readonly LargePayload[];
  /** Where the tables of these payloads start, from the start of all tables. */
  readonly tablesAt: number;
  /** Where a copy of the cardinalities lies in the index, and the bytes of each. */
  readonly cardinalities: { readonly at: number; readonly width: number } | undefined;
}

/** Codes of `rows` consecutive rows (large ones have none here). */
export interface SmallRun {
  readonly rows: number;
  readonly codes: number;
  readonly checksum: number;
}

export interface LargePayload {
  /** Within the row group. */
  readonly row: number;
  readonly bytes: number;
  readonly checksum: number;
  /** Of its table; 0: it has none. */
  readonly tableBytes: number;
}

export function encodeDirectory(directory: PartDirectory): Uint8Array {
  const writer = new ByteWriter(1024);
  writer.varuint(shapeNumbers[directory.shape]);
  writer.varuint(directory.rows);
  writer.varuint(directory.tableGroups);
  writer.varuint(directory.groups[0]);
  writer.varuint(directory.groups[1]);
  writer.list(directory.rowGroups, (rows) => writer.varuint(rows));
  writer.list(directory.columns, (column) => {
    writer.varuint(column.id);
    writer.text(formatType(column.type));
    writer.u8(column.isKey ? 1 : 0);
  });
  writer.varuint(directory.tablesAt);
  for (const batch of directory.batches) {
    writer.varuint(batch.bodyAt);
    writer.varuint(batch.bodyBytes);
    for (const extents of batch.columns) encodeExtents(writer, extents);
  }
  return writer.finish();
}

/** Throws INCORRECT_DATA for bytes that aren't a directory. */
export function decodeDirectory(bytes: Uint8Array): PartDirectory {
  const reader = new ByteReader(bytes, isNot('a directory of a part'));
  const shape = shapeOf(reader);
  const rows = reader.varuint();
  const tableGroups = reader.varuint();
  const groups = [reader.varuint(), reader.varuint()] as const;
  const rowGroups = reader.list(() => reader.varuint());
  const columns = reader.list(() => ({
    id: reader.varuint(),
    type: parseType(reader.text()),
    isKey: reader.u8() === 1,
  }));
  const tablesAt = reader.varuint();
  const count = rowGroups.length * (shape === 'unsplit' ? 1 : groups[1]);
  const batches: PartBatch[] = [];
  for (let i = 0; i < count; i++) {
    batches.push({
      bodyAt: reader.varuint(),
      bodyBytes: reader.varuint(),
      columns: columns.map(() => decodeExtents(reader)),
    });
  }
  reader.end();
  return { shape, rows, tableGroups, groups, rowGroups, columns, tablesAt, batches };
}

const extentKinds = { scalar: 1, members: 2, slices: 3 } as const;

function encodeExtents(writer: ByteWriter, extents: ColumnExtents): void {
  writer.u8(extentKinds[extents.kind]);
  if (extents.kind === 'scalar') encodeScalarExtents(writer, extents);
  else if (extents.kind === 'slices') encodeSlices(writer, extents);
  else {
    encodeExtent(writer, extents.extent);
    writer.varuint(extents.members);
    writer.list(extents.maxCodes, (code) => writer.varuint(code + 1));
  }
}

function decodeExtents(reader: ByteReader): ColumnExtents {
  const kind = reader.u8();
  if (kind === extentKinds.scalar) return decodeScalarExtents(reader);
  if (kind === extentKinds.slices) return decodeSlices(reader);
  if (kind !== extentKinds.members) reader.refuse(`has extents of kind ${kind}`);
  return {
    kind: 'members',
    extent: decodeExtent(reader),
    members: reader.varuint(),
    maxCodes: reader.list(() => reader.varuint() - 1),
  };
}

function encodeExtent(writer: ByteWriter, extent: Extent): void {
  writer.varuint(extent.at);
  writer.varuint(extent.bytes);
  writer.u32(extent.checksum);
}

function decodeExtent(reader: ByteReader): Extent {
  return { at: reader.varuint(), bytes: reader.varuint(), checksum: reader.u32() };
}

function encodeScalarExtents(writer: ByteWriter, extents: ScalarExtents): void {
  encodeExtent(writer, extents.extent);
  writer.list(extents.buffers, (length) => writer.varuint(length));
  writer.varuint(extents.copyAt === undefined ? 0 : extents.copyAt + 1);
  writer.u8(extents.zone === undefined ? 0 : extents.zone.hasNulls ? 2 : 1);
  if (extents.zone === undefined) return;
  writer.bytes(extents.zone.min);
  writer.bytes(extents.zone.max);
}

function decodeScalarExtents(reader: ByteReader): ScalarExtents {
  const extent = decodeExtent(reader);
  const buffers = reader.list(() => reader.varuint());
  const copy = reader.varuint();
  const zoned = reader.u8();
  const zone =
    zoned === 0 ? undefined : { min: reader.bytes(), max: reader.bytes(), hasNulls: zoned === 2 };
  return { kind: 'scalar', extent, buffers, copyAt: copy === 0 ? undefined : copy - 1, zone };
}

function encodeSlices(writer: ByteWriter, slices: SliceExtents): void {
  encodeExtent(writer, slices.smallPlaces);
  encodeExtent(writer, slices.largePlaces);
  encodeExtent(writer, slices.counts);
  encodeExtent(writer, slices.bounds);
  writer.varuint(slices.maxCode + 1);
  writer.varuint(slices.smallAt);
  writer.list(slices.smallRuns, (run) => {
    writer.varuint(run.rows);
    writer.varuint(run.codes);
    writer.u32(run.checksum);
  });
  writer.varuint(slices.largeAt);
  writer.varuint(slices.tablesAt);
  let row = -1;
  writer.list(slices.larges, (large) => {
    writer.varuint(large.row - row - 1);
    writer.varuint(large.bytes);
    writer.u32(large.checksum);
    writer.varuint(large.tableBytes);
    row = large.row;
  });
  writer.u8(slices.cardinalities?.width ?? 0);
  if (slices.cardinalities !== undefined) writer.varuint(slices.cardinalities.at);
}

function decodeSlices(reader: ByteReader): SliceExtents {
  const smallPlaces = decodeExtent(reader);
  const largePlaces = decodeExtent(reader);
  const counts = decodeExtent(reader);
  const bounds = decodeExtent(reader);
  const maxCode = reader.varuint() - 1;
  const smallAt = reader.varuint();
  const smallRuns = reader.list(() => ({
    rows: reader.varuint(),
    codes: reader.varuint(),
    checksum: reader.u32(),
  }));
  const largeAt = reader.varuint();
  const tablesAt = reader.varuint();
  let row = -1;
  const larges = reader.list(() => ({
    row: (row += reader.varuint() + 1),
    bytes: reader.varuint(),
    checksum: reader.u32(),
    tableBytes: reader.varuint(),
  }));
  const width = reader.u8();
  const cardinalities = width === 0 ? undefined : { width, at: reader.varuint() };
  const places = { smallPlaces, largePlaces, counts, bounds };
  const small = { smallAt, smallRuns };
  const large = { largeAt, larges, tablesAt };
  return { kind: 'slices', ...places, maxCode, ...small, ...large, cardinalities };
}

function shapeOf(reader: ByteReader): StripeShape {
  const number = reader.varuint();
  if (number === shapeNumbers.unsplit) return 'unsplit';
  if (number === shapeNumbers.batches) return 'batches';
  return number === shapeNumbers.objects ? 'objects' : reader.refuse(`has shape ${number}`);
}
