// Data pages of one column: levels and plain values of a run of rows. Version 1 pages in PLAIN
// encoding, which the oldest readers take.
//
//   [repetition levels][definition levels][values]     levels: u32 length, RLE/bit-packed hybrid
//
// A flat column without NULL has no levels; with NULL one bit a value. A list has one level entry per
// item and one for each empty list.

import { assert } from '../../../base/assert.ts';
import { MusterError } from '../../../base/errors.ts';
import type { Column } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { swapUuidHalves } from '../../../storage-format/uuid.ts';
import { unitOf, type WrittenColumn } from './written-types.ts';

interface Rows {
  readonly start: number;
  readonly end: number;
}

export interface WrittenPage {
  readonly body: Uint8Array;
  /** Level entries: values, NULLs and empty lists. */
  readonly entries: number;
}

export function pageOf(column: Column, rows: Rows, written: WrittenColumn): WrittenPage {
  if (!written.isList) {
    const { values, defined } = scalarPage(column, rows, written);
    const levels = defined === undefined ? [] : [levelBytes(defined, 1)];
    return { body: Buffer.concat([...levels, values]), entries: rows.end - rows.start };
  }
  assert(column.kind === 'array', 'lists are array columns');
  const items = { start: column.offsets[rows.start] ?? 0, end: column.offsets[rows.end] ?? 0 };
  const { values, defined } = scalarPage(column.items, items, written);
  const levels = listLevels(column.offsets, rows, { items, defined });
  const bodies = [levelBytes(levels.repetition, 1), levelBytes(levels.definition, levels.bits)];
  return { body: Buffer.concat([...bodies, values]), entries: levels.repetition.length };
}

interface ScalarPage {
  readonly values: Uint8Array;
  /** A byte per row, 1 = not NULL; undefined where none can be. */
  readonly defined: Uint8Array | undefined;
}

function scalarPage(column: Column, rows: Rows, { optional, type }: WrittenColumn): ScalarPage {
  if (!optional) return { values: plainValues(column, rows, type), defined: undefined };
  const defined = new Uint8Array(rows.end - rows.start).fill(1);
  const nulls = column.kind === 'array' || column.kind === 'tuple' ? undefined : column.nulls;
  if (type.kind === 'Nothing') return { values: new Uint8Array(0), defined: defined.fill(0) };
  if (nulls === undefined) return { values: plainValues(column, rows, type), defined };
  const kept: number[] = [];
  for (let row = rows.start; row < rows.end; row++) {
    if (nulls[row] === 1) defined[row - rows.start] = 0;
    else kept.push(row);
  }
  const values = plainValues(picked(column, kept), { start: 0, end: kept.length }, type);
  return { values, defined };
}

function picked(column: Column, rows: readonly number[]): Column {
  if (column.kind === 'string') {
    return { kind: 'string', values: rows.map((row) => column.values[row] ?? '') };
  }
  assert(column.kind === 'number' || column.kind === 'wide', 'scalars only');
  const values = column.values.slice(0, rows.length);
  rows.forEach((row, i) => {
    values[i] = column.values[row] as never;
  });
  return { ...column, values } as Column;
}

function plainValues(column: Column, { start, end }: Rows, type: DataType): Uint8Array {
  if (column.kind === 'string') return byteArrays(column.values, { start, end }, type);
  if (column.kind === 'wide') {
    const values = column.values.subarray(start, end);
    if (type.kind === 'DateTime64') return bytesOf(scaledTicks(values, type.precision));
    return bytesOf(values);
  }
  assert(column.kind === 'number', 'scalars only');
  const values = column.values.subarray(start, end);
  switch (type.kind) {
    case 'Bool':
      return bits(values);
    case 'Float32':
    case 'Float64':
      return bytesOf(values);
    case 'Enum8':
      return enumNames(values, type.members);
    case 'DateTime':
      return bytesOf(milliseconds(values));
    default:
      return bytesOf(Int32Array.from(values));
  }
}

