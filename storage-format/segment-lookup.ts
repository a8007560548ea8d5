// Looks keys up in a dictionary segment that is not in memory, by small ranged reads. Where the pages of
// its hash index lie follows from its catalog entry, and pages carry their own checksums: so an integer
// costs one read and no other byte of the segment. A string or UUID costs one more: its bytes at the
// place that its slot names, which are their own proof when they are the bytes that were asked for.
// SPEC.md, "Looking up".

import type { ByteRange } from '../base/byte-range.ts';
import { typed } from './column-decoder.ts';
import { type PartBytes, type RangeReader, readUnchecked } from './extent-reader.ts';
import {
  homePage,
  lengthMax,
  pageIsWhole,
  probePage,
  type TableShape,
  tableShape,
  tagOf,
} from './hash-table.ts';
import { corrupt } from './index-trailer.ts';
import type { KeyHashes, KeyList } from './key-list.ts';
import { decodeKeys, type SegmentIndex } from './segment-reader.ts';
import type { SegmentDescription } from './segment-writer.ts';
import { swapUuidHalves } from './uuid.ts';

export interface SegmentSource {
  readonly segment: SegmentDescription;
  /** Of the object, for errors. */
  readonly key: string;
  readonly read: RangeReader;
  /** The opened index; only asked for where it is needed. */
  index(): Promise<SegmentIndex>;
}

interface WantedKeys {
  readonly keys: KeyList;
  readonly hashes: KeyHashes;
}

/**
 * The ordinal of each key, -1 where the segment has none. Rounds of reads: one for integers, two for
 * strings and UUIDs; one more in the rare cases of a full page and of a string above 64 KiB. A segment
 * that is read whole when it is opened costs that one read.
 */
export async function lookupKeys(source: SegmentSource, wanted: WantedKeys): Promise<Int32Array> {
  const table = await tableOf(source);
  const found = new Int32Array(wanted.keys.values.length).fill(-1);
  const candidates = await probePages(table, wanted, source);
  if (wanted.keys.domain === 'integer') {
    for (const { i, ordinal } of candidates) found[i] = ordinal;
    return found;
  }
  const { values } = wanted.keys;
  const { domain } = wanted.keys;
  const bytesOf = (i: number): Buffer => {
    const value = values[i] as string;
    return Buffer.from(domain === 'uuid' ? swapUuidHalves(value) : value, 'latin1');
  };
  const short = candidates.filter(({ i }) => (values[i] as string).length < lengthMax);
  const ranges = short.map(({ i, at }): ByteRange => {
    return { start: at, end: at + (values[i] as string).length };
  });
  const stored = await readUnchecked(table.part, ranges, source.read);
  const doubtful = candidates.filter(({ i }) => (values[i] as string).length >= lengthMax);
  short.forEach((candidate, c) => {
    if (bytesOf(candidate.i).equals(stored[c]!)) found[candidate.i] = candidate.ordinal;
    else doubtful.push(candidate);
  });
  await settle(source, { values, candidates: doubtful, found });
  return found;
}

/** Another key of the same hash, or damage: decided by the checked extents of keys. */
async function settle(
  source: SegmentSource,
  open: {
    readonly values: readonly string[];
    readonly candidates: readonly Candidate[];
    readonly found: Int32Array;
  },
): Promise<void> {
  if (open.candidates.length === 0) return;
  const ordinals = Uint32Array.from(open.candidates, ({ ordinal }) => ordinal);
  const stored = await decodeKeys(await source.index(), ordinals, source.read);
  open.candidates.forEach(({ i, ordinal }, c) => {
    if (stored.values[c] === open.values[i]) open.found[i] = ordinal;
  });
}

interface PlacedTable {
  readonly part: PartBytes;
  readonly shape: TableShape;
  /** Of the pages, in the segment. */
  readonly at: number;
}

async function tableOf(source: SegmentSource): Promise<PlacedTable> {
  const { segment, key } = source;
  const shape = tableShape(segment.count, segment.domain);
  if (segment.index.start === segment.offset) {
    const { part, directory } = await source.index();
    return { part, shape, at: directory.table.at };
  }
  const at = segment.index.start - segment.offset - shape.pages * shape.pageBytes;
  const part = { key, offset: segment.offset, held: new Uint8Array(0), heldAt: 0 };
  return { part, shape, at };
}

interface Candidate {
  readonly i: number;
  readonly ordinal: number;
  /** Of the key's bytes, in the segment; strings and UUIDs. */
  readonly at: number;
}

interface Probe {
  readonly i: number;
  readonly page: number;
}

async function probePages(
  table: PlacedTable,
  { keys, hashes }: WantedKeys,
  source: SegmentSource,
): Promise<Candidate[]> {
  const { shape } = table;
  const candidates: Candidate[] = [];
  let pending: Probe[] = Array.from(hashes.low, (low, i) => ({
    i,
    page: homePage(low, shape.pages),
  }));
  for (let visited = 0; pending.length > 0 && visited < shape.pages; visited++) {
    const pages = await readPages(table, pending, source);
    const next: Probe[] = [];
    for (const { i, page } of pending) {
      const words = pages.get(page)!;
      const high = hashes.high[i]!;
      const tag = keys.domain === 'integer' ? high : tagOf(high, keys.values[i]!.length);
      const { slots, full } = probePage(words, shape, { low: hashes.low[i]!, tag });
      for (const at of slots) {
        candidates.push({ i, ordinal: words[at + 2]! - 1, at: words[at + 3] ?? 0 });
      }
      if (full) next.push({ i, page: page + 1 < shape.pages ? page + 1 : 0 });
    }
    pending = next;
  }
  return candidates;
}

async function readPages(
  { part, shape, at }: PlacedTable,
  probes: readonly Probe[],
  source: SegmentSource,
): Promise<Map<number, Uint32Array>> {
  const numbers = [...new Set(probes.map((probe) => probe.page))].sort((a, b) => a - b);
  const { pageBytes } = shape;
  const ranges = numbers.map((page): ByteRange => {
    return { start: at + page * pageBytes, end: at + (page + 1) * pageBytes };
  });
  const found = await readUnchecked(part, ranges, source.read);
  return new Map(
    numbers.map((number, i) => {
      const page = found[i]!;
      if (!pageIsWhole(page, { number, keys: source.segment.count })) {
        corrupt(source.key, `extent hash page ${number}`);
      }
      return [number, typed(page, Uint32Array, pageBytes / 4)];
    }),
  );
}
