// Which slice reads which stripes of a fragment: runs of neighbours, shared out by their rows. The
// store is shared, so a placement is only a view; what counts is that each stripe belongs to exactly
// one slice, and that slices in their order give rows in the order of the scan.

import { assert } from '../../base/assert.ts';
import type { Batch, Slice, StripeRef } from './batch.ts';

/** The place of one slice among all that a batch goes to. */
interface Share {
  readonly number: number;
  readonly total: number;
}

export interface SharedStripe {
  readonly stripe: StripeRef;
  /** Number of its first row in the source. */
  readonly rowBase: number;
}

export function shareOf(batch: Batch, slice: Slice): Share {
  const { slices = [] } = batch;
  const number = slices.findIndex(
    ({ group, codes }) => group === slice.group && codes.start === slice.codes.start,
  );
  assert(number >= 0, 'a slice that reads rows is one that the batch goes to');
  return { number, total: slices.length };
}

export function stripesOf(stripes: readonly StripeRef[], share: Share): readonly SharedStripe[] {
  const rows = stripes.reduce((sum, stripe) => sum + stripe.rows, 0);
  const own: SharedStripe[] = [];
  let rowBase = 0;
  for (const stripe of stripes) {
    const owner = Math.min(Math.floor((rowBase * share.total) / rows), share.total - 1);
    if (owner === share.number) own.push({ stripe, rowBase });
    rowBase += stripe.rows;
  }
  return own;
}
