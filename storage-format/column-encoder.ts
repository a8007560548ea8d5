// Scalar columns as Arrow buffers. SPEC.md, "Columns". A column of one row group is one extent: its
// buffers in Arrow's pre-order, absent ones without bytes. Numbers are not copied here.

import { isUtf8 } from 'node:buffer';
import { assert } from '../base/assert.ts';
import type { ArrowNode } from './arrow-envelope.ts';
import type { Column } from './column.ts';
import { type DataType, formatType, valueType } from './data-type.ts';
import { swapUuidHalves } from './uuid.ts';

export interface RowRange {
  readonly start: number;
  readonly end: number;
}

/** Buffers and nodes of a column in pre-order; an absent buffer has no bytes. */
interface ColumnBuffers {
  readonly nodes: readonly ArrowNode[];
  readonly buffers: readonly Uint8Array[];
}

/** Whether all strings inside are valid UTF-8 (so that readers may see text). */
export function isUtf8Column(column: Column): boolean {
  if (column.kind === 'array') return isUtf8Column(column.items);
  if (column.kind === 'tuple') return column.fields.every(isUtf8Column);
  if (column.kind !== 'string') return true;
  return column.values.every(isUtf8Text);
}

/** Whether a byte string is valid UTF-8. Short ones by a loop: a call costs as much as many turns. */
function isUtf8Text(value: string): boolean {
  let seen = 0;
  if (value.length <= shortLength) {
    for (let i = 0; i < value.length; i++) seen |= value.charCodeAt(i);
    if (seen < 0x80) return true;
  }
  return isUtf8(Buffer.from(value, 'latin1'));
}

const shortLength = 32;

/** The buffers of a run of rows. Bool: a byte per row in memory, a bit per row in Arrow. */
export function encodeScalar(column: Column, type: DataType, rows: RowRange): ColumnBuffers {
  const plain = valueType(type);
  const length = rows.end - rows.start;
  if (column.kind === 'array') {
    assert(plain.kind === 'Array', `an array column of type ${formatType(type)}`);
    return encodeArray(column, plain.item, rows);
  }
  if (column.kind === 'tuple') {
    assert(plain.kind === 'Tuple', `a tuple column of type ${formatType(type)}`);
    const fields = column.fields.map((field, i) =>
      encodeScalar(field, plain.fields[i]!.type, rows),
    );
    return {
      nodes: [{ length, nulls: 0 }, ...fields.flatMap((field) => field.nodes)],
      buffers: [none, ...fields.flatMap((field) => field.buffers)],
    };
  }
  const nulls = countNulls(column.nulls, rows);
  const validity = nulls === 0 ? none : packBits(length, (i) => !column.nulls?.[rows.start + i]);
  const nodes = [{ length, nulls }];
  if (column.kind === 'string' && plain.kind === 'UUID') {
    return { nodes, buffers: [validity, joinUuids(column.values.slice(rows.start, rows.end))] };
  }
  if (column.kind === 'string') {
    const { offsets, bytes } = joinStrings(column.values.slice(rows.start, rows.end));
    return { nodes, buffers: [validity, rawBytes(offsets), bytes] };
  }
  const values = column.values.subarray(rows.start, rows.end);
  const isBool = plain.kind === 'Bool';
  return {
    nodes,
    buffers: [validity, isBool ? packBits(length, (i) => values[i] !== 0) : rawBytes(values)],
  };
}

const none = new Uint8Array(0);

function encodeArray(
  column: Column & { kind: 'array' },
  itemType: DataType,
  rows: RowRange,
): ColumnBuffers {
  const first = column.offsets[rows.start] ?? 0;
  const end = column.offsets[rows.end] ?? first;
  const absolute = column.offsets.subarray(rows.start, rows.end + 1);
  const offsets = Int32Array.from(absolute, (offset) => offset - first);
  const items = encodeScalar(column.items, itemType, { start: first, end });
  return {
    nodes: [{ length: rows.end - rows.start, nulls: 0 }, ...items.nodes],
    buffers: [none, rawBytes(offsets), ...items.buffers],
  };
}

function countNulls(nulls: Uint8Array | undefined, rows: RowRange): number {
  let count = 0;
  if (nulls !== undefined) for (let i = rows.start; i < rows.end; i++) count += nulls[i]!;
  return count;
}

export function packBits(length: number, isSet: (i: number) => boolean): Uint8Array {
  const bits = new Uint8Array((length + 7) >>> 3);
  for (let i = 0; i < length; i++) if (isSet(i)) bits[i >>> 3]! |= 1 << (i & 7);
  return bits;
}

function joinStrings(values: readonly string[]): { offsets: Int32Array; bytes: Uint8Array } {
  const offsets = new Int32Array(values.length + 1);
  let end = 0;
  for (let i = 0; i < values.length; i++) {
    end += values[i]!.length;
    offsets[i + 1] = end;
  }
  const bytes = Buffer.allocUnsafeSlow(end);
  for (let i = 0, at = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value.length > shortLength) at += bytes.write(value, at, 'latin1');
    else for (let k = 0; k < value.length; k++) bytes[at++] = value.charCodeAt(k);
  }
  return { offsets, bytes };
}

/** 16 bytes each, in the order of their text. */
export function joinUuids(values: readonly string[]): Uint8Array {
  return Buffer.from(values.map(swapUuidHalves).join(''), 'latin1');
}

export function rawBytes(values: NodeJS.TypedArray): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
