// Questions as the planner sees them: per group, what is read and what is computed. Numbers are
// those of two hundred million people in 128 groups; the skewed one is a
// matrix of which one group is six times as heavy as the others, as after an import that favoured it.

import type { GroupWork } from '../../engine/batch/fan-out/fan-out-plan.ts';
import { readingMs } from '../../engine/batch/fan-out/work-estimate.ts';

interface GroupLoad {
  readonly requests: number;
  readonly bytes: number;
  readonly computeMs: number;
}

export interface QuestionShape {
  readonly name: string;
  readonly loads: readonly GroupLoad[];
}

const groups = 128;
const nextCode = 200_000_000 / groups;

export const questionShapes: readonly QuestionShape[] = [
  /** Is this person in that set: one small set per group. */
  { name: 'point', loads: evenly({ requests: 0.5, bytes: 4_000, computeMs: 0.02 }) },
  /** Ten stripes of sets, united and intersected. */
  { name: 'audience', loads: evenly({ requests: 10, bytes: 1_000_000, computeMs: 6 }) },
  /** Thirty sets against thirty. */
  { name: 'matrix', loads: evenly({ requests: 8, bytes: 2_900_000, computeMs: 400 }) },
  { name: 'skewed', loads: skewed({ requests: 8, bytes: 2_900_000, computeMs: 400 }, 6) },
];

/** What the planner is told, by the constants that it estimates with. */
export function workOf({ loads }: QuestionShape): readonly GroupWork[] {
  return loads.map(({ requests, bytes, computeMs }, group) => ({
    group,
    nextCode,
    rangesMax: Math.ceil(nextCode / 65_536),
    fixedMs: readingMs(requests, bytes),
    divisibleMs: computeMs,
  }));
}

function evenly(load: GroupLoad): readonly GroupLoad[] {
  return Array.from({ length: groups }, () => load);
}

function skewed(load: GroupLoad, times: number): readonly GroupLoad[] {
  const { requests, bytes, computeMs } = load;
  const heavy = { requests, bytes: bytes * times, computeMs: computeMs * times };
  return Array.from({ length: groups }, (_, group) => (group === 0 ? heavy : load));
}
