// How a dispatch is cut into invocations, as plain data: slices by the work that they are estimated
// to be, in runs of neighbours, so that slices of one group meet where that keeps work even. Any cut
// is right; this one aims at even work, at no more invocations than pay for themselves, and at being
// the same for the same data, so that caches stay warm.

import type { Slice } from '../batch.ts';
import { slicesOfGroup } from '../slices.ts';
import { evenRuns, type IndexRange, type Piece, placeRuns } from './run-placement.ts';

/** Work of one group, estimated (work-estimate.ts). */
export interface GroupWork {
  readonly group: number;
  /** Codes given out are [0, nextCode). */
  readonly nextCode: number;
  /** Code ranges that the group can be cut into usefully, at least 1. */
  readonly rangesMax: number;
  /** Spent by every invocation that has a slice of the group, however narrow: indexes, small sets. */
  readonly fixedMs: number;
  /** Shared out over the group's code ranges: containers of large sets, what is computed. */
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
  /** Invocations that a root sends itself, where there are inner nodes; 64 by default. */
  readonly directMax?: number;
  /** Dispatches that share the sender's thread at the moment; 0 by default. */
  readonly others?: number;
}

export interface FanOutPlan {
  /** Slices of each invocation, in order of (group, range). */
  readonly invocations: readonly (readonly Slice[])[];
  /** Inner nodes of the tree: runs of invocations. Absent: the root invokes them itself. */
  readonly branches?: readonly IndexRange[];
}

/**
 * Estimated work that an invocation of a function should have at least. A warm one takes 10 to 20 ms
 * before and after its work: with less than this the most would be spent on that (see the bench
 * fan-out-simulator, which prints what other minima give).
 */
export const invocationMsMin = 40;

/**
 * What an invocation costs the one thread of the node that sends it: signed, sent, its reply decoded and
 * merged. So many of them are done one after the other while the work itself is done side by side.
 */
const senderMs = 1.6;
/** Beyond so many, two levels are quicker than one, and leave the root's thread to other questions. */
const defaultDirectMax = 64;
/** Groups that differ by less are taken as even: a cut that follows noise cools caches. */
const evenWithin = 1.25;

export function planFanOut(work: readonly GroupWork[], limits: FanOutLimits): FanOutPlan {
  const groups = steadied(work);
  const wanted = wantedInvocations(groups, limits);
  // Finer than the heaviest piece that is left in any case, nothing would be quicker.
  const least = groups.map((group) => leastPieceMs(group, limits));
  const targetMs = Math.max(totalMs(groups) / wanted, ...least);
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

/**
 * As many as have enough to do, and from one sender no more than make the question quicker: with n of
 * them, work / n is the time of the workers and n * senderMs that of the sender, whose thread others
 * use too. A power of two: cuts of questions of other sizes nest in it.
 */
function wantedInvocations(groups: readonly GroupWork[], limits: FanOutLimits): number {
  const { invocationsMax, others = 0 } = limits;
  if (limits.invocationMsMin <= 0) return invocationsMax;
  const workMs = totalMs(groups);
  const paying = powerBelow(Math.min(invocationsMax, workMs / limits.invocationMsMin));
  if (isTree(paying, limits)) return paying;
  return Math.min(paying, powerBelow(Math.sqrt(workMs / (senderMs * (1 + others)))));
}

function powerBelow(count: number): number {
  return 2 ** Math.floor(Math.log2(Math.max(1, count)));
}

function isTree(
  invocations: number,
  { hasBranches = false, directMax = defaultDirectMax }: FanOutLimits,
): boolean {
  return hasBranches && invocations > directMax;
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

/** A group heavier than an even share is cut, or where a layout asks for it. */
function rangesOf(group: GroupWork, targetMs: number, limits: FanOutLimits): number {
  const { fixedMs, divisibleMs } = group;
  const asked = limits.rangesPerGroup ?? 1;
  if (fixedMs + divisibleMs <= evenWithin * targetMs) return asked;
  const ideal = Math.ceil(divisibleMs / Math.max(targetMs - fixedMs, 1e-9));
  return Math.max(asked, Math.min(ideal, usefulRanges(group, limits)));
}

function leastPieceMs(group: GroupWork, limits: FanOutLimits): number {
  return group.fixedMs + group.divisibleMs / usefulRanges(group, limits);
}

/** What each range does anew takes at most twice as long as what is its own. */
function usefulRanges(group: GroupWork, limits: FanOutLimits): number {
  const { fixedMs, divisibleMs, rangesMax } = group;
  const pieceMsMin = Math.max(fixedMs, limits.invocationMsMin) / 2;
  const useful = pieceMsMin > 0 ? Math.floor(divisibleMs / pieceMsMin) : rangesMax;
  return Math.max(1, Math.min(useful, rangesMax, limits.invocationsMax));
}

function withBranches(
  invocations: readonly (readonly Slice[])[],
  limits: FanOutLimits,
): FanOutPlan {
  if (!isTree(invocations.length, limits)) return { invocations };
  const count = Math.ceil(Math.sqrt(invocations.length));
  return { invocations, branches: evenRuns(invocations.length, count) };
}

function totalMs(groups: readonly GroupWork[]): number {
  return groups.reduce((sum, one) => sum + one.fixedMs + one.divisibleMs, 0);
}
