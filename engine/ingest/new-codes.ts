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
import { encodeAgain } from './known-keys.ts';
import type { PlacedRows } from './place-rows.ts';

/** Gives the segment's entry; to be called after the upload is finished. */
type PendingSegment = () => Omit<SegmentEntry, 'first'>;

/** Reads what it must of the dictionaries; writes nothing. */
async function encodeStagedKeys(
  staged: PlacedRows,
  snapshot: Snapshot,
  context: QueryContext,
): Promise<ReadonlyMap<DictionaryId, EncodedKeys>> {
  const encoded = new Map<DictionaryId, EncodedKeys>();
  const data = new DataObjects(context.store, snapshot.namespace, context.signal);
  const reader = new DictionaryReader(data, context.dictionaryCaches);
  for (const [id, keys] of staged.keys) {
    const ref = await dictionaryRef(snapshot, id);
    const { group } = staged;
    const { namespace } = snapshot;
    const found = await encodeAgain(keys, { reader, ref, namespace, group });
    const dictionary = snapshot.dictionaries.get(id);
    if (dictionary === undefined) throw new Error(`dictionary ${id} is not in the snapshot`);
    encoded.set(id, numberNewKeys(dictionary, found, ref.nextCodes));
  }
  return encoded;
}

/** The rows of one group, or all, with the codes of their ids. */
export interface EncodedRows {
  readonly rows: PlacedRows;
  readonly encoded: ReadonlyMap<DictionaryId, EncodedKeys>;
}

/** As `encodeStagedKeys`, group by group where rows are placed. */
export async function encodePlacedRows(
  placed: readonly PlacedRows[],
  snapshot: Snapshot,
  context: QueryContext,
): Promise<readonly EncodedRows[]> {
  const all: EncodedRows[] = [];
  for (const rows of placed) {
    all.push({ rows, encoded: await encodeStagedKeys(rows, snapshot, context) });
  }
  return all;
}

export function hasNewCodes(rows: readonly EncodedRows[]): boolean {
  return rows.some(({ encoded }) => [...encoded.values()].some((keys) => keys.fresh.length > 0));
}

/** Writes the new keys' segments into the upload's shared object. */
export async function packSegments(
  all: readonly EncodedRows[],
  upload: InsertUpload,
): Promise<readonly PendingSegment[]> {
  const pending: PendingSegment[] = [];
  for (const one of all) await packRows(one, upload, pending);
  return pending;
}

async function packRows(
  { rows, encoded }: EncodedRows,
  upload: InsertUpload,
  pending: PendingSegment[],
): Promise<void> {
  for (const [dictionary, keys] of rows.keys) {
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
}
