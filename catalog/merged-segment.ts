// The check of a segment that takes the place of others (SPEC.md, "Check"). Pure, and from the head alone:
// what was committed since the inputs were seen is in the tail, or the merge is proposed again.

import { assert } from '../base/assert.ts';
import type { CatalogState } from './catalog-state.ts';
import type { Change } from './commit.ts';
import type { CommitRecord } from './commit-record.ts';

/**
 * Invariant C10: a merged segment has the codes of whole segments of the replaced head. They were so at
 * `readAt`; what was committed since may only have added segments above them. Why it is not so, if not.
 */
export function mergeMisfit(
  batch: { readonly state: CatalogState; readonly record: CommitRecord },
  { segment, readAt }: Extract<Change, { kind: 'merge-segments' }>,
): string | undefined {
  const { head, contents } = batch.state;
  const { dictionary, group, base, count } = segment;
  const next = contents.nextCodes.get(dictionary)?.[group];
  if (next === undefined) return `there is no dictionary ${dictionary}`;
  assert(base + count <= next, `a merge of codes up to ${base + count} of ${next}`);
  if (head.foldedThrough > readAt) return `segments may have been merged since version ${readAt}`;
  const since = head.tail.filter(({ record }) => record.version > readAt);
  const clash = [...since.map(({ record }) => record), batch.record].some(({ mergedSegments }) =>
    mergedSegments.some(
      (other) =>
        other.dictionary === dictionary &&
        other.group === group &&
        other.base < base + count &&
        base < other.base + other.count,
    ),
  );
  return clash ? `segments of group ${group} were merged since version ${readAt}` : undefined;
}
