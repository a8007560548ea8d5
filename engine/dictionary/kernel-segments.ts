// Dictionary segments in WebAssembly memory, just as they lie on disk, and the calls that work on many
// keys at once over them: find keys in all segments of their groups, number new ones. Nothing is
// rebuilt: a segment is copied in, checked, and probed in place (kernels/assembly/integer-pages.ts).

import { KernelHeap } from '../../kernels/kernel-heap.ts';
import { crc32c } from '../../storage-format/crc32c.ts';
import { tableShape } from '../../storage-format/hash-table.ts';
import { corrupt } from '../../storage-format/index-trailer.ts';
import { LoadedSegment } from '../../storage-format/loaded-segment.ts';
import { openSegment } from '../../storage-format/segment-reader.ts';
import type { SegmentDescription } from '../../storage-format/segment-writer.ts';

/** A whole segment in memory. */
export interface KernelSegment {
  /** Address of its first byte. */
  readonly at: number;
  readonly loaded: LoadedSegment;
}

/** A segment with the group and base of the snapshot that asks. */
export interface SegmentLevel {
  readonly group: number;
  readonly base: number;
  readonly segment: KernelSegment;
}

export interface SegmentPieces {
  readonly description: SegmentDescription;
  /** Of the object, for errors. */
  readonly key: string;
  /** In order, without gaps. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

const recordWords = 8;

/** Copies a segment in as its pieces come, and checks every byte. */
export async function placeSegment(
  heap: KernelHeap,
  source: SegmentPieces,
): Promise<KernelSegment> {
  const { description, key } = source;
  const at = heap.take(description.bytes);
  try {
    let length = 0;
    let checksum = 0;
    for await (const piece of source.pieces) {
      if (length + piece.length > description.bytes) break;
      checksum = crc32c(piece, checksum);
      heap.memory.u8(at + length, piece.length).set(piece);
      length += piece.length;
    }
    if (length !== description.bytes)
      corrupt(key, `envelope: ${length} of ${description.bytes} bytes`);
    const bytes = heap.memory.u8(at, length);
    const { start, end } = description.index;
    const held = bytes.slice(start - description.offset, end - description.offset);
    const index = openSegment(held, description, key);
    if (checksum !== description.checksum) corrupt(key, 'envelope, extents or hash pages');
    return { at, loaded: new LoadedSegment(index, bytes) };
  } catch (error) {
    heap.give(at);
    throw error;
  }
}

/** Addresses of what kernels take as levels and records. */
export interface PlacedLevels {
  readonly at: number;
  readonly records: number;
  /** Segments. */
  readonly count: number;
}

/** Where the kernels find the segments of each group, the largest first. To be given back. */
export function placeLevels(
  heap: KernelHeap,
  levels: readonly SegmentLevel[],
  groups: number,
): PlacedLevels {
  const sorted = [...levels].sort((a, b) => a.group - b.group || sizeOf(b) - sizeOf(a));
  const startBytes = Math.ceil((4 * (groups + 1)) / 64) * 64;
  const at = heap.takeZeros(startBytes + 4 * recordWords * (sorted.length + 1));
  const starts = heap.memory.u32(at, groups + 1);
  const records = heap.memory.u32(at + startBytes, recordWords * sorted.length);
  sorted.forEach(({ base, segment }, i) => {
    const { count, domain, table } = segment.loaded.index.directory;
    const { pages, slots, pageBytes } = tableShape(count, domain);
    records.set(
      [segment.at + table.at, pages, slots, pageBytes, base, segment.at],
      recordWords * i,
    );
  });
  let next = 0;
  for (let group = 0; group <= groups; group++) {
    starts[group] = next;
    while (next < sorted.length && sorted[next]?.group === group) next++;
  }
  return { at, records: at + startBytes, count: sorted.length };
}

function sizeOf({ segment }: SegmentLevel): number {
  return segment.loaded.count;
}
