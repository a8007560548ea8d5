// Writes one bitmap column of one group, and of the row groups of unsplit parts, into a batch body.
// SPEC.md, "Bitmap columns". The tables of large payloads go to the writer of the part, which puts
// them all together behind the batches.

import { assert } from '../base/assert.ts';
import type { ArrowField } from './arrow-envelope.ts';
import type { ByteWriter } from '../base/byte-writer.ts';
import type { BatchBody } from './batch-body.ts';
import { encodePortable, setMax, setMin, setToCodes, type SliceBitmap } from './bitmap.ts';
import { packBits, type RowRange, rawBytes } from './column-encoder.ts';
import { crc32c } from './crc32c.ts';
import { type DataType, formatType } from './data-type.ts';
import type {
  Extent,
  LargePayload,
  MemberExtents,
  SliceExtents,
  SmallRun,
} from './part-directory.ts';
import { encodeTable } from './payload-table.ts';
import { smallCardinalityMax } from './set-column.ts';
import {
  cardinalityUnder,
  newCursor,
  type SetCursor,
  type SetVector,
  setUnder,
} from './set-vector.ts';

/**
 * A run of small codes ends when it has this many; one of few rows earlier, so that it takes little
 * to read one of them, and one of many rows later, so that there are few runs.
 */
const smallRunCodes = 32 * 1024;
const shortRun = { codes: 4 * 1024, rows: 128 };

/** The Arrow field of a bitmap column: a struct, or List<UInt64> in unsplit parts. */
export function bitmapField(name: string, type: DataType, unsplit: boolean): ArrowField {
  const metadata = new Map([['muster.type', formatType(type)]]);
  if (unsplit) {
    const members = [leaf('item', 'wide')];
    return { name, nullable: false, type: { kind: 'list' }, children: members, metadata };
  }
  const children = [
    { ...leaf('small', 'list'), nullable: true, children: [leaf('item', 'code')] },
    { ...leaf('large', 'binary'), nullable: true },
    leaf('cardinality', 'code'),
    leaf('min', 'code'),
    leaf('max', 'code'),
  ];
  return { name, nullable: false, type: { kind: 'struct' }, children, metadata };
}

/** Rows [start, end) of a vector. */
interface Slices extends RowRange {
  readonly of: SetVector;
}

/** A column's slices in one group; `tables` takes the tables of its payloads. */
export function writeSlices(body: BatchBody, slices: Slices, tables: ByteWriter): WrittenSlices {
  const facts = factsOf(slices);
  const { cardinality, min, max, maxCode } = facts;
  body.node(cardinality.length, 0);
  body.buffer();
  const small = writeSmall(body, slices, facts);
  const large = writeLarge(body, facts, tables);
  const counts = writeNumbers(body, [cardinality]);
  const bounds = writeNumbers(body, [min, max]);
  const extents = { ...small, ...large, counts, bounds, maxCode, cardinalities: undefined };
  return { extents: { kind: 'slices', ...extents }, cardinalities: cardinality };
}

interface WrittenSlices {
  readonly extents: SliceExtents;
  readonly cardinalities: Uint32Array;
}

/** Rows of a column of an unsplit part: `groups` holds each group's slices, if it has any. */
export function writeMembers(
  body: BatchBody,
  groups: readonly SetVector[],
  rows: RowRange,
): MemberExtents {
  const count = rows.end - rows.start;
  const offsets = new Int32Array(count + 1);
  const low: number[] = [];
  const high: number[] = [];
  const maxCodes = new Array<number>(groups.length).fill(-1);
  const cursor = newCursor();
  for (let row = 0; row < count; row++) {
    groups.forEach((sets, group) => {
      if (rows.start + row >= sets.length) return;
      sets.locate(rows.start + row, cursor);
      for (const code of setToCodes(setUnder(cursor))) {
        low.push(code);
        high.push(group);
        if (code > maxCodes[group]!) maxCodes[group] = code;
      }
    });
    offsets[row + 1] = low.length;
  }
  const halves = new Uint32Array(2 * low.length);
  low.forEach((code, i) => {
    halves[2 * i] = code;
    halves[2 * i + 1] = high[i]!;
  });
  body.beginExtent();
  body.node(count, 0);
  body.buffer();
  body.buffer(rawBytes(offsets));
  body.node(low.length, 0);
  body.buffer();
  body.buffer(rawBytes(halves));
  return { kind: 'members', extent: body.endExtent(), members: low.length, maxCodes };
}

/** The narrowest array that holds the numbers: what rides in the index. */
export function narrow(values: Uint32Array): {
  readonly bytes: Uint8Array;
  readonly width: number;
} {
  const max = values.reduce((a, b) => Math.max(a, b), 0);
  if (max < 2 ** 8) return { bytes: Uint8Array.from(values), width: 1 };
  if (max < 2 ** 16) return { bytes: rawBytes(Uint16Array.from(values)), width: 2 };
  return { bytes: rawBytes(values), width: 4 };
}

/** Of rows of one group; row numbers count from the first of them. */
interface SliceFacts {
  readonly cardinality: Uint32Array;
  readonly min: Uint32Array;
  readonly max: Uint32Array;
  /** Largest code, -1 where there is none. */
  readonly maxCode: number;
  /** Sets that are stored as payloads. */
  readonly larges: ReadonlyMap<number, SliceBitmap | Uint32Array>;
}

