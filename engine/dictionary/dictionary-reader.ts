// The read side of dictionaries: ids to codes and back, as one snapshot pins them (DictionaryRef).
// Reads never write: an id that the snapshot doesn't know is reported as unknown.
//
// A few ids are looked up in place: one small read of each segment of their group, all side by side (one
// more for a string that is found). Segments whose reads in place would have paid for all of them by
// now are loaded whole and probed as they lie, many ids at once.

import { availableParallelism } from 'node:os';
import { assert } from '../../base/assert.ts';
import { ByteLru } from '../../base/lru.ts';
import { hashKeys, type KeyList, noKeys } from '../../storage-format/key-list.ts';
import type { PreparedPages } from '../../storage-format/segment-pages.ts';
import type { SegmentKeys } from '../../storage-format/segment-writer.ts';
import type { DictionaryRef, SegmentRef } from '../batch/batch.ts';
import { BulkTables } from './bulk-tables.ts';
import type { DataObjects } from './data-objects.ts';
import type { KernelSegment } from './kernel-segments.ts';
import { groupsOfHashes } from './key-groups.ts';
import { packedKeys, segmentKeys } from './key-packing.ts';
import { concatKeys, selectHashes, selectKeys } from './key-selection.ts';
import { LoadedSegments } from './loaded-segments.ts';
import { ordinalsOf, type SegmentCaches, SegmentObjects } from './segment-objects.ts';
import { runsBySegment } from './segment-runs.ts';

/** Where known[i] is 1, key i has code codes[i] of group groups[i]; else the group is its hash's. */
export interface FoundKeys {
  readonly codes: Uint32Array;
  readonly known: Uint8Array;
  readonly groups: Uint16Array;
}

/** A code for every key, and what is new of each group, in code order. */
export interface NewCodes {
  readonly codes: Uint32Array;
  readonly groups: Uint16Array;
  readonly fresh: readonly FreshKeys[];
}

export interface FreshKeys {
  readonly group: number;
  readonly base: number;
  readonly count: number;
  readonly keys: SegmentKeys;
  /** The pages of their segment, where they are ready (writeSegment's `prepared`). */
  readonly pages: PreparedPages | undefined;
  /** To be called when keys and pages are not needed any more. */
  close(): void;
}

interface EncodeOptions {
  /**
   * Only keys of this group are looked up; the others stay unknown. All keys are, where the dictionary
   * is grouped by columns: it must be given there.
   */
  readonly group?: number;
}

interface DecodeOptions {
  /** Nobody asks for these again: what is not here is read in place, however much it is. */
  readonly once?: boolean;
}

export type DictionaryCaches = SegmentCaches;

/** Two threads at most: a third one waits for memory. */
const threadsMax = 2;

export function createDictionaryCaches(
  bytesMax: number,
  threads: number = Math.min(threadsMax, availableParallelism()),
): DictionaryCaches {
  const small = Math.floor(bytesMax / 8);
  return {
    loaded: new LoadedSegments(new BulkTables(threads), bytesMax - 2 * small),
    indexes: new ByteLru(small),
    reads: new ByteLru(small),
  };
}

/** What a look-up in place reads for each key: a page. */
const lookupBytes = 4096;
/** And for each code: a run of keys. */
const decodeBytes = 65_536;
/** More keys than this fall to all groups alike. */
const countedKeysMax = 4096;

export class DictionaryReader {
  readonly #caches: DictionaryCaches;
  readonly #segments: SegmentObjects;

  constructor(data: DataObjects, caches: DictionaryCaches) {
    this.#caches = caches;
    this.#segments = new SegmentObjects(data, caches);
  }

