// Plans as data: what meets in one invocation, what is cut, and how many there are.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  evenPlan,
  type FanOutLimits,
  type GroupWork,
  planFanOut,
  slicesOfPlan,
} from '../../../../engine/batch/fan-out/fan-out-plan.ts';
import { isWholeGroup } from '../../../../engine/batch/slices.ts';

const million = 2 ** 20;
const limits: FanOutLimits = { invocationsMax: 64, invocationMsMin: 40 };

function groups(count: number, work: Partial<GroupWork> = {}): GroupWork[] {
  return Array.from({ length: count }, (_, group) => ({
    group,
    nextCode: million,
    rangesMax: 16,
    fixedMs: 10,
    divisibleMs: 90,
    ...work,
  }));
}

/** Which groups each invocation has, a group of several ranges once for each. */
function shape(work: readonly GroupWork[], given: Partial<FanOutLimits> = {}): number[][] {
  const { invocations } = planFanOut(work, { ...limits, ...given });
  return invocations.map((slices) => slices.map(({ group }) => group));
}

describe('how many', () => {
  it('little work is one invocation, however many groups', () => {
    expect(shape(groups(64, { fixedMs: 0.5, divisibleMs: 0 }))).toHaveLength(1);
    expect(shape(groups(64, { fixedMs: 0, divisibleMs: 0 }))).toHaveLength(1);
  });

  it('each has enough to do: small groups are batched, neighbours together', () => {
    const small = groups(16, { fixedMs: 5, divisibleMs: 5 });
    expect(shape(small)).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9, 10, 11],
      [12, 13, 14, 15],
    ]);
  });

  it('no more than one sender sends while they work, fewer while it sends for others', () => {
    const work = groups(64, { fixedMs: 5, divisibleMs: 45 });
    expect(shape(work)).toHaveLength(32);
    expect(shape(work, { others: 3 })).toHaveLength(16);
    expect(shape(work, { others: 100 })).toHaveLength(4);
    expect(shape(work, { others: 100, invocationMsMin: 0 })).toHaveLength(64);
  });

  it('no more than the limit, and no more than there are slices', () => {
    expect(shape(groups(16), { invocationsMax: 5 }).length).toBeLessThanOrEqual(5);
    expect(shape(groups(4, { rangesMax: 1 }))).toEqual([[0], [1], [2], [3]]);
  });

  it('without a least amount of work all is spread', () => {
    const small = groups(4, { fixedMs: 0.1, divisibleMs: 0 });
    expect(shape(small, { invocationMsMin: 0, invocationsMax: 3 })).toHaveLength(2);
    expect(shape(small, { invocationMsMin: 0, invocationsMax: 9 })).toHaveLength(4);
    const nothing = groups(5, { fixedMs: 0, divisibleMs: 0 });
    expect(shape(nothing, { invocationMsMin: 0, invocationsMax: 2 })).toEqual([
      [0, 1],
      [2, 3, 4],
    ]);
  });
});

describe('cuts', () => {
  it('a heavy group is cut by code range, between containers', () => {
    const work = groups(8, { fixedMs: 10, divisibleMs: 30 });
    work[3] = { ...work[3]!, divisibleMs: 800 };
    const { invocations } = planFanOut(work, limits);
    const heavy = invocations.flat().filter(({ group }) => group === 3);
    expect(heavy.length).toBeGreaterThan(8);
    expect(heavy.every(({ codes }) => codes.start % 65_536 === 0)).toBe(true);
    expect(
      invocations
        .flat()
        .filter(({ group }) => group !== 3)
        .every(isWholeGroup),
    ).toBe(true);
    const evened = Math.max(...invocations.map((slices) => loadOf(slices, work)));
    expect(evened).toBeLessThan(840 / 4);
  });

  it('but not where all of its reading would be repeated', () => {
    const work = groups(2, { fixedMs: 1000, divisibleMs: 900 });
    expect(shape(work)).toEqual([[0], [1]]);
  });

  it('groups about as heavy as each other are never cut apart by noise', () => {
    const work = groups(64).map((one) => ({ ...one, divisibleMs: 90 + 9 * Math.sin(one.group) }));
    expect(shape(work)).toEqual(shape(groups(64)));
    expect(shape(work, { invocationsMax: 16 }).map(({ length }) => length)).toEqual(
      Array.from({ length: 16 }, () => 4),
    );
  });

  it('nor by a drift from group to group', () => {
    const work = groups(64).map((one) => ({ ...one, divisibleMs: 80 + one.group / 3 }));
    expect(shape(work, { invocationsMax: 8 }).map(({ length }) => length)).toEqual(
      Array.from({ length: 8 }, () => 8),
    );
  });

  it('none where a heavier one that cannot be cut takes longer anyway', () => {
    const work = groups(64, { divisibleMs: 300 });
    expect(planFanOut(work, limits).invocations.flat().length).toBe(64);
    const wide = { ...limits, invocationsMax: 256, hasBranches: true };
    expect(planFanOut(work, wide).invocations.flat().length).toBeGreaterThan(64);
    work[5] = { ...work[5]!, divisibleMs: 3000, rangesMax: 1 };
    expect(planFanOut(work, wide).invocations.flat().length).toBe(64);
  });

  it('as many code ranges as a layout asks for, however small', () => {
    const tiny = groups(3, { nextCode: 7, rangesMax: 1, fixedMs: 1, divisibleMs: 0 });
    expect(shape(tiny, { rangesPerGroup: 3, invocationsMax: 1 })).toEqual([
      [0, 0, 0, 1, 1, 1, 2, 2, 2],
    ]);
  });
});

