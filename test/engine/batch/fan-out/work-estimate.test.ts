// What a batch is expected to cost, group by group: from rows asked for and what the catalog knows.

import { describe, expect, it } from 'vitest';
import type { PartPlace } from '../../../../catalog/entry.ts';
import type { Ask, Batch, SetColumn, StripeRef } from '../../../../engine/batch/batch.ts';
import { planFanOut } from '../../../../engine/batch/fan-out/fan-out-plan.ts';
import { estimateWork } from '../../../../engine/batch/fan-out/work-estimate.ts';

const megabyte = 1_000_000;

function part(groupFirst: number, groupCount: number, bytes: number): PartPlace {
  const place = { object: 'a', objectBytes: bytes, offset: 0, bytes, checksum: 0, shared: false };
  return { ...place, index: { start: 0, end: 100 }, groupFirst, groupCount };
}

/** One part for each group, of so many bytes; a hundred rows. */
function stripe(groupBytes: readonly number[]): StripeRef {
  return {
    shape: 'objects',
    rows: 100,
    parts: groupBytes.map((bytes, group) => part(group, 1, bytes)),
    groupBytes,
  };
}

function batchOf(
  stripes: readonly StripeRef[],
  sets: readonly SetColumn[],
  asks: readonly Ask[],
  nextCodes = [2 ** 20, 2 ** 20],
): Batch {
  const ref = { dictionary: 1, domain: 'integer', segments: [] } as const;
  return {
    format: 1,
    namespace: 1,
    queryId: 'q',
    deadline: 0,
    sources: [{ groups: nextCodes.length, stripes }],
    dictionaries: [{ ...ref, groups: nextCodes.length, nextCodes }],
    sets,
    fragments: [],
    asks,
  } as unknown as Batch;
}

const stored = (rows: number): SetColumn => ({
  op: 'stored',
  dictionary: 0,
  source: 0,
  columnId: 1,
  rows: Int32Array.from({ length: rows }, (_, r) => r),
});
const even = [stripe([9 * megabyte, 9 * megabyte])];

describe('reading', () => {
  it('counts of stored sets open indexes alone', () => {
    const [first, second] = estimateWork(batchOf(even, [stored(100)], [{ ask: 'card', of: 0 }]));
    expect(first).toMatchObject({ group: 0, fixedMs: 1, divisibleMs: 0, rangesMax: 16 });
    expect(second).toMatchObject({ group: 1, fixedMs: 1, divisibleMs: 0 });
    const counts = estimateWork(batchOf(even, [stored(100)], [{ ask: 'card', of: 0 }]));
    const limits = { invocationsMax: 64, invocationMsMin: 40 };
    expect(planFanOut(counts, limits).invocations).toHaveLength(1);
  });

  it('large sets are read range by range, small ones by each range that needs them', () => {
    const ofLength = (members: number): StripeRef => ({
      ...stripe([9 * megabyte, 9 * megabyte]),
      groupCardinality: [100 * members, 100 * members],
    });
    const work = (members: number) =>
      estimateWork(batchOf([ofLength(members)], [stored(100)], [{ ask: 'digest', of: 0 }]));
    const small = work(2048);
    const large = work(2049);
    expect(small.map(({ fixedMs }) => Math.round(fixedMs))).toEqual([101, 101]);
    expect(large.map(({ fixedMs }) => Math.round(fixedMs))).toEqual([1, 1]);
    const more = large.map(({ divisibleMs }, g) => divisibleMs - small[g]!.divisibleMs);
    expect(more.map(Math.round)).toEqual([100, 100]);
  });

  it('an index is opened once, however many ask for what it holds', () => {
    const asks: Ask[] = [
      { ask: 'card', of: 0 },
      { ask: 'card', of: 1 },
    ];
    const work = estimateWork(batchOf(even, [stored(100), stored(50)], asks));
    expect(work.map(({ fixedMs }) => fixedMs)).toEqual([1, 1]);
  });

  it('sets are read in the part that is asked for, each stripe in its group', () => {
    const skewed = [stripe([9 * megabyte, 0]), stripe([9 * megabyte, 18 * megabyte])];
    const sets: SetColumn[] = [stored(150), { op: 'pair', how: 'and', a: 0, b: 0 }];
    const work = estimateWork(batchOf(skewed, sets, [{ ask: 'card', of: 1 }]));
    expect(work.map(({ fixedMs }) => Math.round(fixedMs))).toEqual([2 + 100 + 50, 2 + 100]);
  });

  it('sets are read once, however many nodes they are in', () => {
    const sets = [stored(100), stored(100), stored(30)];
    const asks = sets.map((_, of): Ask => ({ ask: 'digest', of }));
    const work = estimateWork(batchOf(even, sets, asks));
    expect(work.map(({ fixedMs }) => Math.round(fixedMs))).toEqual([101, 101]);
  });

  it('stripes that no row is of are not touched', () => {
    const work = estimateWork(
      batchOf([...even, ...even], [stored(100)], [{ ask: 'digest', of: 0 }]),
    );
    expect(work.map(({ fixedMs }) => Math.round(fixedMs))).toEqual([101, 101]);
  });

  it('a part of all groups is opened once by who has them all', () => {
    const packed = { ...stripe([10, 10]), parts: [part(0, 2, 20)] };
    const { groupBytes: _, ...bare } = packed;
    for (const one of [packed, bare]) {
      const work = estimateWork(batchOf([one], [stored(100)], [{ ask: 'card', of: 0 }]));
      expect(work.map(({ fixedMs }) => fixedMs)).toEqual([0.5, 0.5]);
    }
  });

  it('literals are looked up in all segments of their dictionary', () => {
    const ids = { keys: { domain: 'integer', values: BigUint64Array.of(1n) } } as const;
    const raw: SetColumn = {
      op: 'raw',
      dictionary: 0,
      ids: { ...ids, offsets: Uint32Array.of(0, 1), ordinals: Uint32Array.of(0) },
    };
    const batch = batchOf([], [raw], [{ ask: 'card', of: 0 }]);
    const [dictionary] = batch.dictionaries;
    const segments = [0, 0, 1].map((group) => ({ group })) as unknown as [];
    const asked = { ...batch, dictionaries: [{ ...dictionary!, segments }] };
    expect(estimateWork(asked).map(({ fixedMs }) => fixedMs)).toEqual([2, 1]);
  });
});

