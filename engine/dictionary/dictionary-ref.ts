// What a snapshot pins of a dictionary, in the form that batches carry and the reader takes.

import { defined } from '../../base/assert.ts';
import type { DictionaryId } from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { DictionaryRef } from '../batch/batch.ts';

/** Cost: the catalog pages that hold the segments' entries, where they aren't cached. */
export async function dictionaryRef(snapshot: Snapshot, id: DictionaryId): Promise<DictionaryRef> {
  const schema = defined(snapshot.dictionaries.get(id), `dictionary ${id} of the snapshot`);
  const segments = await snapshot.segments(id);
  const next = snapshot.nextCodes(id);
  return {
    dictionary: id,
    domain: schema.domain,
    groups: schema.groups,
    ...(schema.groupBy.rule === 'columns' ? { byColumns: true as const } : {}),
    nextCodes: Array.from({ length: schema.groups }, (_, group) => next[group] ?? 0),
    segments: segments.map(({ group, base, count, place, hashMin, hashMax }) => ({
      group,
      base,
      count,
      place,
      hashMin,
      hashMax,
    })),
  };
}
