// Opens dictionary segments and decodes ordinals to keys, by ranged reads of what is needed, and checks
// whole ones. SPEC.md, "Dictionary segments". Keys are looked up by segment-lookup.ts.

import { assert } from '../base/assert.ts';
import { rangeLength } from '../base/byte-range.ts';
import { MusterError } from '../base/errors.ts';
import { lowerBound } from './code-arrays.ts';
import type { RowRange } from './column-encoder.ts';
import { splitStrings, splitUuids, typed } from './column-decoder.ts';
import { crc32c } from './crc32c.ts';
import {
  type PartBytes,
  type RangeReader,
  readExtents,
  type WantedBytes,
} from './extent-reader.ts';
import { pageIsWhole, tableShape } from './hash-table.ts';
import { corrupt, indexKinds, unsealIndex } from './index-trailer.ts';
import type { KeyList } from './key-list.ts';
import { decodeSegmentDirectory, type KeyRun, type SegmentDirectory } from './segment-directory.ts';
import type { SegmentDescription } from './segment-writer.ts';

export interface SegmentIndex {
  readonly directory: SegmentDirectory;
  readonly part: PartBytes;
  /** First ordinal of each run. */
  readonly runStarts: Uint32Array;
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
    checkTable(directory, segment);
    const heldAt = segment.index.start - segment.offset;
    return {
      directory,
      part: { key, offset: segment.offset, held: indexBytes, heldAt },
      runStarts: startsOf(directory.runs),
      bytesHeld: indexBytes.length,
    };
  } catch (error) {
    return corrupt(key, 'index: directory', error);
  }
}

/** Where the pages are must follow from the catalog's entry, as look-ups take it. */
function checkTable({ count, domain, table }: SegmentDirectory, segment: SegmentDescription): void {
  const shape = tableShape(count, domain);
  const end = table.at + table.pages * table.pageBytes;
  const before =
    segment.index.start === segment.offset || segment.offset + end === segment.index.start;
  const fits =
    count === segment.count &&
    domain === segment.domain &&
    table.pages === shape.pages &&
    table.slots === shape.slots &&
    table.slotBytes === shape.slotBytes &&
    table.pageBytes === shape.pageBytes;
  if (!before || !fits) throw new Error('the hash index is not as the keys and the catalog say');
}

/** The keys of ordinals in any order, in that order. Reads only the extents that hold them. */
export async function decodeKeys(
  index: SegmentIndex,
  ordinals: Uint32Array,
  read: RangeReader,
): Promise<KeyList> {
  const { runs, domain } = index.directory;
  if (domain === 'integer' && ascends(ordinals))
    return await decodeAscending(index, ordinals, read);
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

/** Run by run: runs of neighbours are copied whole. */
async function decodeAscending(
  index: SegmentIndex,
  ordinals: Uint32Array,
  read: RangeReader,
): Promise<KeyList> {
  const { runs } = index.directory;
  const cuts = cutsByRun(index, ordinals);
  const wanted = cuts.map(({ run }) => wantRun(runs[run]!, run));
  const found = await readExtents(index.part, wanted, read);
  const values = new BigUint64Array(ordinals.length);
  const halves = new Uint32Array(values.buffer);
  cuts.forEach(({ run, start, end }, i) => {
    const keys = decodeRun(index, runs[run]!, found[i]!);
    assert(keys.domain === 'integer', 'keys of integers');
    const first = index.runStarts[run]!;
    const from = ordinals[start]! - first;
    const to = ordinals[end - 1]! - first + 1;
    if (to - from === end - start) {
      values.set(keys.values.subarray(from, to), start);
      return;
    }
    const { buffer, byteOffset, length } = keys.values;
    const source = new Uint32Array(buffer, byteOffset, 2 * length);
    for (let at = start; at < end; at++) {
      const place = 2 * (ordinals[at]! - first);
      halves[2 * at] = source[place]!;
      halves[2 * at + 1] = source[place + 1]!;
    }
  });
  return { domain: 'integer', values };
}

interface RunCut {
  readonly run: number;
  /** Of the ordinals that lie in it. */
  readonly start: number;
  readonly end: number;
}

function cutsByRun(index: SegmentIndex, ordinals: Uint32Array): readonly RunCut[] {
  const { runs } = index.directory;
  const cuts: RunCut[] = [];
  for (let start = 0; start < ordinals.length; ) {
    const run = runOf(index, ordinals[start]!);
    const end = lowerBound(ordinals, index.runStarts[run]! + runs[run]!.keys);
    cuts.push({ run, start, end });
    start = end;
  }
  return cuts;
}

function ascends(ordinals: Uint32Array): boolean {
  for (let i = 1; i < ordinals.length; i++) if (ordinals[i]! <= ordinals[i - 1]!) return false;
  return true;
}

/** The keys of runs [start, end) of the directory, run by run. Near extents are read together. */
export async function decodeRuns(
  index: SegmentIndex,
  { start, end }: RowRange,
  read: RangeReader,
): Promise<KeyList[]> {
  const runs = index.directory.runs.slice(start, end);
  const wanted = runs.map((run, i) => wantRun(run, start + i));
  const found = await readExtents(index.part, wanted, read);
  return runs.map((run, i) => decodeRun(index, run, found[i]!));
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
    const expected = { number: page, keys: segment.count };
    if (!pageIsWhole(bytes.subarray(from, from + pageBytes), expected)) {
      corrupt(key, `extent hash page ${page}`);
    }
  }
  if (crc32c(bytes) !== segment.checksum) corrupt(key, 'envelope');
}

function wantRun(run: KeyRun, number: number): WantedBytes {
  return { at: run.at, pieces: [run], name: `keys ${number}` };
}

/** The keys of one run from its checked extent. */
function decodeRun(index: SegmentIndex, run: KeyRun, bytes: Uint8Array): KeyList {
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

function startsOf(runs: readonly KeyRun[]): Uint32Array {
  const starts = new Uint32Array(runs.length);
  for (let i = 1; i < runs.length; i++) starts[i] = starts[i - 1]! + runs[i - 1]!.keys;
  return starts;
}

export function runOf(index: SegmentIndex, ordinal: number): number {
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
