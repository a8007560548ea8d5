// The dictionary's share of an insert: every staged id encoded against one snapshot, and the new ones
// as segments, in code order, one per group. A segment is written as soon as its group is numbered, and
// what that took is free again.

import { defined } from '../../base/assert.ts';
import type { DictionaryId, DictionarySchema } from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { KeyList } from '../../storage-format/key-list.ts';
import { writeSegmentInPieces } from '../../storage-format/segment-writer.ts';
import type { DictionaryRef } from '../batch/batch.ts';
import { DataObjects } from '../dictionary/data-objects.ts';
import {
  DictionaryReader,
  type FoundKeys,
  type FreshKeys,
  type NewCodes,
} from '../dictionary/dictionary-reader.ts';
import { dictionaryRef } from '../dictionary/dictionary-ref.ts';
import type { QueryContext } from '../query-context.ts';
import { checkRoom, type EncodedKeys, spansOf } from './encode-keys.ts';
import type { GroupStarts } from './grouped-keys.ts';
import { type InsertUpload, packSegment, type PendingSegment } from './insert-upload.ts';
import { encodeAgain } from './known-keys.ts';
import type { PlacedRows } from './place-rows.ts';

/** The rows of one group, or all, with the codes of their ids. */
export interface EncodedRows {
  readonly rows: PlacedRows;
  readonly encoded: ReadonlyMap<DictionaryId, EncodedKeys>;
}

interface Encoding {
  readonly all: readonly EncodedRows[];
  /** Of what is new. */
  readonly segments: readonly PendingSegment[];
}

interface EncodingOptions {
  readonly snapshot: Snapshot;
  readonly context: Pick<QueryContext, 'store' | 'clock' | 'dictionaryCaches' | 'signal'>;
  /** Takes the segments of new ids; untouched where there are none. */
  readonly upload: InsertUpload;
  /** Tests set it lower. */
  readonly roundKeys?: number;
}

/**
 * Group by group where rows are placed. Throws BAD_ARGUMENTS when a group would give out more than
 * 2^32 codes.
 */
export async function encodePlacedRows(
  placed: readonly PlacedRows[],
  options: EncodingOptions,
): Promise<Encoding> {
  const encoder = new Encoder(options);
  const all: EncodedRows[] = [];
  for (const rows of placed) all.push({ rows, encoded: await encoder.encode(rows) });
  return { all, segments: encoder.segments };
}

/** Keys that are encoded at once are those of groups with so many at most, or of one group. */
const roundKeysMax = 2_097_152;

class Encoder {
  readonly #options: EncodingOptions;
  readonly #reader: DictionaryReader;
  readonly segments: PendingSegment[] = [];

  constructor(options: EncodingOptions) {
    const { context, snapshot } = options;
    const data = new DataObjects(context.store, snapshot.namespace, context.signal);
    this.#options = options;
    this.#reader = new DictionaryReader(data, context.dictionaryCaches);
  }

  async encode(rows: PlacedRows): Promise<ReadonlyMap<DictionaryId, EncodedKeys>> {
    const { snapshot } = this.#options;
    const encoded = new Map<DictionaryId, EncodedKeys>();
    for (const [id, keys] of rows.keys) {
      const schema = defined(snapshot.dictionaries.get(id), `dictionary ${id}`);
      const to = { schema, ref: await dictionaryRef(snapshot, id) };
      const starts = rows.groupStarts?.get(id);
      encoded.set(
        id,
        starts === undefined
          ? await this.#atOnce(keys, to, rows.group)
          : await this.#inRounds(keys, to, starts),
      );
    }
    return encoded;
  }

  async #atOnce(keys: KeyList, to: Target, group: number | undefined): Promise<EncodedKeys> {
    const { namespace } = this.#options.snapshot;
    const { schema, ref } = to;
    const found = isNew(ref)
      ? undefined
      : await encodeAgain(keys, { reader: this.#reader, ref, namespace, group });
    const { codes, groups, fresh } = await this.#number(keys, found, to);
    const all = { groupCount: schema.groups, groups, codes };
    const isAllNew = found === undefined || !found.known.includes(1);
    return isAllNew ? { ...all, spans: spansOf(fresh, schema.groups) } : all;
  }

  async #inRounds(keys: KeyList, to: Target, starts: GroupStarts): Promise<EncodedKeys> {
    const { groups: groupCount } = to.schema;
    const { roundKeys = roundKeysMax } = this.#options;
    const codes = new Uint32Array(keys.values.length);
    const groups = new Uint16Array(keys.values.length);
    const fresh: Pick<FreshKeys, 'group' | 'base' | 'count'>[] = [];
    let isAllNew = true;
    for (let first = 0, end = 0; first < groupCount; first = end) {
      while (
        end < groupCount &&
        (end === first || starts[end + 1]! - starts[first]! <= roundKeys)
      ) {
        groups.fill(end, starts[end], starts[end + 1]);
        end++;
      }
      const [from, upTo] = [starts[first]!, starts[end]!];
      if (from === upTo) continue;
      const some: KeyList =
        keys.domain === 'integer'
          ? { domain: 'integer', values: keys.values.subarray(from, upTo) }
          : { domain: keys.domain, values: keys.values.slice(from, upTo) };
      const found = await this.#find(some, groups.subarray(from, upTo), to.ref);
      isAllNew &&= !found.known.includes(1);
      const numbered = await this.#number(some, found, to);
      codes.set(numbered.codes, from);
      // Not their keys: these may go.
      for (const { group, base, count } of numbered.fresh) fresh.push({ group, base, count });
    }
    const all = { groupCount, groups, codes };
    return isAllNew ? { ...all, spans: spansOf(fresh, groupCount) } : all;
  }

  /** Of a new dictionary nothing is known, and where keys belong is known already. */
  async #find(keys: KeyList, groups: Uint16Array, ref: DictionaryRef): Promise<FoundKeys> {
    const count = groups.length;
    if (ref.segments.length === 0) {
      return { codes: new Uint32Array(count), known: new Uint8Array(count), groups };
    }
    const [first, last] = [groups[0]!, groups[count - 1]!];
    return await this.#reader.encode(keys, ref, first === last ? { group: first } : {});
  }

  /** Codes of all; what is new becomes segments. */
  async #number(keys: KeyList, found: FoundKeys | undefined, to: Target): Promise<NewCodes> {
    const numbered = await this.#reader.number(keys, found, to.ref);
    for (const of of numbered.fresh) checkRoom(to.schema, of);
    for (const of of numbered.fresh) this.segments.push(await this.#pack(of, to.schema.id));
    return numbered;
  }

  /** In steps: others get their turn. */
  async #pack(fresh: FreshKeys, dictionary: DictionaryId): Promise<PendingSegment> {
    const { context, upload } = this.#options;
    const pause = () => context.clock.sleep(0);
    const { group, base, keys, pages } = fresh;
    const written = await writeSegmentInPieces(keys, pause, pages);
    // Keys and pages are pieces of it. A second attempt would make them anew.
    const target = { dictionary, group, base, free: () => fresh.close() };
    return await packSegment(written, target, upload);
  }
}

/** Nobody has an id, and where each belongs follows from its hash. */
function isNew({ segments, byColumns }: DictionaryRef): boolean {
  return segments.length === 0 && byColumns !== true;
}

interface Target {
  readonly schema: DictionarySchema;
  readonly ref: DictionaryRef;
}
