// Columns of an answer in Arrow, with the types that ClickHouse gives them there: strings as Utf8 (as
// Binary where they are no text), dates as Date32, DateTime as UInt32 seconds, DateTime64 as a
// timestamp of the next finer unit, enums as their numbers, LowCardinality as what it holds. Sets are
// Binary: the bytes of their states.

import { assert, defined } from '../../base/assert.ts';
import type { ArrowField, ArrowType } from '../../storage-format/arrow-envelope.ts';
import type { BatchBody } from '../../storage-format/batch-body.ts';
import type { Column } from '../../storage-format/column.ts';
import {
  encodeScalar,
  isUtf8Column,
  type RowRange,
  rawBytes,
} from '../../storage-format/column-encoder.ts';
import { type DataType, isNullable, valueType } from '../../storage-format/data-type.ts';
import { uuidBytes } from '../../storage-format/uuid.ts';
import type { OutputSettings } from './output-settings.ts';

export type ArrowSettings = Pick<
  OutputSettings,
  'arrowStringsAsText' | 'arrowDatesAsNumbers' | 'timeZone'
>;

/** `column`: all rows, since its strings decide between Utf8 and Binary. */
export function arrowField(
  named: { readonly name: string; readonly type: DataType },
  column: Column,
  settings: ArrowSettings,
): ArrowField {
  const bare = valueType(named.type);
  const children: ArrowField[] = [];
  if (bare.kind === 'Array') {
    assert(column.kind === 'array', 'arrays are array columns');
    children.push(arrowField({ name: 'item', type: bare.item }, column.items, settings));
  }
  if (bare.kind === 'Tuple') {
    assert(column.kind === 'tuple', 'tuples are tuple columns');
    bare.fields.forEach(({ name = '', type }, i) => {
      const field = { name: name === '' ? String(i + 1) : name, type };
      children.push(arrowField(field, defined(column.fields[i], 'tuple field'), settings));
    });
  }
  const type = arrowType(bare, column, settings);
  const nullable = isNullable(named.type);
  return { name: named.name, nullable, type, children, metadata: new Map() };
}

/** Appends the nodes and buffers of a run of rows, as `arrowField` describes them. */
export function appendArrow(
  body: BatchBody,
  column: Column,
  of: { readonly type: DataType; readonly rows: RowRange; readonly settings: ArrowSettings },
): void {
  const { rows, settings } = of;
  const bare = valueType(of.type);
  const length = rows.end - rows.start;
  if (bare.kind === 'Nothing') {
    body.node(length, length);
  } else if (bare.kind === 'Array') {
    assert(column.kind === 'array', 'arrays are array columns');
    const start = column.offsets[rows.start] ?? 0;
    const end = column.offsets[rows.end] ?? start;
    const absolute = column.offsets.subarray(rows.start, rows.end + 1);
    body.node(length, 0);
    body.buffer();
    body.buffer(rawBytes(Int32Array.from(absolute, (offset) => offset - start)));
    appendArrow(body, column.items, { type: bare.item, rows: { start, end }, settings });
  } else if (bare.kind === 'Tuple') {
    assert(column.kind === 'tuple', 'tuples are tuple columns');
    body.node(length, 0);
    body.buffer();
    bare.fields.forEach(({ type }, i) =>
      appendArrow(body, defined(column.fields[i], 'tuple field'), { type, rows, settings }),
    );
  } else {
    const { nodes, buffers } = encodeScalar(inArrow(column, bare, { rows, settings }), bare, {
      start: 0,
      end: length,
    });
    for (const node of nodes) body.node(node.length, node.nulls);
    for (const buffer of buffers) body.buffer(buffer);
  }
}

function arrowType(bare: DataType, column: Column, settings: ArrowSettings): ArrowType {
  switch (bare.kind) {
    case 'Nothing':
      return { kind: 'null' };
    case 'String':
      return { kind: settings.arrowStringsAsText && isUtf8Column(column) ? 'utf8' : 'binary' };
    case 'UUID':
      return { kind: 'fixedBinary', bytes: uuidBytes };
    case 'Bitmap':
      return { kind: 'binary' };
    case 'Bool':
      return { kind: 'bool' };
    case 'Array':
      return { kind: 'list' };
    case 'Tuple':
      return { kind: 'struct' };
    case 'Float32':
      return { kind: 'float', bits: 32 };
    case 'Float64':
      return { kind: 'float', bits: 64 };
    case 'Date':
      return settings.arrowDatesAsNumbers ? integer(16, false) : { kind: 'date' };
    case 'DateTime':
      return integer(32, false);
    case 'DateTime64':
      return {
        kind: 'timestamp',
        unit: timestampUnit(bare.precision),
        timeZone: bare.timeZone ?? settings.timeZone,
      };
    case 'Enum8':
      return integer(8, true);
    case 'Interval':
      return integer(64, true);
    default:
      return integer(Number(/\d+$/.exec(bare.kind)?.[0]), bare.kind.startsWith('Int'));
  }
}

function integer(bits: number, signed: boolean): ArrowType {
  return { kind: 'int', bits, signed };
}

/** Of seconds, milliseconds, microseconds, nanoseconds. */
function timestampUnit(precision: number): number {
  return Math.ceil(precision / 3);
}

/** The rows alone, with the numbers that Arrow has for their type. */
function inArrow(
  column: Column,
  bare: DataType,
  { rows, settings }: { readonly rows: RowRange; readonly settings: ArrowSettings },
): Column {
  const { start, end } = rows;
  switch (column.kind) {
    case 'number': {
      const values = column.values.subarray(start, end);
      const nulls = slicedNulls(column.nulls, rows);
      if (bare.kind !== 'Date' || settings.arrowDatesAsNumbers) {
        return { kind: 'number', values, ...nulls };
      }
      return { kind: 'number', values: Int32Array.from(values), ...nulls };
    }
    case 'wide': {
      const values = column.values.subarray(start, end);
      const nulls = slicedNulls(column.nulls, rows);
      const factor = bare.kind === 'DateTime64' ? tickFactor(bare.precision) : 1n;
      if (factor === 1n) return { kind: 'wide', values, ...nulls };
      return { kind: 'wide', values: BigInt64Array.from(values, (one) => one * factor), ...nulls };
    }
    case 'string':
      return {
        kind: 'string',
        values: column.values.slice(start, end),
        ...slicedNulls(column.nulls, rows),
      };
    default:
      throw new Error('arrays and tuples are taken apart before');
  }
}

/** Ticks of 10^-precision seconds in ticks of the unit. */
function tickFactor(precision: number): bigint {
  return 10n ** BigInt(3 * timestampUnit(precision) - precision);
}

function slicedNulls(nulls: Uint8Array | undefined, { start, end }: RowRange) {
  return nulls === undefined ? {} : { nulls: nulls.subarray(start, end) };
}
