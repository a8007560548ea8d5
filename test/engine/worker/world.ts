// A small world to ask questions of: sets of ids, written as real dictionary segments and real stripes
// into a memory store, in any layout. The same sets are kept as JavaScript Sets for the naive twin.

import type { PartPlace } from '../../../catalog/entry.ts';
import { dataKey, dataName } from '../../../catalog/keys.ts';
import type { NamespaceId } from '../../../catalog/schema.ts';
import {
  type Ask,
  type Batch,
  batchFormat,
  type DictionaryRef,
  type SegmentRef,
  type SetColumn,
  type StripeRef,
  type StripeSource,
} from '../../../engine/batch/batch.ts';
import { groupsOfHashes } from '../../../engine/dictionary/key-groups.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';
import type { ObjectStore } from '../../../object-store/port.ts';
import { setFromUnsorted } from '../../../storage-format/bitmap.ts';
import { hashKeys, type KeyList } from '../../../storage-format/key-list.ts';
import { SetList } from '../../../storage-format/set-vector.ts';
import { writeSegment } from '../../../storage-format/segment-writer.ts';
import { type PartWriter, writeStripe } from '../../../storage-format/stripe-writer.ts';
import type { Id, NaiveSource } from './naive-sets.ts';

export const columnId = 7;
export const namespace = 5 as NamespaceId;
export const scalarId = 8;

interface WorldSettings {
  readonly domain: 'integer' | 'string';
  readonly groups: number;
  /** Ids in order of arrival, in the commits that brought them: each makes its segments. */
  readonly commits: readonly (readonly Id[])[];
  /** Each source: its stripes, each with its rows' sets. */
  readonly sources: readonly (readonly (readonly ReadonlySet<Id>[])[])[];
}

export interface World {
  readonly store: ObjectStore;
  readonly dictionary: DictionaryRef;
  readonly sources: readonly StripeSource[];
  readonly naive: readonly NaiveSource[];
}

export async function makeWorld(
  settings: WorldSettings,
  store: ObjectStore = new MemoryStore(),
): Promise<World> {
  const coded = new Codes(settings);
  const segments: SegmentRef[] = [];
  for (const ids of settings.commits) segments.push(...(await writeSegments(store, coded, ids)));
  const dictionary: DictionaryRef = {
    dictionary: 1,
    domain: settings.domain,
    groups: settings.groups,
    nextCodes: coded.next,
    segments,
  };
  const sources: StripeSource[] = [];
  for (const stripes of settings.sources) {
    const refs: StripeRef[] = [];
    for (const rows of stripes) refs.push(await writeRows(store, coded, rows));
    sources.push({ groups: settings.groups, stripes: refs });
  }
  const naive = settings.sources.map((stripes) => new Map([[columnId, stripes.flat()]]));
  return { store, dictionary, sources, naive };
}

export function batchOver(world: World, sets: readonly SetColumn[], asks: readonly Ask[]): Batch {
  return {
    format: batchFormat,
    namespace,
    queryId: 'test',
    deadline: Number.MAX_SAFE_INTEGER,
    sources: world.sources,
    dictionaries: [world.dictionary],
    sets,
    fragments: [],
    asks,
  };
}

export function keyList(domain: 'integer' | 'string', ids: readonly Id[]): KeyList {
  return domain === 'string'
    ? { domain, values: ids.map(String) }
    : { domain, values: BigUint64Array.from(ids, BigInt) };
}

/** Group and code of every id, as commits would give them out. */
class Codes {
  readonly settings: WorldSettings;
  readonly next: number[];
  readonly #places = new Map<Id, { readonly group: number; readonly code: number }>();

  constructor(settings: WorldSettings) {
    this.settings = settings;
    this.next = Array.from({ length: settings.groups }, () => 0);
  }

  /** New ids of a commit, per group in code order. */
  add(ids: readonly Id[]): readonly Id[][] {
    const { groups, domain } = this.settings;
    const groupOf = groupsOfHashes(hashKeys(keyList(domain, ids)), groups);
    const fresh: Id[][] = Array.from({ length: groups }, () => []);
    ids.forEach((id, i) => {
      if (this.#places.has(id)) return;
      const group = groupOf[i] ?? 0;
      const code = this.next[group] ?? 0;
      this.#places.set(id, { group, code });
      this.next[group] = code + 1;
      fresh[group]?.push(id);
    });
    return fresh;
  }

  codesOf(set: ReadonlySet<Id>, group: number): Uint32Array {
    const places = Array.from(set, (id) => this.#places.get(id));
    if (places.includes(undefined)) throw new Error('stored ids are in the dictionary');
    return Uint32Array.from(places.flatMap((p) => (p?.group === group ? [p.code] : [])));
  }
}

async function writeSegments(
  store: ObjectStore,
  codes: Codes,
  ids: readonly Id[],
): Promise<readonly SegmentRef[]> {
  const before = [...codes.next];
  const refs: SegmentRef[] = [];
  for (const [group, fresh] of codes.add(ids).entries()) {
    if (fresh.length === 0) continue;
    const written = writeSegment(keyList(codes.settings.domain, fresh));
    const { bytes, checksum, index, hashMin, hashMax } = written;
    const place = {
      ...(await upload(store, bytes)),
      checksum,
      index,
      groupFirst: group,
      groupCount: 1,
    };
    refs.push({ group, base: before[group] ?? 0, count: fresh.length, place, hashMin, hashMax });
  }
  return refs;
}

async function writeRows(
  store: ObjectStore,
  codes: Codes,
  rows: readonly ReadonlySet<Id>[],
): Promise<StripeRef> {
  const { groups, domain } = codes.settings;
  const slices = Array.from(
    { length: groups },
    (_, group) => new SetList(rows.map((set) => setFromUnsorted(codes.codesOf(set, group)))),
  );
  const id = { kind: domain === 'string' ? 'String' : 'UInt64' } as const;
  const written = await writeStripe(
    {
      columns: [
        { id: scalarId, name: 'n', type: { kind: 'UInt32' } },
        { id: columnId, name: 'users', type: { kind: 'Bitmap', id } },
      ],
      keyColumns: [scalarId],
      rows: rows.length,
      scalars: new Map([
        [scalarId, { kind: 'number', values: Uint32Array.from(rows, (_, r) => r) }],
      ]),
      sets: new Map([[columnId, slices]]),
      groups,
    },
    {
      packed: (part) => upload(store, part),
      object: (group) => objectWriter(store, group),
    },
  );
  const parts = written.parts.map(
    ({ groups: [groupFirst, groupCount], ...part }): PartPlace => ({
      ...part,
      objectBytes: part.offset + part.bytes,
      groupFirst,
      groupCount,
      shared: false,
    }),
  );
  return { shape: written.shape, rows: rows.length, parts };
}

let objects = 0;

function freshName(group?: number): string {
  return dataName((objects++).toString(16).padStart(32, '0'), group);
}

async function upload(store: ObjectStore, bytes: Uint8Array) {
  const object = freshName();
  await store.put(dataKey(namespace, object), bytes);
  return { object, offset: 0, bytes: bytes.length, objectBytes: bytes.length, shared: false };
}

async function objectWriter(store: ObjectStore, group: number): Promise<PartWriter> {
  const object = freshName(group);
  const writer = await store.writer(dataKey(namespace, object));
  return {
    object,
    write: (bytes) => writer.write(bytes),
    finish: () => writer.finish(),
  };
}
