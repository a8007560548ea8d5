// The dictionary's share of an insert: every distinct staged id encoded against one snapshot, and
// the new ones as segments, in code order, one per group.

import type { SegmentEntry } from '../../catalog/entry.ts';
import type { DictionaryId } from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { writeSegment } from '../../storage-format/segment-writer.ts';
import { DataObjects } from '../dictionary/data-objects.ts';
import { DictionaryReader } from '../dictionary/dictionary-reader.ts';
import { dictionaryRef } from '../dictionary/dictionary-ref.ts';
import { selectKeys } from '../dictionary/key-selection.ts';
import type { QueryContext } from '../query-context.ts';
import { type EncodedKeys, numberNewKeys } from './encode-keys.ts';
import type { InsertUpload } from './insert-upload.ts';
import type { StagedRows } from './row-stage.ts';

/** Gives the segment's entry; to be called after the upload is finished. */
type PendingSegment = () => Omit<SegmentEntry, 'first'>;

/** Reads what it must of the dictionaries; writes nothing. */
export async function encodeStagedKeys(
  staged: StagedRows,
  snapshot: Snapshot,
  context: QueryContext,
): Promise<ReadonlyMap<DictionaryId, EncodedKeys>> {
  const encoded = new Map<DictionaryId, EncodedKeys>();
  const data = new DataObjects(context.store, snapshot.namespace, context.signal);
  const reader = new DictionaryReader(data, context.dictionaryCaches);
  for (const [id, keys] of staged.keys) {
    const ref = await dictionaryRef(snapshot, id);
    const found = await reader.encode(keys, ref);
    const dictionary = snapshot.dictionaries.get(id);
    if (dictionary === undefined) throw new Error(`dictionary ${id} is not in the snapshot`);
    encoded.set(id, numberNewKeys(dictionary, found, ref.nextCodes));
  }
  return encoded;
}

/** Writes the new keys' segments into the upload's shared object. */
export async function packSegments(
  staged: StagedRows,
  encoded: ReadonlyMap<DictionaryId, EncodedKeys>,
  upload: InsertUpload,
): Promise<readonly PendingSegment[]> {
  const pending: PendingSegment[] = [];
  for (const [dictionary, keys] of staged.keys) {
    for (const { group, base, ordinals } of encoded.get(dictionary)?.fresh ?? []) {
      const fresh = selectKeys(keys, Uint32Array.from(ordinals));
      const { bytes, checksum, index: within, hashMin, hashMax } = writeSegment(fresh);
      const { object, offset } = await upload.pack(bytes);
      const index = { start: offset + within.start, end: offset + within.end };
      const place = { object, offset, bytes: bytes.length, checksum, index };
      pending.push(() => ({
        dictionary,
        group,
        base,
        count: fresh.values.length,
        place: upload.place({ ...place, groupFirst: group, groupCount: 1 }),
        hashMin,
        hashMax,
      }));
    }
  }
  return pending;
}
