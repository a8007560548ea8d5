// The checking constructor of stripes that enter the catalog: what no reader could make sense of is
// a bug of the writer; what is merely long is cut (SPEC.md, "Bounds").

import { assert } from '../base/assert.ts';
import { MusterError } from '../base/errors.ts';
import type { NewStripe } from './entry.ts';
import { boundCharsMax, partitionCharsMax } from './limits.ts';

/** The stripe with bounds that fit a page. BAD_ARGUMENTS where its partition is vast. */
export function checkedStripe(stripe: NewStripe): NewStripe {
  const { partition, keyMin, keyMax, parts, zones, groupBytes, groupCardinality, rows } = stripe;
  assert(parts.length > 0 && rows >= 0, `stripe of ${parts.length} parts and ${rows} rows`);
  assert(groupBytes.length > 0, 'a stripe has a group');
  assert(groupBytes.length === groupCardinality.length, 'bytes and cardinality of each group');
  assert(keyMin <= keyMax, `key bounds ${JSON.stringify([keyMin, keyMax])} are in order`);
  if (partition.length > partitionCharsMax) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      `a partition's value of ${partition.length} bytes is longer than ${partitionCharsMax}`,
    );
  }
  return {
    ...stripe,
    keyMin: cutMin(keyMin),
    keyMax: cutMax(keyMax),
    zones: zones.map((zone) => ({ ...zone, min: cutMin(zone.min), max: cutMax(zone.max) })),
  };
}

/** A prefix is a lower bound. */
function cutMin(bound: string): string {
  return bound.slice(0, boundCharsMax);
}

/** A prefix whose last byte below 255 is raised is an upper bound; where there is none, all of it. */
function cutMax(bound: string): string {
  if (bound.length <= boundCharsMax) return bound;
  for (let end = boundCharsMax; end > 0; end--) {
    const last = bound.charCodeAt(end - 1);
    if (last < 255) return bound.slice(0, end - 1) + String.fromCharCode(last + 1);
  }
  return bound;
}
