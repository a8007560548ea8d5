// Cuts the code spaces that a batch asks about into slices: every group, times a number of code
// ranges. Any cut is right, also inside a container; only speed depends on where cuts lie.

import type { Batch, Slice } from './batch.ts';

/** Codes are below it. */
export const codesEnd = 2 ** 32;
/** Roaring's containers: a cut within one is read and unpacked twice. */
export const containerCodes = 2 ** 16;
/** With so many containers to a range, whole ones are shared out evenly enough. */
const containersPerRange = 8;
/** Else they are cut, where that reads no more than so large a part of them twice. */
const cutContainersMax = 1 / 5;
const finestCodes = containerCodes / 8;

/**
 * Slices of all groups of the batch's dictionaries, in order of (group, range). A batch about rows
 * alone has no codes to cut by: it goes to as many slices as its stripes and `readers` can use.
 */
export function slicesOf(batch: Batch, rangesPerGroup = 1, readers = 1): readonly Slice[] {
  if (batch.dictionaries.length === 0 && batch.fragments.length > 0) {
    const stripes = Math.max(1, ...batch.sources.map((source) => source.stripes.length));
    return slicesOfGroup(0, codesEnd, Math.min(stripes, rangesPerGroup * readers));
  }
  return nextCodesOf(batch).flatMap((next, group) => slicesOfGroup(group, next, rangesPerGroup));
}

/** Of each group, the largest of the batch's dictionaries; one group where there is none. */
export function nextCodesOf({ dictionaries }: Pick<Batch, 'dictionaries'>): readonly number[] {
  const nextCodes: number[] = [0];
  for (const dictionary of dictionaries) {
    dictionary.nextCodes.forEach((next, group) => {
      nextCodes[group] = Math.max(nextCodes[group] ?? 0, next);
    });
  }
  return nextCodes;
}

/**
 * The ranges partition [0, 2^32); cuts share out the codes [0, nextCode), between containers where there
 * are enough of them, or eighths of them, and none is empty.
 */
export function slicesOfGroup(group: number, nextCode: number, ranges: number): readonly Slice[] {
  const slices: Slice[] = [];
  const unit = unitOf(nextCode, ranges);
  let start = 0;
  for (let range = 1; range < ranges; range++) {
    const end = Math.floor((nextCode * range) / (ranges * unit)) * unit;
    if (end > start) slices.push({ group, codes: { start, end } });
    start = Math.max(start, end);
  }
  slices.push({ group, codes: { start, end: codesEnd } });
  return slices;
}

/** Cuts are multiples of it. */
function unitOf(nextCode: number, ranges: number): number {
  const containers = nextCode / containerCodes;
  if (containers < ranges) return 1;
  const isCut = containers < containersPerRange * ranges;
  return isCut && ranges - 1 <= cutContainersMax * containers ? finestCodes : containerCodes;
}

/** The one slice of its group that ids without a code belong to. */
export function isLastRange(slice: Slice): boolean {
  return slice.codes.end === codesEnd;
}

export function isWholeGroup(slice: Slice): boolean {
  return slice.codes.start === 0 && isLastRange(slice);
}