function factsOf({ of, start, end }: Slices): SliceFacts {
  const cardinality = new Uint32Array(end - start);
  const min = new Uint32Array(end - start);
  const max = new Uint32Array(end - start);
  const larges = new Map<number, SliceBitmap | Uint32Array>();
  let maxCode = -1;
  const cursor = newCursor();
  for (let row = 0; row < cardinality.length; row++) {
    of.locate(start + row, cursor);
    const count = cardinalityUnder(cursor);
    cardinality[row] = count;
    if (count === 0) continue;
    const { codes, large } = cursor;
    min[row] = large === undefined ? codes[cursor.start]! : setMin(large)!;
    max[row] = large === undefined ? codes[cursor.end - 1]! : setMax(large)!;
    if (max[row]! > maxCode) maxCode = max[row]!;
    if (count > smallCardinalityMax) larges.set(row, setUnder(cursor));
  }
  return { cardinality, min, max, maxCode, larges };
}

function writeNumbers(body: BatchBody, columns: readonly Uint32Array[]): Extent {
  body.beginExtent();
  for (const values of columns) {
    body.node(values.length, 0);
    body.buffer();
    body.buffer(rawBytes(values));
  }
  return body.endExtent();
}

function writeSmall(body: BatchBody, { of, start }: Slices, facts: SliceFacts) {
  const { cardinality, larges } = facts;
  const rows = cardinality.length;
  const runs: SmallRun[] = [];
  const offsets = new Int32Array(rows + 1);
  for (let row = 0; row < rows; row++) {
    const count = cardinality[row]!;
    offsets[row + 1] = offsets[row]! + (count > smallCardinalityMax ? 0 : count);
  }
  const total = offsets[rows]!;
  const codes = new Uint32Array(total);
  const cursor = newCursor();
  let runStart = 0;
  let runRow = 0;
  for (let row = 0; row < rows; row++) {
    const end = offsets[row + 1]!;
    if (end > offsets[row]!) {
      of.locate(start + row, cursor);
      copyCodes(codes, offsets[row]!, cursor);
    }
    if (!isRun(end - runStart, row + 1 - runRow) && row + 1 < rows) continue;
    const checksum = crc32c(rawBytes(codes.subarray(runStart, end)));
    runs.push({ rows: row + 1 - runRow, codes: end - runStart, checksum });
    runStart = end;
    runRow = row + 1;
  }
  const smallPlaces = writePlaces(body, rows, { offsets, isNull: (row) => larges.has(row) });
  body.node(total, 0);
  body.buffer();
  const smallAt = body.buffer(rawBytes(codes));
  return { smallPlaces, smallAt, smallRuns: runs };
}

function isRun(codes: number, rows: number): boolean {
  return codes >= smallRunCodes || (codes >= shortRun.codes && rows <= shortRun.rows);
}

/** A set of few members may be a bitmap all the same. A loop beats `set` for the few codes of most. */
function copyCodes(out: Uint32Array, at: number, cursor: SetCursor): void {
  const { codes, start, end, large } = cursor;
  if (large !== undefined || end - start > 64) out.set(setToCodes(setUnder(cursor)), at);
  else for (let i = start; i < end; i++) out[at + i - start] = codes[i]!;
}

function writeLarge(
  body: BatchBody,
  { cardinality, larges: sets }: SliceFacts,
  tables: ByteWriter,
) {
  const tablesAt = tables.length;
  const larges: LargePayload[] = [];
  const payloads: Uint8Array[] = [];
  const offsets = new Int32Array(cardinality.length + 1);
  let total = 0;
  for (let row = 0; row < cardinality.length; row++) {
    const set = sets.get(row);
    if (set !== undefined) {
      const payload = encodePortable(set);
      const checksum = crc32c(payload);
      const table = encodeTable(payload, checksum);
      payloads.push(payload);
      larges.push({ row, bytes: payload.length, checksum, tableBytes: table.length });
      tables.raw(table);
      total += payload.length;
    }
    offsets[row + 1] = total;
  }
  assert(total < 2 ** 31, `${total} bytes of payloads in a row group`);
  const largePlaces = writePlaces(body, cardinality.length, {
    offsets,
    isNull: (row) => !sets.has(row),
  });
  const largeAt = body.buffer(...payloads);
  return { largePlaces, largeAt, larges, tablesAt };
}

function writePlaces(
  body: BatchBody,
  rows: number,
  column: { readonly offsets: Int32Array; readonly isNull: (row: number) => boolean },
) {
  let nulls = 0;
  for (let row = 0; row < rows; row++) if (column.isNull(row)) nulls++;
  body.beginExtent();
  body.node(rows, nulls);
  if (nulls === 0) body.buffer();
  else body.buffer(packBits(rows, (row) => !column.isNull(row)));
  body.buffer(rawBytes(column.offsets));
  return body.endExtent();
}

function leaf(name: string, form: 'code' | 'wide' | 'list' | 'binary'): ArrowField {
  const type =
    form === 'code' || form === 'wide'
      ? ({ kind: 'int', bits: form === 'code' ? 32 : 64, signed: false } as const)
      : { kind: form };
  return { name, nullable: false, type, children: [], metadata: new Map() };
}