describe('computing', () => {
  it('a matrix costs by its distinct pairs, and is shared by the bytes of groups', () => {
    const pairs = 900;
    const index = Int32Array.from({ length: pairs }, (_, i) => i % 100);
    const sets: SetColumn[] = [
      stored(100),
      { op: 'take', of: 0, index },
      { op: 'pair', how: 'and', a: 1, b: 1 },
    ];
    const skewed = [stripe([10 * megabyte, 30 * megabyte])];
    const work = estimateWork(batchOf(skewed, sets, [{ ask: 'card', of: 2 }]));
    const total = (100 * 2 * ((40 * megabyte) / 100)) / 10_000_000;
    expect(work.map(({ divisibleMs }) => Math.round(divisibleMs))).toEqual([
      Math.round(total / 4),
      Math.round((3 * total) / 4),
    ]);
  });

  it('pairs cost something in every group, and once whatever is asked about them', () => {
    const index = (by: number) => Int32Array.from({ length: 5000 }, (_, i) => (i * by) % 100);
    const sets = (...hows: readonly ('and' | 'xor')[]): SetColumn[] => [
      stored(100),
      { op: 'take', of: 0, index: index(1) },
      { op: 'take', of: 0, index: index(3) },
      ...hows.map((how) => ({ op: 'pair', how, a: 1, b: 2 }) as const),
    ];
    const skewed = [stripe([10 * megabyte, 0])];
    const estimate = (...hows: readonly ('and' | 'xor')[]) =>
      estimateWork(
        batchOf(
          skewed,
          sets(...hows),
          hows.map((_, i): Ask => ({ ask: 'card', of: 3 + i })),
        ),
      );
    const [first, second] = estimate('and');
    // A hundred unordered pairs at most, ten thousand of them in a ms.
    expect(second!.divisibleMs).toBeGreaterThan(0.004);
    expect(second!.divisibleMs).toBeLessThan(0.02);
    expect(first!.divisibleMs).toBeGreaterThan(second!.divisibleMs);
    expect(estimate('and', 'xor')).toEqual(estimate('and'));
  });

  it('ids are decoded: the more, the longer', () => {
    const few = estimateWork(batchOf(even, [stored(1)], [{ ask: 'ids', of: 0, idsMax: 1 }]));
    const many = estimateWork(batchOf(even, [stored(100)], [{ ask: 'ids', of: 0, idsMax: 1 }]));
    expect(many[0]!.divisibleMs).toBeCloseTo(100 * few[0]!.divisibleMs, 6);
    expect(many[0]!.divisibleMs).toBeGreaterThan(100);
  });

  it('folds go through all that they list', () => {
    const lists = (each: number): SetColumn[] => [
      stored(100),
      {
        op: 'fold',
        how: 'or',
        of: 0,
        offsets: Uint32Array.of(0, each),
        index: Int32Array.from({ length: each }, (_, i) => i % 100),
      },
    ];
    const ms = (each: number) =>
      estimateWork(batchOf(even, lists(each), [{ ask: 'card', of: 1 }]))[0]!.divisibleMs;
    expect(ms(1000)).toBeCloseTo(10 * ms(100), 6);
  });
});

it('a batch about nothing is no work, and one invocation', () => {
  const work = estimateWork(batchOf([], [], [], []));
  expect(work).toEqual([{ group: 0, nextCode: 0, rangesMax: 1, fixedMs: 0, divisibleMs: 0 }]);
  const limits = { invocationsMax: 9, invocationMsMin: 0 };
  expect(planFanOut(work, limits).invocations).toHaveLength(1);
});

it('detail rows are cut by stripe', () => {
  const rows = {
    ...batchOf([stripe([megabyte]), stripe([megabyte]), stripe([megabyte])], [], []),
    dictionaries: [],
    fragments: [{ source: 0, columns: [1], answered: 1, rowsMax: 1000 }],
    asks: [{ ask: 'rows', fragment: 0 }],
  } as unknown as Batch;
  const work = estimateWork(rows);
  expect(work).toMatchObject([{ group: 0, nextCode: 2 ** 32, rangesMax: 3, fixedMs: 0 }]);
  const plan = (invocationMsMin: number) =>
    planFanOut(work, { invocationsMax: 8, invocationMsMin }).invocations.length;
  expect(plan(0)).toBe(3);
  expect(plan(40)).toBe(1);
});
