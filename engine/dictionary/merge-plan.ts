// Which dictionary segments are merged, and when: pure. Sizes fall into classes that grow eightfold; where
// the end of a group, as far as it has no higher class, has eight of a class, they become one, with what
// lies between them. So n inserts leave at most seven segments of each class, a number logarithmic in n,
// and an id is rewritten about once a class.

import type { SegmentEntry } from '../../catalog/entry.ts';

/** Merged when so many are of one class. */
const fanIn = 8;
/** Of the lowest class: their objects are small, whatever they hold. */
const smallCount = 512;
/** A merge makes nothing larger: its work must fit a function's memory. */
const mergedKeysMax = 32 * 1024 * 1024;
const mergedBytesMax = 1024 * 1024 * 1024;

/** Contiguous segments of one group, in order of base, at least two. */
export type MergeInputs = readonly SegmentEntry[];

/** `segments`: of one dictionary, in order of (group, base). At most one merge a group. */
export function planMerges(segments: readonly SegmentEntry[]): readonly MergeInputs[] {
  const groups = new Map<number, SegmentEntry[]>();
  for (const segment of segments) {
    const group = groups.get(segment.group) ?? [];
    group.push(segment);
    groups.set(segment.group, group);
  }
  return [...groups.values()].flatMap((group) => {
    const inputs = mergeOf(group);
    return inputs === undefined ? [] : [inputs];
  });
}

function mergeOf(group: readonly SegmentEntry[]): MergeInputs | undefined {
  const classes = group.map(({ count }) => classOf(count));
  const highest = classes.reduce((max, each) => Math.max(max, each), 0);
  for (let level = 0; level <= highest; level++) {
    let start = group.length;
    let keys = 0;
    let bytes = 0;
    while (start > 0 && (classes[start - 1] as number) <= level) {
      const { count, place } = group[start - 1] as SegmentEntry;
      if (keys + count > mergedKeysMax || bytes + place.bytes > mergedBytesMax) break;
      keys += count;
      bytes += place.bytes;
      start--;
    }
    const own = classes.slice(start).filter((each) => each === level).length;
    const last = classes.lastIndexOf(level);
    if (own >= fanIn) return group.slice(start, last + 1);
    // Small ones shut in between large ones: rare, and never more than this.
    if (group.length - start >= fanIn * (level + 1) && start < group.length - 1) {
      return group.slice(start);
    }
  }
  return undefined;
}

function classOf(count: number): number {
  let size = 0;
  for (let limit = smallCount; count >= limit; limit *= fanIn) size++;
  return size;
}
