// How many stripes of a scan one dispatch asks the workers for, so that memory stays bounded however
// large the table is.

import type { StripeEntry } from '../../catalog/entry.ts';

/** What one dispatch reads at most, unless a single stripe is larger. */
export const portionRowsMax = 1024 * 1024;
const portionBytesMax = 64 * 1024 * 1024;
const portionStripesMax = 1024;

/** Stripes from position `at` on. */
export function portionOf(
  stripes: readonly StripeEntry[],
  at: number,
  rowsMax: number = portionRowsMax,
): readonly StripeEntry[] {
  const portion: StripeEntry[] = [];
  let rows = 0;
  let bytes = 0;
  for (let i = at; portion.length < portionStripesMax; i++) {
    const stripe = stripes[i];
    if (stripe === undefined) break;
    rows += stripe.rows;
    bytes += stripe.groupBytes.reduce((sum, one) => sum + one, 0);
    const isFull = rows > rowsMax || bytes > portionBytesMax;
    if (isFull && portion.length > 0) break;
    portion.push(stripe);
  }
  return portion;
}
