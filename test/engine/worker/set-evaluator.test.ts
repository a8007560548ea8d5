// Sets large enough to be bitmaps, and what a question costs in reads.

import { beforeAll, describe, expect, test } from 'vitest';
import type { Ask, SetColumn } from '../../../engine/batch/batch.ts';
import { dispatch } from '../../../engine/batch/dispatch.ts';
import { InProcessInvoker } from '../../../engine/batch/in-process-invoker.ts';
import { slicesOf } from '../../../engine/batch/slices.ts';
import { createWorkerEnvironment } from '../../../engine/worker/worker-environment.ts';
import { CountingStore } from '../../../object-store/counting-store.ts';
import { evaluateNaively, naiveAnswer, plainAnswer } from './naive-sets.ts';
import { batchOver, columnId, makeWorld, type World } from './world.ts';

const ids = Array.from({ length: 40_000 }, (_, i) =>
  BigInt.asUintN(64, BigInt(i) * 0x9e3779b97f4a7c15n),
);
const rows = [2, 3, 5, 7, 400, 50_000].map(
  (step, shift) => new Set(ids.filter((_, i) => (i + shift) % step === 0)),
);
const all = Int32Array.from(rows, (_, r) => r);
const stored: SetColumn = { op: 'stored', dictionary: 0, source: 0, columnId, rows: all };
const pairs = rows.flatMap((_, a) => rows.map((__, b) => [a, b] as const));

function matrix(how: 'and' | 'or' | 'xor' | 'andnot'): readonly SetColumn[] {
  return [
    stored,
    { op: 'take', of: 0, index: Int32Array.from(pairs, ([a]) => a) },
    { op: 'take', of: 0, index: Int32Array.from(pairs, ([, b]) => b) },
    { op: 'pair', how, a: 1, b: 2 },
    { op: 'take', of: 3, index: Int32Array.from(pairs, (_, i) => i) },
    {
      op: 'fold',
      how: 'or',
      of: 3,
      offsets: Uint32Array.of(0, 36),
      index: Int32Array.from(pairs, (_, i) => i),
    },
    {
      op: 'fold',
      how: 'and',
      of: 3,
      offsets: Uint32Array.from({ length: 37 }, (_, i) => i),
      index: Int32Array.from(pairs, (_, i) => i),
    },
  ];
}

