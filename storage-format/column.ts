// Columns in memory: typed arrays with validity, the Arrow layout with two exceptions that make
// JavaScript fast: validity is a byte per row (1 = null), and strings are JavaScript strings whose
// char codes are the bytes 0..255 ("byte strings": comparison is byte order, `latin1` both ways).
// A bitmap column is never a `Column`: on disk it is a set-column.ts, in a query a symbolic set.

export type NumberArray =
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Float32Array
  | Float64Array;

/** Int64, UInt64, DateTime64. Hot loops view the buffer as 32-bit halves, little end first. */
export type WideArray = BigInt64Array | BigUint64Array;

/**
 * One column of `length` rows. A null row's value slot holds the type's default (0, '', empty).
 * - number: integers to 32 bits, floats, Bool (Uint8), Date (Uint16 days), DateTime (Uint32
 *   seconds), Enum8 (Int8).
 * - array: row i is items[offsets[i], offsets[i + 1]); offsets has length + 1 entries, first 0.
 */
export type Column =
  | { readonly kind: 'number'; readonly values: NumberArray; readonly nulls?: Uint8Array }
  | { readonly kind: 'wide'; readonly values: WideArray; readonly nulls?: Uint8Array }
  | { readonly kind: 'string'; readonly values: readonly string[]; readonly nulls?: Uint8Array }
  | { readonly kind: 'array'; readonly offsets: Uint32Array; readonly items: Column }
  | { readonly kind: 'tuple'; readonly length: number; readonly fields: readonly Column[] };

/** False for arrays and tuples, which cannot be NULL. */
export function isNullAt(column: Column, row: number): boolean {
  return column.kind !== 'array' && column.kind !== 'tuple' && column.nulls?.[row] === 1;
}

export function columnLength(column: Column): number {
  if (column.kind === 'array') return column.offsets.length - 1;
  if (column.kind === 'tuple') return column.length;
  return column.values.length;
}
