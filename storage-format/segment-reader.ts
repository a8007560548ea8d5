// Reads dictionary segments: keys to ordinals and back, by ranged reads of what is needed, or loaded
// whole and then without waiting. SPEC.md, "Dictionary segments". An integer is found by its hash
// alone (the hash is a bijection), strings and UUIDs are compared with the key they point at.

import { assert } from '../base/assert.ts';
import { rangeLength } from '../base/byte-range.ts';
import { MusterError } from '../base/errors.ts';
import { splitStrings, splitUuids, typed } from './column-decoder.ts';
import { crc32c } from './crc32c.ts';
import {
  type PartBytes,
  type RangeReader,
  readExtents,
  type WantedBytes,
} from './extent-reader.ts';
import { filterMayHold, homePage, probePage } from './hash-table.ts';
import { corrupt, indexKinds, unsealIndex } from './index-trailer.ts';
import type { KeyHashes, KeyList } from './key-list.ts';
import { decodeSegmentDirectory, type KeyRun, type SegmentDirectory } from './segment-directory.ts';
import type { SegmentDescription } from './segment-writer.ts';

export interface SegmentIndex {
  readonly directory: SegmentDirectory;
  readonly part: PartBytes;
  /** First ordinal of each run. */
  readonly runStarts: Uint32Array;
  readonly pageChecksums: Uint32Array;
  readonly filter: Uint8Array | undefined;
  readonly bytesHeld: number;
}

/** `indexBytes`: the bytes of the range `segment.index`. Throws CORRUPTED_DATA, naming `key`. */
export function openSegment(
  indexBytes: Uint8Array,
  segment: SegmentDescription,
  key: string,
): SegmentIndex {
  if (indexBytes.length !== rangeLength(segment.index)) {
    corrupt(key, `index: ${indexBytes.length} of ${rangeLength(segment.index)} bytes`);
  }
  const sealed = unsealIndex(indexBytes, indexKinds.dictionarySegment, key);
  try {
    const directory = decodeSegmentDirectory(sealed.directory);
    const { checksumsAt, table, filter } = directory;
    const checksums = sealed.bytes.subarray(checksumsAt, checksumsAt + 4 * table.pages);
    const filterBytes = sealed.bytes.subarray(filter.at, filter.at + filter.bytes);
    const heldAt = segment.index.start - segment.offset;
    return {
      directory,
      part: { key, offset: segment.offset, held: indexBytes, heldAt },
      runStarts: startsOf(directory.runs),
      pageChecksums: typed(checksums, Uint32Array, table.pages),
      filter: filter.bytes > 0 ? filterBytes : undefined,
      bytesHeld: indexBytes.length,
    };
  } catch (error) {
    return corrupt(key, 'index: directory', error);
  }
}

/**
 * The ordinal of each key in this segment, -1 where it has none. One round of reads for integers,
 * two for strings and UUIDs (one more in the rare case of a full page). Most unknown keys cost
 * nothing where the segment has a filter.
 */
export async function lookup(
  index: SegmentIndex,
  wanted: { readonly keys: KeyList; readonly hashes: KeyHashes },
  read: RangeReader,
): Promise<Int32Array> {
  const { keys, hashes } = wanted;
  const { table } = index.directory;
  const found = new Int32Array(keys.values.length).fill(-1);
  const candidates: { i: number; ordinal: number }[] = [];
  let pending: Probe[] = [];
  for (let i = 0; i < found.length; i++) {
    const low = hashes.low[i]!;
    if (index.filter !== undefined && !filterMayHold(index.filter, low, hashes.high[i]!)) continue;
    pending.push({ i, page: homePage(low, table.pages) });
  }
  for (let visited = 0; pending.length > 0 && visited < table.pages; visited++) {
    const pages = await readPages(index, pending, read);
    const next: Probe[] = [];
    for (const { i, page } of pending) {
      const hash = { low: hashes.low[i]!, high: hashes.high[i]! };
      const { ordinals, full } = probePage(pages.get(page)!, table.slots, hash);
      for (const ordinal of ordinals) candidates.push({ i, ordinal });
      if (full) next.push({ i, page: page + 1 < table.pages ? page + 1 : 0 });
    }
    pending = next;
  }
  if (keys.domain === 'integer') {
    for (const { i, ordinal } of candidates) found[i] = ordinal;
    return found;
  }
  const ordinals = Uint32Array.from(candidates, ({ ordinal }) => ordinal);
  const stored = await decodeKeys(index, ordinals, read);
  candidates.forEach(({ i, ordinal }, c) => {
    if (stored.values[c] === keys.values[i]) found[i] = ordinal;
  });
  return found;
}

