// Zone maps: the least and greatest value of a run of rows of a scalar column, as encoded key
// tuples, for pruning. Absent where they would be long or say nothing.

import { type Column, columnLength, type WideArray } from './column.ts';
import type { RowRange } from './column-encoder.ts';
import type { DataType } from './data-type.ts';
import { compareKeyTuples, encodeKeyTuple, type KeyValue } from './key-tuple.ts';
import type { Zone } from './part-directory.ts';

/** Longer bounds are not kept. */
const boundBytesMax = 64;

/** Undefined when all rows are NULL, for lists, and when a bound is too long to keep. */
export function zoneOf(column: Column, type: DataType, rows: RowRange): Zone | undefined {
  if (column.kind === 'array' || column.kind === 'tuple') return undefined;
  if (rows.end > columnLength(column)) return undefined;
  const { values, nulls } = column;
  if (nulls === undefined && column.kind === 'wide') return wideZone(column.values, type, rows);
  if (nulls === undefined && column.kind === 'string') return textZone(column.values, type, rows);
  let min: KeyValue = null;
  let max: KeyValue = null;
  let hasNulls = false;
  for (let row = rows.start; row < rows.end; row++) {
    if (nulls !== undefined && nulls[row] !== 0) {
      hasNulls = true;
      continue;
    }
    const value = values[row]!;
    // NaN is unordered here and the greatest value in key order.
    if (Number.isNaN(value)) return undefined;
    if (min === null || value < min) min = value;
    if (max === null || value > max) max = value;
  }
  if (min === null || max === null) return undefined;
  return zoneBetween(min, max, { type, hasNulls });
}

function zoneBetween(
  min: KeyValue,
  max: KeyValue,
  { type, hasNulls }: { readonly type: DataType; readonly hasNulls: boolean },
): Zone | undefined {
  const zone = { min: encodeKeyTuple([min], [type]), max: encodeKeyTuple([max], [type]), hasNulls };
  return zone.min.length > boundBytesMax || zone.max.length > boundBytesMax ? undefined : zone;
}

/** Neighbours in a sorted column are often one and the same text. */
function textZone(values: readonly string[], type: DataType, rows: RowRange): Zone | undefined {
  if (rows.start >= rows.end) return undefined;
  let min = values[rows.start]!;
  let max = min;
  let last = min;
  for (let row = rows.start + 1; row < rows.end; row++) {
    const value = values[row]!;
    if (value === last) continue;
    last = value;
    if (value < min) min = value;
    else if (value > max) max = value;
  }
  return zoneBetween(min, max, { type, hasNulls: false });
}

/** By halves: a BigInt for every row would cost ten times as much. */
function wideZone(values: WideArray, type: DataType, rows: RowRange): Zone | undefined {
  if (rows.start >= rows.end) return undefined;
  const halves = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  const flip = values instanceof BigInt64Array ? 0x80000000 : 0;
  let min = rows.start;
  let max = rows.start;
  let minHigh = 0xffffffff;
  let minLow = 0xffffffff;
  let maxHigh = 0;
  let maxLow = 0;
  for (let row = rows.start; row < rows.end; row++) {
    const low = halves[2 * row]!;
    const high = (halves[2 * row + 1]! ^ flip) >>> 0;
    if (high < minHigh || (high === minHigh && low <= minLow)) {
      min = row;
      minHigh = high;
      minLow = low;
    }
    if (high > maxHigh || (high === maxHigh && low >= maxLow)) {
      max = row;
      maxHigh = high;
      maxLow = low;
    }
  }
  return zoneBetween(values[min]!, values[max]!, { type, hasNulls: false });
}

/** The zone of several runs together; undefined when one of them has none. */
export function mergeZones(zones: readonly (Zone | undefined)[]): Zone | undefined {
  let merged: Zone | undefined;
  for (const zone of zones) {
    if (zone === undefined) return undefined;
    merged = {
      min:
        merged === undefined || compareKeyTuples(zone.min, merged.min) < 0 ? zone.min : merged.min,
      max:
        merged === undefined || compareKeyTuples(zone.max, merged.max) > 0 ? zone.max : merged.max,
      hasNulls: zone.hasNulls || merged?.hasNulls === true,
    };
  }
  return merged;
}