describe.each([1, 3])('large sets in %i groups', (groups) => {
  let world: World;
  beforeAll(async () => {
    world = await makeWorld({ domain: 'integer', groups, commits: [ids], sources: [[rows]] });
  });

  test.each(['and', 'or', 'xor', 'andnot'] as const)('a matrix of %s', async (how) => {
    const sets = matrix(how);
    const asks: Ask[] = [
      { ask: 'card', of: 3 },
      { ask: 'any', of: 3 },
      { ask: 'card', of: 4 },
      { ask: 'digest', of: 3 },
      { ask: 'card', of: 5 },
      { ask: 'card', of: 6 },
    ];
    const done = evaluateNaively(sets, world.naive);
    const expected = asks.map((ask) => (ask.ask === 'digest' ? undefined : naiveAnswer(ask, done)));
    for (const ranges of [1, 3]) {
      const batch = batchOver(world, sets, asks);
      const invoker = new InProcessInvoker(createWorkerEnvironment(world.store));
      const { answers } = await dispatch(batch, slicesOf(batch, ranges), invoker);
      expect(
        answers.map((answer) => (answer.ask === 'digest' ? undefined : plainAnswer(answer))),
      ).toEqual(expected);
    }
  });

  test('a tree of operators, cold and hot', async () => {
    const sides = [0, 1, 2, 3].map((shift) => ({
      op: 'take' as const,
      of: 0,
      index: Int32Array.from(rows, (_, r) => (r < 3 ? (r + shift) % 3 : (r + shift) % 6)),
    }));
    const sets: readonly SetColumn[] = [
      stored,
      ...sides,
      { op: 'pair', how: 'and', a: 1, b: 2 },
      { op: 'pair', how: 'andnot', a: 3, b: 4 },
      { op: 'pair', how: 'or', a: 5, b: 6 },
    ];
    const expected = evaluateNaively(sets, world.naive)[7]?.map((set) => set.size);
    for (const ranges of [1, 3]) {
      const batch = batchOver(world, sets, [{ ask: 'card', of: 7 }]);
      const invoker = new InProcessInvoker(createWorkerEnvironment(world.store));
      for (let time = 0; time < 6; time++) {
        const { answers } = await dispatch(batch, slicesOf(batch, ranges), invoker);
        expect(answers.map(plainAnswer)).toEqual([expected]);
      }
    }
  });

  test('counts of stored sets read no payload, and warm questions read nothing', async () => {
    const store = new CountingStore(world.store);
    const invoker = new InProcessInvoker(createWorkerEnvironment(store));
    const sets: readonly SetColumn[] = [
      stored,
      { op: 'take', of: 0, index: Int32Array.of(5, -1, 0) },
      { op: 'concat', of: [1, 0] },
      { op: 'pair', how: 'and', a: 1, b: 1 },
    ];
    const counts = batchOver(world, sets, [
      { ask: 'card', of: 2 },
      { ask: 'any', of: 2 },
    ]);
    const done = evaluateNaively(sets, world.naive);
    const { answers } = await dispatch(counts, slicesOf(counts), invoker);
    expect(answers.map(plainAnswer)).toEqual(counts.asks.map((ask) => naiveAnswer(ask, done)));
    // One index, whatever the number of groups: they share a part.
    expect(store.counts()).toMatchObject({ reads: 1, rounds: 1 });
    const members = batchOver(world, sets, [{ ask: 'card', of: 3 }]);
    await dispatch(members, slicesOf(members), invoker);
    const payload = store.counts();
    expect(payload.rounds).toBe(2);
    await dispatch(members, slicesOf(members, 3), invoker);
    await dispatch(members, slicesOf(members), invoker);
    expect(store.counts()).toEqual(payload);
  });

  test('only the rows that an ask needs are read', async () => {
    const bytesFor = async (index: Int32Array) => {
      const store = new CountingStore(world.store);
      const invoker = new InProcessInvoker(createWorkerEnvironment(store));
      const sets: readonly SetColumn[] = [
        stored,
        { op: 'take', of: 0, index },
        {
          op: 'fold',
          how: 'or',
          of: 1,
          offsets: Uint32Array.of(0, index.length),
          index: index.map((_, i) => i),
        },
      ];
      const batch = batchOver(world, sets, [{ ask: 'card', of: 2 }]);
      const [answer] = (await dispatch(batch, slicesOf(batch), invoker)).answers;
      const done = evaluateNaively(sets, world.naive);
      expect(answer && plainAnswer(answer)).toEqual([done[2]?.[0]?.size]);
      return store.counts().bytesRead;
    };
    expect(await bytesFor(Int32Array.of(4, 5))).toBeLessThan((await bytesFor(all)) / 2);
  });
});

test('thousands of tiny sets, some large, over stripes: unions of any of them', async () => {
  const pool = ids.slice(0, 5000);
  const row = (r: number) =>
    new Set(Array.from({ length: r % 5 }, (_, i) => pool[(r * 31 + i * 7) % 5000]!));
  const stripe = (from: number, count: number) => [
    ...Array.from({ length: count }, (_, r) => row(from + r)),
    new Set(pool.filter((_, i) => i % 2 === from % 2)),
  ];
  const stripes = [stripe(0, 700), stripe(700, 500), stripe(5000, 300)];
  for (const groups of [1, 2]) {
    const many = await makeWorld({
      domain: 'integer',
      groups,
      commits: [pool],
      sources: [stripes],
    });
    const length = stripes.flat().length;
    const lists = [
      Array.from({ length }, (_, r) => r),
      Array.from({ length: 1100 }, (_, r) => r + 350),
      Array.from({ length: 1300 }, (_, r) => length - 1 - r),
    ];
    const sets: readonly SetColumn[] = [
      { ...stored, rows: Int32Array.from({ length }, (_, r) => r) },
      {
        op: 'fold',
        how: 'or',
        of: 0,
        offsets: Uint32Array.of(0, length, length + 1100, length + 2400),
        index: Int32Array.from(lists.flat()),
      },
    ];
    const expected = evaluateNaively(sets, many.naive)[1]?.map((set) => set.size);
    for (const ranges of [1, 3]) {
      const batch = batchOver(many, sets, [{ ask: 'card', of: 1 }]);
      const invoker = new InProcessInvoker(createWorkerEnvironment(many.store));
      const [answer] = (await dispatch(batch, slicesOf(batch, ranges), invoker)).answers;
      expect(answer && plainAnswer(answer)).toEqual(expected);
    }
  }
});