/** The keys of ordinals in any order, in that order. Reads only the extents that hold them. */
export async function decodeKeys(
  index: SegmentIndex,
  ordinals: Uint32Array,
  read: RangeReader,
): Promise<KeyList> {
  const { runs } = index.directory;
  const needed = new Map<number, KeyList>();
  for (const ordinal of ordinals) needed.set(runOf(index, ordinal), emptyKeys(index));
  const numbers = [...needed.keys()].sort((a, b) => a - b);
  const wanted = numbers.map((run) => wantRun(runs[run]!, run));
  const found = await readExtents(index.part, wanted, read);
  numbers.forEach((run, i) => needed.set(run, decodeRun(index, runs[run]!, found[i]!)));
  const pick = (ordinal: number) => {
    const run = runOf(index, ordinal);
    return { keys: needed.get(run)!, at: ordinal - index.runStarts[run]! };
  };
  if (index.directory.domain === 'integer') {
    const values = new BigUint64Array(ordinals.length);
    ordinals.forEach((ordinal, i) => {
      const { keys, at } = pick(ordinal);
      if (keys.domain === 'integer') values[i] = keys.values[at]!;
    });
    return { domain: 'integer', values };
  }
  const values = Array.from(ordinals, (ordinal) => {
    const { keys, at } = pick(ordinal);
    return keys.domain === 'integer' ? '' : keys.values[at]!;
  });
  return { domain: index.directory.domain, values };
}

/** Every byte of a segment: as verifyPart for parts. */
export function verifySegment(bytes: Uint8Array, segment: SegmentDescription, key: string): void {
  if (bytes.length !== segment.bytes) {
    corrupt(key, `envelope: ${bytes.length} of ${segment.bytes} bytes`);
  }
  const { start, end } = segment.index;
  const held = bytes.subarray(start - segment.offset, end - segment.offset);
  const index = openSegment(held, segment, key);
  index.directory.runs.forEach((run, i) => {
    if (crc32c(bytes.subarray(run.at, run.at + run.bytes)) !== run.checksum) {
      corrupt(key, `extent keys ${i}`);
    }
  });
  const { at, pages, pageBytes } = index.directory.table;
  for (let page = 0; page < pages; page++) {
    const from = at + page * pageBytes;
    if (crc32c(bytes.subarray(from, from + pageBytes)) !== index.pageChecksums[page]) {
      corrupt(key, `extent hash page ${page}`);
    }
  }
  if (crc32c(bytes) !== segment.checksum) corrupt(key, 'envelope');
}

export function wantRun(run: KeyRun, number: number): WantedBytes {
  return { at: run.at, pieces: [run], name: `keys ${number}` };
}

export function wantPages(index: SegmentIndex, first: number, count: number): WantedBytes {
  const { at, pageBytes } = index.directory.table;
  const pieces = Array.from({ length: count }, (_, i) => ({
    bytes: pageBytes,
    checksum: index.pageChecksums[first + i]!,
  }));
  return { at: at + first * pageBytes, pieces, name: `hash page ${first}` };
}

/** The keys of one run from its checked extent. */
export function decodeRun(index: SegmentIndex, run: KeyRun, bytes: Uint8Array): KeyList {
  const buffers: Uint8Array[] = [];
  let at = 0;
  for (const length of run.buffers) {
    buffers.push(bytes.subarray(at, at + length));
    at += length + ((8 - (length % 8)) % 8);
  }
  const [validity, first, second] = buffers;
  if (validity !== undefined && validity.length > 0) {
    throw new MusterError('UNKNOWN_FORMAT_VERSION', `segment ${index.part.key} has erased keys`);
  }
  assert(first !== undefined, 'a run of keys has values');
  const { domain } = index.directory;
  if (domain === 'integer') return { domain, values: typed(first, BigUint64Array, run.keys) };
  try {
    if (domain === 'uuid') return { domain, values: splitUuids(first, run.keys) };
    const offsets = typed(first, Int32Array, run.keys + 1);
    return { domain, values: splitStrings(offsets, second ?? new Uint8Array(0), run.keys) };
  } catch (error) {
    return corrupt(index.part.key, 'extent keys', error);
  }
}

interface Probe {
  readonly i: number;
  readonly page: number;
}

async function readPages(
  index: SegmentIndex,
  probes: readonly Probe[],
  read: RangeReader,
): Promise<Map<number, Uint32Array>> {
  const numbers = [...new Set(probes.map((probe) => probe.page))].sort((a, b) => a - b);
  const wanted = numbers.map((page) => wantPages(index, page, 1));
  const found = await readExtents(index.part, wanted, read);
  const words = index.directory.table.pageBytes / 4;
  return new Map(numbers.map((page, i) => [page, typed(found[i]!, Uint32Array, words)]));
}

function startsOf(runs: readonly KeyRun[]): Uint32Array {
  const starts = new Uint32Array(runs.length);
  for (let i = 1; i < runs.length; i++) starts[i] = starts[i - 1]! + runs[i - 1]!.keys;
  return starts;
}

function runOf(index: SegmentIndex, ordinal: number): number {
  assert(ordinal < index.directory.count, `ordinal ${ordinal} of ${index.directory.count} keys`);
  const starts = index.runStarts;
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= ordinal) low = middle;
    else high = middle;
  }
  return low;
}

function emptyKeys(index: SegmentIndex): KeyList {
  const { domain } = index.directory;
  return domain === 'integer' ? { domain, values: new BigUint64Array(0) } : { domain, values: [] };
}