  async encode(keys: KeyList, ref: DictionaryRef, options: EncodeOptions = {}): Promise<FoundKeys> {
    const { group } = options;
    assert(ref.byColumns !== true || group !== undefined, 'a group to look ids up in');
    const shares = keysByGroup(keys, ref, group);
    const asked = ref.segments.filter((segment) => (shares[segment.group] ?? 0) > 0);
    const held = asked.filter((segment) => this.#isLoaded(segment));
    const chosen = this.#whatPays(asked, (segment) => lookupBytes * (shares[segment.group] ?? 0));
    const [first = [], ...others] = this.#waves(held, chosen);
    const names = held.map((segment) => this.#segments.name(segment));
    // Those that are here stay while others come: keys are looked up in them at once.
    const found = await this.#caches.loaded.using(names, async () => {
      const loading = this.#load(first, ref);
      // Of few keys all are looked up while segments are loaded: no round waits for another.
      const few = keys.values.length <= countedKeysMax;
      const early = few ? emptyFound(keys) : undefined;
      const inPlace = asked.filter(
        (segment) => !chosen.includes(segment) && !this.#isLoaded(segment),
      );
      await Promise.all([
        loading,
        early && this.#lookUp(keys, ref, { unread: inPlace, found: early }),
      ]);
      const later = new Set(others.flat());
      const now = asked.filter((segment) => !later.has(segment));
      return await this.#find(keys, ref, {
        group,
        segments: now,
        ...(early === undefined ? { done: [] } : { done: inPlace, early }),
      });
    });
    for (const wave of others) await this.#findRest(keys, ref, { group, wave, found });
    return found;
  }

  /**
   * New codes for what `found` doesn't know, from the dictionary's next codes on. Absent: nothing is
   * known, of a dictionary that is grouped by id.
   */
  async number(keys: KeyList, found: FoundKeys | undefined, ref: DictionaryRef): Promise<NewCodes> {
    const { domain, groups, nextCodes } = ref;
    const packed = packedKeys(keys);
    const request = { domain, groups, levels: [], keys: packed, seal: true };
    const { tables } = this.#caches.loaded;
    const { codes, groups: own, fresh } = await tables.number(request, nextCodes, found);
    return {
      codes,
      groups: own,
      fresh: fresh.map((table) => ({ ...table, keys: segmentKeys(keys, packed, table.keys) })),
    };
  }

  async #load(segments: readonly SegmentRef[], { domain }: DictionaryRef): Promise<void> {
    await Promise.all(segments.map((segment) => this.#segments.load(segment, domain)));
  }

  /** Segments that are loaded together; those of a large dictionary don't fit at once. The first are held beside `held`. */
  #waves(
    held: readonly SegmentRef[],
    segments: readonly SegmentRef[],
  ): readonly (readonly SegmentRef[])[] {
    const { bytesMax } = this.#caches.loaded;
    const waves: SegmentRef[][] = [[]];
    let bytes = held.reduce((sum, { place }) => sum + place.bytes, 0);
    for (const segment of segments) {
      bytes += segment.place.bytes;
      if (bytes <= bytesMax) waves.at(-1)?.push(segment);
      else {
        waves.push([segment]);
        bytes = segment.place.bytes;
      }
    }
    return waves;
  }

  /** In those segments that are here at once, then in the others in place. */
  async #find(keys: KeyList, ref: DictionaryRef, where: FindWhere): Promise<FoundKeys> {
    const { group, segments, done, early } = where;
    const names = segments.map((segment) => this.#segments.name(segment));
    return await this.#caches.loaded.using(names, async (here) => {
      const placed = segments.map((segment, i) => ({
        segment,
        loaded: here.get(names[i] as string),
      }));
      const found = await this.#probe(keys, ref, { group, placed });
      if (early !== undefined) takeFound(found, early);
      const unread = segments.filter((segment, i) => {
        return !here.has(names[i] as string) && !done.includes(segment);
      });
      await this.#lookUp(keys, ref, { unread, found });
      return found;
    });
  }

  /** Keys that are still unknown, in segments that are loaded for them. */
  async #findRest(
    keys: KeyList,
    ref: DictionaryRef,
    {
      group,
      wave,
      found,
    }: {
      readonly group: number | undefined;
      readonly wave: readonly SegmentRef[];
      readonly found: FoundKeys;
    },
  ): Promise<void> {
    const open = positionsOf(found.known, (known) => known === 0);
    if (open.length === 0) return;
    await this.#load(wave, ref);
    const rest = open.length === found.known.length ? keys : selectKeys(keys, open);
    const more = await this.#find(rest, ref, { group, segments: wave, done: [] });
    for (let i = 0; i < open.length; i++) {
      if (more.known[i] !== 1) continue;
      found.known[open[i]!] = 1;
      found.codes[open[i]!] = more.codes[i]!;
    }
  }

  /** Keys of codes of one group, all below its next code; `codes` ascending. */
  async decode(
    group: number,
    codes: Uint32Array,
    ref: DictionaryRef,
    { once = false }: DecodeOptions = {},
  ): Promise<KeyList> {
    const { domain } = ref;
    if (codes.length === 0) return noKeys(domain);
    const segments = ref.segments
      .filter((segment) => segment.group === group)
      .sort((a, b) => a.base - b.base);
    const runs = runsBySegment(segments, codes);
    await Promise.all(
      runs.map(async (run) => {
        if (once) return;
        const chosen = this.#whatPays([run.segment], () => decodeBytes * run.codes.length);
        if (chosen.length > 0) await this.#segments.load(run.segment, domain);
      }),
    );
    const names = runs.map((run) => this.#segments.name(run.segment));
    return await this.#caches.loaded.using(names, async (here) => {
      const lists = runs.map(async ({ segment, codes: run }, i) => {
        const loaded = here.get(names[i] as string)?.loaded;
        if (loaded === undefined) return await this.#segments.decode(segment, domain, run);
        return loaded.decode(ordinalsOf(run, segment.base));
      });
      return concatKeys(domain, await Promise.all(lists));
    });
  }

  #isLoaded(segment: SegmentRef): boolean {
    return this.#caches.loaded.has(this.#segments.name(segment));
  }

  /** Segments that should be loaded rather than looked up once more, for so many bytes. */
  #whatPays(
    segments: readonly SegmentRef[],
    bytes: (segment: SegmentRef) => number,
  ): readonly SegmentRef[] {
    const { loaded } = this.#caches;
    return segments.filter((segment) => {
      const name = this.#segments.name(segment);
      return !loaded.has(name) && loaded.rent(name, bytes(segment), segment.place.bytes);
    });
  }

  async #probe(keys: KeyList, ref: DictionaryRef, where: PlacedSegments): Promise<FoundKeys> {
    const { group } = where;
    const fixed = ref.byColumns === true ? (group ?? 0) : undefined;
    const levels = where.placed.flatMap(({ segment, loaded }) =>
      loaded === undefined
        ? []
        : [{ group: fixed === undefined ? segment.group : 0, base: segment.base, segment: loaded }],
    );
    const found = await this.#caches.loaded.tables.probe({
      domain: ref.domain,
      groups: fixed === undefined ? ref.groups : 1,
      levels,
      keys: packedKeys(keys),
    });
    if (fixed !== undefined) found.groups.fill(fixed);
    settleLongKeys(keys, found, where);
    return found;
  }

  /** Segments that are not in memory: keys still unknown, side by side. */
  async #lookUp(
    keys: KeyList,
    ref: DictionaryRef,
    { unread, found }: { readonly unread: readonly SegmentRef[]; readonly found: FoundKeys },
  ): Promise<void> {
    if (unread.length === 0) return;
    const open = positionsOf(found.known, (known) => known === 0);
    const hashes = hashKeys(selectKeys(keys, open));
    const groups = ref.byColumns === true ? undefined : groupsOfHashes(hashes, ref.groups);
    await Promise.all(
      unread.map(async (segment) => {
        const at = positionsOf(hashes.high, (high, i) => {
          const mine = groups === undefined || groups[i] === segment.group;
          return mine && high >= segment.hashMin && high <= segment.hashMax;
        });
        if (at.length === 0) return;
        const positions = at.map((i) => open[i] as number);
        const asked = { keys: selectKeys(keys, positions), hashes: selectHashes(hashes, at) };
        const ordinals = await this.#segments.lookup(segment, ref.domain, asked);
        for (let i = 0; i < at.length; i++) {
          const ordinal = ordinals[i] as number;
          if (ordinal < 0) continue;
          found.codes[positions[i] as number] = segment.base + ordinal;
          found.known[positions[i] as number] = 1;
        }
      }),
    );
  }
}

