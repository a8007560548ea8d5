// The read side of dictionaries: ids to codes and back, as one snapshot pins them (DictionaryRef).
// Reads never write: an id that the snapshot doesn't know is reported as unknown.
//
// Segments that are small, or asked for in bulk, are folded into a table in memory; a few ids of a
// large dictionary are looked up in place, in two rounds of small reads a segment.

import { assert, defined } from '../../base/assert.ts';
import { ByteLru } from '../../base/lru.ts';
import { hashKeys, noKeys, type KeyHashes, type KeyList } from '../../storage-format/key-list.ts';
import type { DictionaryRef, SegmentRef } from '../batch/batch.ts';
import type { DataObjects } from './data-objects.ts';
import { FoldedSegments, type FoundCodes } from './folded-segments.ts';
import { groupsOfHashes } from './key-groups.ts';
import { concatKeys, positionsByGroup, selectHashes, selectKeys } from './key-selection.ts';
import { type SegmentIndexCache, SegmentObjects } from './segment-objects.ts';

/** Where known[i] is 1, key i has code codes[i] of group groups[i]; else the group is its hash's. */
export interface FoundKeys extends FoundCodes {
  readonly groups: Uint16Array;
}

interface EncodeOptions {
  /**
   * Only keys of this group are looked up; the others stay unknown. All keys are, where the dictionary
   * is grouped by columns: it must be given there.
   */
  readonly group?: number;
}

export interface DictionaryCaches {
  readonly tables: ByteLru<FoldedSegments>;
  readonly tableBytesMax: number;
  readonly indexes: SegmentIndexCache;
}

export function createDictionaryCaches(bytesMax: number): DictionaryCaches {
  const tableBytesMax = Math.floor(bytesMax * 0.75);
  return {
    tables: new ByteLru(tableBytesMax),
    tableBytesMax,
    indexes: new ByteLru(bytesMax - tableBytesMax),
  };
}

/** Segments up to this many ids are read whole, whatever is asked. */
const smallSegmentIds = 65_536;
/** A group is read whole when at least one in this many of its ids is asked for. */
const bulkShare = 64;
/** Rough bytes of an id in a table: key, slots half full, code. */
const tableBytesPerId = 40;

interface GroupView {
  readonly table: FoldedSegments;
  /** Of the group, in order of base. */
  readonly segments: readonly SegmentRef[];
}

export class DictionaryReader {
  readonly #data: DataObjects;
  readonly #caches: DictionaryCaches;
  readonly #segments: SegmentObjects;

  constructor(data: DataObjects, caches: DictionaryCaches) {
    this.#data = data;
    this.#caches = caches;
    this.#segments = new SegmentObjects(data, caches.indexes);
  }

  async encode(keys: KeyList, ref: DictionaryRef, options: EncodeOptions = {}): Promise<FoundKeys> {
    const hashes = hashKeys(keys);
    assert(ref.byColumns !== true || options.group !== undefined, 'a group to look ids up in');
    const groups =
      ref.byColumns === true
        ? new Uint16Array(keys.values.length).fill(options.group ?? 0)
        : groupsOfHashes(hashes, ref.groups);
    const out = {
      groups,
      codes: new Uint32Array(keys.values.length),
      known: new Uint8Array(keys.values.length),
    };
    const positions = positionsByGroup(groups, ref.groups);
    const wanted = options.group === undefined ? positions.keys() : [options.group];
    await Promise.all(
      Array.from(wanted, async (group) => {
        const at = defined(positions[group], `group ${group}`);
        if (at.length === 0) return;
        const part = { keys: selectKeys(keys, at), hashes: selectHashes(hashes, at) };
        scatter(await this.#encodeGroup(ref, group, part), at, out);
      }),
    );
    return out;
  }

  /** Keys of codes of one group, all below its next code; `codes` ascending. */
  async decode(group: number, codes: Uint32Array, ref: DictionaryRef): Promise<KeyList> {
    const { domain } = ref;
    if (codes.length === 0) return noKeys(domain);
    const { table, segments } = await this.#view(ref, group, codes.length);
    const runs = runsBySegment(segments, codes);
    const lists = await Promise.all(
      runs.map(async ({ segment, codes: run }) =>
        table.has(segment.base)
          ? table.decode(segment.base, run)
          : await this.#segments.decode(segment, ref.domain, run),
      ),
    );
    return concatKeys(domain, lists);
  }

  async #encodeGroup(
    ref: DictionaryRef,
    group: number,
    part: { readonly keys: KeyList; readonly hashes: KeyHashes },
  ): Promise<FoundCodes> {
    const count = part.keys.values.length;
    const found = { codes: new Uint32Array(count), known: new Uint8Array(count) };
    const { table, segments } = await this.#view(ref, group, count);
    table.find(part.keys, defined(ref.nextCodes[group], 'a next code'), found);
    const unread = segments.filter((segment) => !table.has(segment.base));
    if (unread.length === 0) return found;
    await Promise.all(
      unread.map(async (segment) => {
        const at = unknownWithin(found, part.hashes, segment);
        if (at.length === 0) return;
        const asked = {
          keys: selectKeys(part.keys, at),
          hashes: selectHashes(part.hashes, at),
        };
        const ordinals = await this.#segments.lookup(segment, ref.domain, asked);
        for (let i = 0; i < at.length; i++) {
          const ordinal = ordinals[i] as number;
          if (ordinal < 0) continue;
          found.codes[at[i] as number] = segment.base + ordinal;
          found.known[at[i] as number] = 1;
        }
      }),
    );
    return found;
  }

