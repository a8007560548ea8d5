// Writes one bitmap column of one group, and of the row groups of unsplit parts, into a batch body.
// SPEC.md, "Bitmap columns". The tables of large payloads go to the writer of the part, which puts
// them all together behind the batches.

import { assert } from '../base/assert.ts';
import type { ArrowField } from './arrow-envelope.ts';
import type { ByteWriter } from '../base/byte-writer.ts';
import type { BatchBody } from './batch-body.ts';
import { encodePortable, setCardinality, setMax, setMin, setToCodes } from './bitmap.ts';
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
import { type CodeSet, type CodeSets, smallCardinalityMax } from './set-column.ts';

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

/** A column's slices in one group; `tables` takes the tables of its payloads. */
export function writeSlices(body: BatchBody, slices: CodeSets, tables: ByteWriter): WrittenSlices {
  const { cardinality, min, max, maxCode } = statisticsOf(slices);
  const isLarge = (row: number) => cardinality[row]! > smallCardinalityMax;
  body.node(slices.length, 0);
  body.buffer();
  const small = writeSmall(body, slices, cardinality);
  const large = writeLarge(body, slices, { isLarge, tables });
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
  groups: readonly CodeSets[],
  rows: RowRange,
): MemberExtents {
  const count = rows.end - rows.start;
  const offsets = new Int32Array(count + 1);
  const low: number[] = [];
  const high: number[] = [];
  const maxCodes = new Array<number>(groups.length).fill(-1);
  for (let row = 0; row < count; row++) {
    groups.forEach((sets, group) => {
      const set = sets[rows.start + row];
      if (set === undefined) return;
      for (const code of setToCodes(set)) {
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

type IsLarge = (row: number) => boolean;

function statisticsOf(slices: CodeSets) {
  const cardinality = new Uint32Array(slices.length);
  const min = new Uint32Array(slices.length);
  const max = new Uint32Array(slices.length);
  let maxCode = -1;
  for (let row = 0; row < slices.length; row++) {
    const set = slices[row]!;
    cardinality[row] = setCardinality(set);
    if (cardinality[row] === 0) continue;
    min[row] = setMin(set)!;
    max[row] = setMax(set)!;
    if (max[row]! > maxCode) maxCode = max[row]!;
  }
  return { cardinality, min, max, maxCode };
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

function writeSmall(body: BatchBody, slices: CodeSets, cardinality: Uint32Array) {
  const isLarge = (row: number) => cardinality[row]! > smallCardinalityMax;
  const runs: SmallRun[] = [];
  const offsets = new Int32Array(slices.length + 1);
  for (let row = 0; row < slices.length; row++) {
    offsets[row + 1] = offsets[row]! + (isLarge(row) ? 0 : cardinality[row]!);
  }
  const total = offsets[slices.length]!;
  const codes = new Uint32Array(total);
  let runStart = 0;
  let runRow = 0;
  for (let row = 0; row < slices.length; row++) {
    if (!isLarge(row)) copyCodes(codes, offsets[row]!, setToCodes(slices[row]!));
    const end = offsets[row + 1]!;
    if (!isRun(end - runStart, row + 1 - runRow) && row + 1 < slices.length) continue;
    const checksum = crc32c(rawBytes(codes.subarray(runStart, end)));
    runs.push({ rows: row + 1 - runRow, codes: end - runStart, checksum });
    runStart = end;
    runRow = row + 1;
  }
  const smallPlaces = writePlaces(body, slices.length, { offsets, isNull: isLarge });
  body.node(total, 0);
  body.buffer();
  const smallAt = body.buffer(rawBytes(codes));
  return { smallPlaces, smallAt, smallRuns: runs };
}

function isRun(codes: number, rows: number): boolean {
  return codes >= smallRunCodes || (codes >= shortRun.codes && rows <= shortRun.rows);
}

// A loop beats `set` for the few codes of most rows.
function copyCodes(out: Uint32Array, at: number, codes: Uint32Array): void {
  if (codes.length > 64) out.set(codes, at);
  else for (let i = 0; i < codes.length; i++) out[at + i] = codes[i]!;
}

function writeLarge(
  body: BatchBody,
  slices: CodeSets,
  to: { readonly isLarge: IsLarge; readonly tables: ByteWriter },
) {
  const { isLarge, tables } = to;
  const tablesAt = tables.length;
  const larges: LargePayload[] = [];
  const payloads: Uint8Array[] = [];
  const offsets = new Int32Array(slices.length + 1);
  let total = 0;
  slices.forEach((set: CodeSet, row) => {
    if (isLarge(row)) {
      const payload = encodePortable(set);
      const checksum = crc32c(payload);
      const table = encodeTable(payload, checksum);
      payloads.push(payload);
      larges.push({ row, bytes: payload.length, checksum, tableBytes: table.length });
      tables.raw(table);
      total += payload.length;
    }
    offsets[row + 1] = total;
  });
  assert(total < 2 ** 31, `${total} bytes of payloads in a row group`);
  const largePlaces = writePlaces(body, slices.length, { offsets, isNull: (row) => !isLarge(row) });
  const largeAt = body.buffer(...payloads);
  return { largePlaces, largeAt, larges, tablesAt };
}

function writePlaces(
  body: BatchBody,
  rows: number,
  column: { readonly offsets: Int32Array; readonly isNull: IsLarge },
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