describe('trees', () => {
  it('begin beyond 64 invocations, where there are inner nodes', () => {
    const work = groups(256, { divisibleMs: 500 });
    const wide = { ...limits, invocationsMax: 256 };
    expect(planFanOut(work, wide).branches).toBeUndefined();
    expect(planFanOut(work, { ...limits, hasBranches: true }).branches).toBeUndefined();
    const { invocations, branches = [] } = planFanOut(work, { ...wide, hasBranches: true });
    expect(invocations).toHaveLength(256);
    expect(branches).toHaveLength(16);
    expect(branches.every(({ start, end }) => end - start === 16)).toBe(true);
    expect(branches[0]?.start).toBe(0);
    expect(branches.at(-1)?.end).toBe(256);
  });

  it('are not made of less than 64, nor of what one heavy group would hold up', () => {
    const wide = { ...limits, invocationsMax: 256, hasBranches: true };
    const light = groups(64, { fixedMs: 5, divisibleMs: 45 });
    expect(planFanOut(light, { ...wide, directMax: 63 }).branches).toHaveLength(8);
    expect(planFanOut(light, wide).branches).toBeUndefined();
    const heavy = groups(256, { rangesMax: 1 });
    heavy[9] = { ...heavy[9]!, divisibleMs: 2000 };
    const { invocations } = planFanOut(heavy, wide);
    expect(invocations.length).toBeLessThanOrEqual(Math.ceil((256 * 100) / 2000) + 3);
  });
});

const anyGroup = fc.record({
  nextCode: fc.oneof(fc.constantFrom(0, 1, 65_535, 65_536), fc.nat(2 ** 24)),
  rangesMax: fc.integer({ min: 1, max: 40 }),
  fixedMs: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 300, noNaN: true })),
  divisibleMs: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 3000, noNaN: true })),
});
const anyWork = fc
  .array(anyGroup, { minLength: 1, maxLength: 70 })
  .map((all) => all.map((one, group): GroupWork => ({ ...one, group })));
const anyLimits = fc.record({
  invocationsMax: fc.integer({ min: 1, max: 300 }),
  invocationMsMin: fc.constantFrom(0, 1, 40),
  rangesPerGroup: fc.constantFrom(1, 3),
  hasBranches: fc.boolean(),
});

describe('any plan', () => {
  it('partitions every group, keeps the limits, and is the same the next time', () => {
    fc.assert(
      fc.property(anyWork, anyLimits, (work, given) => {
        const plan = planFanOut(work, given);
        expect(planFanOut(work, given)).toEqual(plan);
        expect(plan.invocations.length).toBeLessThanOrEqual(given.invocationsMax);
        expect(plan.invocations.every((slices) => slices.length > 0)).toBe(true);
        const slices = slicesOfPlan(plan);
        for (const { group } of work) {
          const own = slices.filter((slice) => slice.group === group);
          expect(own[0]?.codes.start).toBe(0);
          expect(own.at(-1)?.codes.end).toBe(2 ** 32);
          own.forEach((slice, i) => {
            expect(slice.codes.end).toBeGreaterThan(slice.codes.start);
            if (i > 0) expect(slice.codes.start).toBe(own[i - 1]?.codes.end);
          });
        }
        const covered = plan.branches?.flatMap(({ start, end }) =>
          plan.invocations.slice(start, end),
        );
        expect(covered ?? plan.invocations).toEqual(plan.invocations);
      }),
    );
  });

  it('is at most twice as slow as an even share, where cuts cost nothing', () => {
    const free = anyWork.map((work) =>
      work.map((one) => ({ ...one, fixedMs: 0, nextCode: 2 ** 24, rangesMax: 256 })),
    );
    fc.assert(
      fc.property(free, fc.integer({ min: 1, max: 64 }), (work, invocationsMax) => {
        const { invocations } = planFanOut(work, { invocationsMax, invocationMsMin: 0 });
        const total = work.reduce((sum, one) => sum + one.divisibleMs, 0);
        const heaviest = Math.max(...invocations.map((slices) => loadOf(slices, work)));
        expect(heaviest).toBeLessThanOrEqual((2 * 1.25 * total) / invocationsMax + 1e-6);
      }),
    );
  });
});

it('given slices are shared out evenly', () => {
  const slices = slicesOfPlan(planFanOut(groups(7), limits)).slice(0, 7);
  expect(evenPlan(slices, 3).invocations.map(({ length }) => length)).toEqual([2, 2, 3]);
  expect(evenPlan(slices, 99).invocations).toHaveLength(7);
});

/** Codes are dense, so that a range's share of the codes is its share of the work. */
function loadOf(
  slices: readonly { readonly group: number; readonly codes: { start: number; end: number } }[],
  work: readonly GroupWork[],
): number {
  const groupsHere = new Set(slices.map(({ group }) => group));
  let load = 0;
  for (const group of groupsHere) load += work[group]!.fixedMs;
  for (const { group, codes } of slices) {
    const { nextCode, divisibleMs } = work[group]!;
    const end = Math.min(codes.end, nextCode);
    load += divisibleMs * (nextCode === 0 ? 1 : (end - codes.start) / nextCode);
  }
  return load;
}
