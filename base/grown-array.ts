// Typed arrays that grow as values come: doubled, so that n values cost O(n) copies in all.

type GrowingArray =
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

/** At least `length` values: the same ones, and zeros behind them. `values` itself if long enough. */
export function grownArray<T extends GrowingArray>(values: T, length: number): T {
  if (length <= values.length) return values;
  const make = values.constructor as new (length: number) => T;
  const grown = new make(Math.max(2 * values.length, length, 16));
  grown.set(values as never);
  return grown;
}
