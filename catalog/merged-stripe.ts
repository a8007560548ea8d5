// The check of a stripe that takes the place of others (SPEC.md, "Check"). Pure, and from the head alone:
// what was committed since the inputs were seen is in the tail, or the merge is proposed again. The
// merged stripe inherits its inputs' range of sequence, so that drops go on to mean what they meant.

import { assert } from '../base/assert.ts';
import type { CatalogState } from './catalog-state.ts';
import { checkedStripe } from './checked-stripe.ts';
import type { Change } from './commit.ts';
import { type CommitRecord, tableRangesTaken } from './commit-record.ts';
import type { MergedStripe, Sequence } from './entry.ts';
import { rangeHolds, sortKeyOf } from './row.ts';

type MergeStripes = Extract<Change, { kind: 'merge-stripes' }>;

/**
 * Invariant C11: the inputs of a merged stripe are live stripes of the replaced head. They were so at
 * `readAt`; nothing committed since may have taken one. Why it is not so, if not.
 */
export function stripeMergeMisfit(
  batch: { readonly state: CatalogState; readonly record: CommitRecord },
  { stripe, inputs, readAt }: MergeStripes,
): string | undefined {
  const { head } = batch.state;
  checkInputs(stripe, inputs);
  if (head.foldedThrough > readAt) return `stripes may have been taken since version ${readAt}`;
  const since = head.tail.filter(({ record }) => record.version > readAt);
  const keys = inputs.map((value) => sortKeyOf({ space: 'stripe', value }));
  const takes = (record: CommitRecord): boolean =>
    tableRangesTaken(record).some((range) => keys.some((key) => rangeHolds(range, key))) ||
    record.mergedStripes.some(
      (other) =>
        other.stripe.table === stripe.table &&
        other.stripe.partition === stripe.partition &&
        other.taken.some((name) => inputs.some(({ first }) => isSame(first, name.first))),
    );
  const taken = takes(batch.record) || since.some(({ record }) => takes(record));
  return taken ? `stripes of it were taken since version ${readAt}` : undefined;
}

export function mergedStripe({ stripe, inputs }: MergeStripes): MergedStripe {
  const { first } = inputs[0]!;
  const { last } = inputs.at(-1)!;
  return {
    stripe: { ...checkedStripe(stripe), first, last },
    taken: inputs.map(({ keyMin, first: sequence }) => ({ keyMin, first: sequence })),
  };
}

function checkInputs(stripe: MergeStripes['stripe'], inputs: MergeStripes['inputs']): void {
  assert(inputs.length > 0, 'a merged stripe has inputs');
  inputs.forEach(({ table, partition, first, schemaVersion }, i) => {
    assert(
      table === stripe.table && partition === stripe.partition,
      'the inputs of a merge are of its partition',
    );
    assert(schemaVersion === stripe.schemaVersion, 'the inputs of a merge are of its schema');
    const before = inputs[i - 1]?.last;
    assert(before === undefined || isBefore(before, first), 'inputs are in order of sequence');
  });
}

function isSame(a: Sequence, b: Sequence): boolean {
  return a.version === b.version && a.ordinal === b.ordinal;
}

function isBefore(a: Sequence, b: Sequence): boolean {
  return a.version < b.version || (a.version === b.version && a.ordinal < b.ordinal);
}