  /** The group's table, after folding what is worth it for `wanted` ids. */
  async #view(ref: DictionaryRef, group: number, wanted: number): Promise<GroupView> {
    const segments = ref.segments
      .filter((segment) => segment.group === group)
      .sort((a, b) => a.base - b.base);
    const name = this.#data.cacheName(`${ref.dictionary}:${group}`);
    const table = this.#caches.tables.get(name) ?? new FoldedSegments(ref.domain);
    const missing = segments.filter((segment) => !table.has(segment.base));
    if (missing.length === 0) return { table, segments };
    const chosen = this.#worthFolding(missing, table.bytes, wanted);
    if (chosen.length === 0) return { table, segments };
    // Known to others at once, so that concurrent callers fill one table.
    this.#caches.tables.set(name, table, table.bytes);
    await Promise.all(
      chosen.map(async (segment) => {
        table.fold(segment.base, await this.#segments.load(segment, ref.domain));
      }),
    );
    this.#caches.tables.set(name, table, table.bytes);
    return { table, segments };
  }

  #worthFolding(
    missing: readonly SegmentRef[],
    held: number,
    wanted: number,
  ): readonly SegmentRef[] {
    const ids = missing.reduce((sum, segment) => sum + segment.count, 0);
    const fits = (segments: readonly SegmentRef[]) =>
      held + segments.reduce((sum, s) => sum + tableBytes(s), 0) <= this.#caches.tableBytesMax;
    if (wanted * bulkShare >= ids && fits(missing)) return missing;
    const small = missing.filter((segment) => segment.count <= smallSegmentIds);
    return fits(small) ? small : [];
  }
}

function tableBytes(segment: SegmentRef): number {
  return segment.place.bytes + tableBytesPerId * segment.count;
}

function scatter(found: FoundCodes, at: Uint32Array, out: FoundCodes): void {
  for (let i = 0; i < at.length; i++) {
    out.codes[at[i] as number] = found.codes[i] as number;
    out.known[at[i] as number] = found.known[i] as number;
  }
}

function unknownWithin(found: FoundCodes, hashes: KeyHashes, segment: SegmentRef): Uint32Array {
  const at: number[] = [];
  for (let i = 0; i < found.known.length; i++) {
    const hash = hashes.high[i] as number;
    if (found.known[i] === 0 && hash >= segment.hashMin && hash <= segment.hashMax) at.push(i);
  }
  return Uint32Array.from(at);
}

interface SegmentRun {
  readonly segment: SegmentRef;
  readonly codes: Uint32Array;
}

function runsBySegment(segments: readonly SegmentRef[], codes: Uint32Array): readonly SegmentRun[] {
  const runs: SegmentRun[] = [];
  let at = 0;
  for (const segment of segments) {
    const start = at;
    while (at < codes.length && (codes[at] as number) < segment.base + segment.count) at++;
    if (at === start) continue;
    if ((codes[start] as number) < segment.base) break;
    runs.push({ segment, codes: codes.subarray(start, at) });
  }
  const covered = runs.reduce((sum, run) => sum + run.codes.length, 0);
  if (covered !== codes.length) {
    throw new Error('assertion failed: every code below the next one lies in a segment');
  }
  return runs;
}
