// Merging dictionary segments: keys of contiguous ones, one after the other, under the first one's base.
// No code changes, so nothing else does. Inputs stay where they are for snapshots that pin them, until a
// sweep. A merge that dies has left an object that nothing refers to; of two that race one wins, and the
// other has nothing left to do.

import type { Clock } from '../../base/clock.ts';
import type { Change, CommitRequest } from '../../catalog/commit.ts';
import type { SegmentEntry } from '../../catalog/entry.ts';
import type { Catalog } from '../../catalog/port.ts';
import type { DictionaryId } from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { ObjectStore } from '../../object-store/port.ts';
import type { KeyDomain } from '../../storage-format/key-list.ts';
import { writeSegmentInPieces } from '../../storage-format/segment-writer.ts';
import { InsertUpload, packSegment, type PendingSegment } from '../ingest/insert-upload.ts';
import { DataObjects } from './data-objects.ts';
import { type MergeInputs, planMerges } from './merge-plan.ts';
import { readKeys } from './stored-keys.ts';

export interface MergePorts {
  readonly store: ObjectStore;
  readonly catalog: Catalog;
  readonly clock: Clock;
}

type MergedSegment = ReturnType<PendingSegment>;

/**
 * One round of merges of one database, in one commit; says whether it merged anything. Cost: a read of
 * each input (of large ones several), one object for all that is below 8 MB, and a head.
 */
export async function mergeSegmentsOf(database: string, ports: MergePorts): Promise<boolean> {
  const { catalog, store, clock } = ports;
  const snapshot = await catalog.snapshot(database);
  const upload = new InsertUpload({ store, clock, namespace: snapshot.namespace });
  const merges: { readonly inputs: MergeInputs; readonly finish: PendingSegment }[] = [];
  for (const [id, { domain }] of snapshot.dictionaries) {
    for (const inputs of planMerges(await snapshot.segments(id))) {
      const data = new DataObjects(store, snapshot.namespace);
      merges.push({ inputs, finish: await merge(inputs, domain, { data, upload, clock }) });
    }
  }
  if (merges.length === 0) return false;
  await upload.finish();
  const merged = merges.map(({ inputs, finish }) => ({ inputs, segment: finish() }));
  await catalog.commit(database, commitOf(merged, snapshot, upload.uploadedAfter));
  return true;
}

function commitOf(
  merged: readonly { readonly inputs: MergeInputs; readonly segment: MergedSegment }[],
  made: Snapshot,
  uploadedAfter: number | undefined,
): CommitRequest {
  return {
    propose: async (snapshot) => {
      if (snapshot.namespace !== made.namespace) return undefined;
      const changes: Change[] = [];
      for (const { inputs, segment } of merged) {
        if (!(await areLive(inputs, snapshot, segment.dictionary))) continue;
        changes.push({ kind: 'merge-segments', segment, readAt: snapshot.version });
      }
      if (changes.length === 0) return undefined;
      return uploadedAfter === undefined ? { changes } : { changes, uploadedAfter };
    },
  };
}

async function areLive(
  inputs: MergeInputs,
  snapshot: Snapshot,
  dictionary: DictionaryId,
): Promise<boolean> {
  const live = await snapshot.segments(dictionary);
  return inputs.every(({ group, base, count, place }) =>
    live.some(
      (segment) =>
        segment.group === group &&
        segment.base === base &&
        segment.count === count &&
        segment.place.object === place.object &&
        segment.place.offset === place.offset,
    ),
  );
}

interface MergeParts {
  readonly data: DataObjects;
  readonly upload: InsertUpload;
  readonly clock: Clock;
}

/** Gives the entry; to be called after the upload is finished. */
async function merge(
  inputs: MergeInputs,
  domain: KeyDomain,
  { data, upload, clock }: MergeParts,
): Promise<PendingSegment> {
  const keys = await readKeys(inputs, domain, { data, clock });
  const written = await writeSegmentInPieces(keys, () => clock.sleep(0));
  const { dictionary, group, base } = inputs[0] as SegmentEntry;
  return await packSegment(written, { dictionary, group, base }, upload);
}
