// Codes of one group by the segments that hold their keys.

import { lowerBound } from '../../storage-format/code-arrays.ts';
import type { SegmentRef } from '../batch/batch.ts';

export interface SegmentRun {
  readonly segment: SegmentRef;
  readonly codes: Uint32Array;
}

/** `segments`: of the group, by base; `codes` ascending. Throws where no segment has a code. */
export function runsBySegment(
  segments: readonly SegmentRef[],
  codes: Uint32Array,
): readonly SegmentRun[] {
  const runs: SegmentRun[] = [];
  let at = 0;
  for (const segment of segments) {
    const start = at;
    at = lowerBound(codes, segment.base + segment.count);
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
