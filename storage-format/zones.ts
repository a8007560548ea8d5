// Zone maps: the least and greatest value of a run of rows of a scalar column, as encoded key
// tuples, for pruning. Absent where they would be long or say nothing.

import { type Column, columnLength } from './column.ts';
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
  const zone = { min: encodeKeyTuple([min], [type]), max: encodeKeyTuple([max], [type]), hasNulls };
  return zone.min.length > boundBytesMax || zone.max.length > boundBytesMax ? undefined : zone;
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
