// The dictionary's share of an insert: every distinct staged id encoded against one snapshot, and
// the new ones as segments, in code order, one per group.

import type { SegmentEntry } from '../../catalog/entry.ts';
import type { DictionaryId } from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { writeSegmentInSteps } from '../../storage-format/segment-writer.ts';
import { DataObjects } from '../dictionary/data-objects.ts';
import { DictionaryReader, type FreshKeys } from '../dictionary/dictionary-reader.ts';
import { dictionaryRef } from '../dictionary/dictionary-ref.ts';
import type { QueryContext } from '../query-context.ts';
import { encodedKeys, type EncodedKeys } from './encode-keys.ts';
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
    const numbered = await reader.number(keys, found, ref);
    encoded.set(id, encodedKeys(dictionary, found, numbered));
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

/** Writes the new keys' segments into the upload's shared object, in steps: others get their turn. */
export async function packSegments(
  all: readonly EncodedRows[],
  upload: InsertUpload,
  { clock }: QueryContext,
): Promise<readonly PendingSegment[]> {
  const pending: PendingSegment[] = [];
  for (const { encoded } of all) {
    for (const [dictionary, { fresh }] of encoded) {
      for (const keys of fresh) {
        const written = await writeSegmentInSteps(
          keys.keys,
          async () => await clock.sleep(0),
          keys.pages,
        );
        // A second attempt would make them anew.
        keys.pages?.close();
        pending.push(await packSegment(written, { dictionary, keys, upload }));
      }
    }
  }
  return pending;
}

async function packSegment(
  written: Awaited<ReturnType<typeof writeSegmentInSteps>>,
  to: {
    readonly dictionary: DictionaryId;
    readonly keys: FreshKeys;
    readonly upload: InsertUpload;
  },
): Promise<PendingSegment> {
  const { dictionary, keys, upload } = to;
  const { bytes, checksum, index: within, count, hashMin, hashMax } = written;
  const { object, offset } = await upload.pack(bytes);
  const index = { start: offset + within.start, end: offset + within.end };
  const place = { object, offset, bytes: bytes.length, checksum, index };
  return () => ({
    dictionary,
    group: keys.group,
    base: keys.base,
    count,
    place: upload.place({ ...place, groupFirst: keys.group, groupCount: 1 }),
    hashMin,
    hashMax,
  });
}