interface FindWhere {
  readonly group: number | undefined;
  readonly segments: readonly SegmentRef[];
  /** Looked up in place already: what was found is `early`. */
  readonly done: readonly SegmentRef[];
  readonly early?: FoundKeys;
}

/** Nothing is known yet. */
function emptyFound(keys: KeyList): FoundKeys {
  const count = keys.values.length;
  const groups = new Uint16Array(count);
  return { codes: new Uint32Array(count), known: new Uint8Array(count), groups };
}

function takeFound(found: FoundKeys, more: FoundKeys): void {
  for (let i = 0; i < found.known.length; i++) {
    if (more.known[i] !== 1) continue;
    found.known[i] = 1;
    found.codes[i] = more.codes[i] as number;
  }
}

/** How many keys fall to each group: of few counted, of many estimated. */
function keysByGroup(
  keys: KeyList,
  ref: DictionaryRef,
  group: number | undefined,
): readonly number[] {
  const count = keys.values.length;
  const shares = new Array<number>(ref.groups).fill(count / ref.groups);
  if (ref.byColumns === true) return shares.map((_, i) => (i === group ? count : 0));
  if (count <= countedKeysMax) {
    shares.fill(0);
    for (const of of groupsOfHashes(hashKeys(keys), ref.groups)) shares[of] = (shares[of] ?? 0) + 1;
  }
  return group === undefined ? shares : shares.map((share, i) => (i === group ? share : 0));
}

interface PlacedSegments {
  readonly group: number | undefined;
  readonly placed: readonly {
    readonly segment: SegmentRef;
    readonly loaded: KernelSegment | undefined;
  }[];
}

/** Strings of 64 KiB and more: slots tell no more than that they are. */
function settleLongKeys(
  keys: KeyList,
  found: FoundKeys,
  { placed }: Pick<PlacedSegments, 'placed'>,
): void {
  if (keys.domain === 'integer') return;
  const doubtful = positionsOf(found.known, (known) => known === 2);
  if (doubtful.length === 0) return;
  const some = selectKeys(keys, doubtful);
  const hashes = hashKeys(some);
  for (const at of doubtful) {
    found.known[at] = 0;
    found.codes[at] = 0;
  }
  for (const { segment, loaded } of placed) {
    if (loaded === undefined) continue;
    loaded.loaded.findAll(some, hashes).forEach((ordinal, i) => {
      const at = doubtful[i] as number;
      if (ordinal < 0 || found.groups[at] !== segment.group) return;
      found.codes[at] = segment.base + ordinal;
      found.known[at] = 1;
    });
  }
}

function positionsOf(
  values: Uint8Array | Uint32Array,
  wanted: (value: number, i: number) => boolean,
): Uint32Array {
  const at = new Uint32Array(values.length);
  let count = 0;
  for (let i = 0; i < values.length; i++) if (wanted(values[i] as number, i)) at[count++] = i;
  return at.slice(0, count);
}
