// How a dispatch is cut into invocations, as plain data: slices by the work that they are estimated
// to be, in runs of neighbours, so that slices of one group meet where that keeps work even. Any cut
// is right; this one aims at even work, at no more invocations than pay for themselves, and at being
// the same for the same data, so that caches stay warm.

import type { Slice } from '../batch.ts';
import { slicesOfGroup } from '../slices.ts';
import { placeRuns, type Piece } from './run-placement.ts';

/** Work of one group, estimated (work-estimate.ts). */
export interface GroupWork {
  readonly group: number;
  /** Codes given out are [0, nextCode). */
  readonly nextCode: number;
  /** Code ranges that the group can be cut into usefully, at least 1. */
  readonly rangesMax: number;
  /** Spent by every invocation that has a slice of the group, however narrow: what it reads. */
  readonly fixedMs: number;
  /** Shared out over the group's code ranges: what it computes. */
  readonly divisibleMs: number;
}

export interface FanOutLimits {
  /** Invocations side by side, at least 1. */
  readonly invocationsMax: number;
  /** Estimated work below which an invocation does not pay for itself; 0: spread all there is. */
  readonly invocationMsMin: number;
  /** Each group has at least so many code ranges; 1 by default. */
  readonly rangesPerGroup?: number;
  /** Whether inner nodes can be invoked; false by default. */
  readonly hasBranches?: boolean;
}

export interface FanOutPlan {
  /** Slices of each invocation, in order of (group, range). */
  readonly invocations: readonly (readonly Slice[])[];
  /** Inner nodes of the tree: runs of invocations. Absent: the root invokes them itself. */
  readonly branches?: readonly IndexRange[];
}

/** Positions [start, end). */
interface IndexRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Estimated work that an invocation of a function should have at least. A warm one takes 10 to 20 ms
 * before and after its work: with less than this the most would be spent on that (see the bench
 * fan-out-simulator, which prints what other minima give).
 */
export const invocationMsMin = 40;

/**
 * Beyond so many, one root spends longer on sending and merging than two levels do: papers on
 * serverless scans put the crossing between 64 and 200, and a root of ours has one thread.
 */
const directMax = 64;
/** Groups that differ by less are taken as even: a cut that follows noise cools caches. */
const evenWithin = 1.25;

export function planFanOut(work: readonly GroupWork[], limits: FanOutLimits): FanOutPlan {
  const groups = steadied(work);
  const wanted = wantedInvocations(groups, limits);
  const targetMs = totalMs(groups) / wanted;
  const pieces = groups.flatMap((group) => piecesOf(group, targetMs, limits));
  const runs = placeRuns(pieces, wanted);
  return withBranches(
    runs.map((run) => run.map(({ slice }) => slice)),
    limits,
  );
}

/** Slices that are given, in as many even runs of neighbours as fit. */
export function evenPlan(slices: readonly Slice[], invocationsMax: number): FanOutPlan {
  const count = Math.max(1, Math.min(invocationsMax, slices.length));
  return {
    invocations: evenRuns(slices.length, count).map(({ start, end }) => slices.slice(start, end)),
  };
}

export function slicesOfPlan(plan: FanOutPlan): readonly Slice[] {
  return plan.invocations.flat();
}

/** Where all groups are about even, as hashes make them: exactly even. */
function steadied(work: readonly GroupWork[]): readonly GroupWork[] {
  const mean = totalMs(work) / work.length;
  const isEven = work.every((one) => one.fixedMs + one.divisibleMs <= evenWithin * mean);
  if (!isEven) return work;
  const fixedMs = work.reduce((sum, one) => sum + one.fixedMs, 0) / work.length;
  const divisibleMs = work.reduce((sum, one) => sum + one.divisibleMs, 0) / work.length;
  return work.map((one) => ({ ...one, fixedMs, divisibleMs }));
}

/** A power of two, unless the limit is lower: cuts of questions of other sizes nest in it. */
function wantedInvocations(groups: readonly GroupWork[], limits: FanOutLimits): number {
  const { invocationsMax, invocationMsMin } = limits;
  if (invocationMsMin <= 0) return invocationsMax;
  const paying = Math.max(1, totalMs(groups) / invocationMsMin);
  return Math.max(1, Math.min(invocationsMax, 2 ** Math.floor(Math.log2(paying))));
}

function piecesOf(
  group: GroupWork,
  targetMs: number,
  limits: FanOutLimits,
): readonly Piece<Slice>[] {
  const ranges = rangesOf(group, targetMs, limits);
  const slices = slicesOfGroup(group.group, group.nextCode, ranges);
  const { fixedMs } = group;
  const divisibleMs = group.divisibleMs / slices.length;
  return slices.map((slice) => ({ slice, group: group.group, fixedMs, divisibleMs }));
}

/** A group heavier than an even share is cut, as long as each piece computes more than it reads. */
function rangesOf(group: GroupWork, targetMs: number, limits: FanOutLimits): number {
  const { fixedMs, divisibleMs, rangesMax } = group;
  const asked = limits.rangesPerGroup ?? 1;
  if (fixedMs + divisibleMs <= evenWithin * targetMs) return asked;
  const pieceMsMin = Math.max(fixedMs, limits.invocationMsMin / 2);
  const useful = pieceMsMin > 0 ? Math.floor(divisibleMs / pieceMsMin) : rangesMax;
  const ideal = Math.ceil(divisibleMs / Math.max(targetMs - fixedMs, pieceMsMin, 1e-9));
  return Math.max(asked, Math.min(ideal, useful, rangesMax, limits.invocationsMax));
}

function withBranches(
  invocations: readonly (readonly Slice[])[],
  limits: FanOutLimits,
): FanOutPlan {
  if (limits.hasBranches !== true || invocations.length <= directMax) return { invocations };
  const count = Math.ceil(Math.sqrt(invocations.length));
  return { invocations, branches: evenRuns(invocations.length, count) };
}

function evenRuns(length: number, count: number): readonly IndexRange[] {
  return Array.from({ length: count }, (_, run) => ({
    start: Math.floor((run * length) / count),
    end: Math.floor(((run + 1) * length) / count),
  }));
}

function totalMs(groups: readonly GroupWork[]): number {
  return groups.reduce((sum, one) => sum + one.fixedMs + one.divisibleMs, 0);
}