/** Of seconds, by halves: a BigInt a value would cost ten times more. */
function milliseconds(seconds: ArrayLike<number>): Uint32Array {
  const halves = new Uint32Array(2 * seconds.length);
  for (let i = 0; i < seconds.length; i++) {
    const value = (seconds[i] as number) * 1000;
    halves[2 * i] = value % 4294967296;
    halves[2 * i + 1] = value / 4294967296;
  }
  return halves;
}

function scaledTicks(values: ArrayLike<bigint>, precision: number): BigInt64Array {
  const factor = 10n ** BigInt(3 * unitOf(precision) - precision);
  return BigInt64Array.from(values, (ticks) => {
    const scaled = ticks * factor;
    if (BigInt.asIntN(64, scaled) === scaled) return scaled;
    throw new MusterError('DECIMAL_OVERFLOW', 'A DateTime64 is too far from 1970 for Parquet');
  });
}

function bytesOf(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function bits(values: ArrayLike<number>): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(values.length / 8));
  for (let i = 0; i < values.length; i++) {
    if (values[i] !== 0) bytes[i >> 3] = (bytes[i >> 3] as number) | (1 << (i & 7));
  }
  return bytes;
}

function enumNames(
  values: ArrayLike<number>,
  members: readonly { readonly name: string; readonly value: number }[],
): Uint8Array {
  const names = new Map(members.map(({ name, value }) => [value, name]));
  const texts = Array.from(values, (value) => names.get(value) ?? '');
  return byteArrays(texts, { start: 0, end: texts.length }, { kind: 'String' });
}

/** Each behind its length; UUIDs are of fixed length. */
function byteArrays(values: readonly string[], { start, end }: Rows, type: DataType): Uint8Array {
  const prefix = type.kind === 'UUID' ? 0 : 4;
  let length = 0;
  for (let row = start; row < end; row++) length += prefix + (values[row] as string).length;
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (let row = start; row < end; row++) {
    const value = values[row] as string;
    if (prefix === 0) at += bytes.write(swapUuidHalves(value), at, 'latin1');
    else {
      bytes.writeUInt32LE(value.length, at);
      at += 4 + bytes.write(value, at + 4, 'latin1');
    }
  }
  return bytes;
}

interface ListItems {
  readonly items: Rows;
  readonly defined: Uint8Array | undefined;
}

function listLevels(offsets: Uint32Array, rows: Rows, { items, defined }: ListItems) {
  const most = items.end - items.start + (rows.end - rows.start);
  const repetition = new Uint8Array(most);
  const definition = new Uint8Array(most);
  let at = 0;
  for (let row = rows.start; row < rows.end; row++) {
    const start = offsets[row] as number;
    const end = offsets[row + 1] as number;
    if (start === end) at++;
    for (let item = start; item < end; item++) {
      if (item > start) repetition[at] = 1;
      definition[at++] = defined === undefined ? 1 : 1 + (defined[item - items.start] as number);
    }
  }
  const level = (levels: Uint8Array): Uint8Array => levels.subarray(0, at);
  const widest = defined === undefined ? 1 : 2;
  return { repetition: level(repetition), definition: level(definition), bits: widest };
}

/** One run where all are equal, else bit-packed, 8 levels a group. */
function levelBytes(levels: Uint8Array, width: number): Uint8Array {
  const first = levels[0] ?? 0;
  const run = levels.every((level) => level === first);
  const groups = Math.ceil(levels.length / 8);
  const head = varint(run ? 2 * levels.length : 2 * groups + 1);
  const bytes = Buffer.alloc(4 + head.length + (run ? 1 : groups * width));
  bytes.writeUInt32LE(bytes.length - 4, 0);
  bytes.set(head, 4);
  const at = 4 + head.length;
  if (run) bytes[at] = first;
  else packLevels(levels, width, bytes.subarray(at));
  return bytes;
}

function packLevels(levels: Uint8Array, width: number, out: Uint8Array): void {
  for (let i = 0; i < levels.length; i++) {
    const bit = i * width;
    out[bit >> 3] = (out[bit >> 3] as number) | ((levels[i] as number) << (bit & 7));
  }
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return bytes;
}
