// Every layout gives the answers of the naive twin. Batches travel as bytes, parts and segments are
// real ones in a memory store.

import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import type { Answer, Ask, SetColumn } from '../../../engine/batch/batch.ts';
import { dispatch } from '../../../engine/batch/dispatch.ts';
import { InProcessInvoker } from '../../../engine/batch/in-process-invoker.ts';
import { slicesOf } from '../../../engine/batch/slices.ts';
import { setGraph } from '../../../engine/worker/set-graph.ts';
import { createWorkerEnvironment } from '../../../engine/worker/worker-environment.ts';
import { evaluateNaively, type Id, naiveAnswer, plainAnswer } from './naive-sets.ts';
import { asksOver, below, pick, randomSets, seeded } from './random-batch.ts';
import { batchOver, columnId, makeWorld, type World } from './world.ts';

const layouts = [1, 2, 3, 7].flatMap((groups) => [1, 3].map((ranges) => ({ groups, ranges })));

async function answersOf(
  world: World,
  question: { readonly sets: readonly SetColumn[]; readonly asks: readonly Ask[] },
  ranges: number,
): Promise<readonly Answer[]> {
  const batch = batchOver(world, question.sets, question.asks);
  const invoker = new InProcessInvoker(createWorkerEnvironment(world.store));
  return (await dispatch(batch, slicesOf(batch, ranges), invoker)).answers;
}

function idPool(random: () => number, domain: 'integer' | 'string', count: number): Id[] {
  const edges = [0n, 1n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n];
  const ids = Array.from({ length: count }, (_, i) => edges[i] ?? BigInt(below(random, 300)));
  return [...new Set(ids.map((id) => (domain === 'string' ? `id\xff${id}` : id)))];
}

function randomWorld(random: () => number, groups: number, sparse: boolean) {
  const domain = pick(random, ['integer', 'integer', 'string'] as const);
  const ids = idPool(random, domain, 120);
  const known = ids.slice(0, 90);
  const cut = below(random, 60);
  const stripe = () =>
    Array.from({ length: 1 + below(random, 5) }, () => {
      const size = sparse ? below(random, 4) : below(random, known.length);
      return new Set(Array.from({ length: size }, () => pick(random, known)));
    });
  const sources = [[stripe(), stripe()], [stripe()]];
  const commits = [known.slice(0, cut), known.slice(cut)];
  return { settings: { domain, groups, commits, sources }, ids };
}

for (const density of ['dense', 'sparse'] as const) {
  for (const { groups, ranges } of layouts) {
    test(`${density} sets, ${groups} groups, ${ranges} ranges`, async () => {
      for (let seed = 1; seed <= 60; seed++) {
        const random = seeded(seed * 1000 + groups);
        const { settings, ids } = randomWorld(random, groups, density === 'sparse');
        const world = await makeWorld(settings);
        const sets = randomSets({
          random,
          domain: settings.domain,
          sources: settings.sources.map((stripes) => stripes.flat().length),
          columnId,
          ids,
          nodes: 3 + below(random, 9),
        });
        const batch = batchOver(world, sets, []);
        const asks = asksOver(sets, setGraph(batch).lengths);
        const done = evaluateNaively(sets, world.naive);
        const answers = await answersOf(world, { sets, asks }, ranges);
        answers.forEach((answer, a) => {
          const ask = asks[a];
          if (ask === undefined) throw new Error('an answer to no question');
          expect({ seed, ask, is: plainAnswer(answer) }).toEqual({
            seed,
            ask,
            is: naiveAnswer(ask, done),
          });
        });
      }
    });
  }
}

describe('mistakes that distribution invites', () => {
  const ids = Array.from({ length: 90 }, (_, i) => BigInt(i * 7));
  const strangers = [1n, 2n, 3n, 2n ** 64n - 1n];
  const rows = [
    new Set(ids),
    new Set<bigint>(),
    new Set(ids.slice(0, 2)),
    new Set(ids.slice(1, 3)),
  ];
  const stored: SetColumn = {
    op: 'stored',
    dictionary: 0,
    source: 0,
    columnId,
    rows: Int32Array.of(0, 1, 2, 3),
  };
  const literal = (list: readonly bigint[]): SetColumn => ({
    op: 'raw',
    dictionary: 0,
    ids: {
      keys: { domain: 'integer', values: BigUint64Array.from(list) },
      offsets: Uint32Array.of(0, list.length),
      ordinals: Uint32Array.from(list.keys()),
    },
  });

  async function everywhere(sets: readonly SetColumn[], ask: Ask): Promise<readonly unknown[]> {
    const seen = new Set<string>();
    let last: unknown;
    for (const { groups, ranges } of layouts) {
      const settings = { domain: 'integer', groups, commits: [ids], sources: [[rows]] } as const;
      const [answer] = await answersOf(await makeWorld(settings), { sets, asks: [ask] }, ranges);
      last = answer && plainAnswer(answer);
      seen.add(JSON.stringify(last, (_, v: unknown) => (typeof v === 'bigint' ? `${v}` : v)));
    }
    expect(seen.size).toBe(1);
    return last as readonly unknown[];
  }

  test('an id that nobody knows is neither dropped nor counted by every range', async () => {
    const sets = [literal(strangers), literal([...strangers.slice(2), 7n])];
    const pair: SetColumn = { op: 'pair', how: 'and', a: 0, b: 1 };
    expect(await everywhere(sets, { ask: 'card', of: 0 })).toEqual([4]);
    expect(await everywhere([...sets, pair], { ask: 'ids', of: 2, idsMax: 9 })).toEqual([
      [3n, 2n ** 64n - 1n],
    ]);
  });

  test('a row that is empty in a slice stays where it is', async () => {
    const shifted: SetColumn = { op: 'take', of: 0, index: Int32Array.of(1, 2, 3, -1) };
    const pair: SetColumn = { op: 'pair', how: 'and', a: 0, b: 1 };
    expect(await everywhere([stored, shifted, pair], { ask: 'card', of: 2 })).toEqual([0, 0, 1, 0]);
  });

  test('an AND over a list with the empty set is empty, an empty list too', async () => {
    const fold: SetColumn = {
      op: 'fold',
      how: 'and',
      of: 0,
      offsets: Uint32Array.of(0, 2, 3, 5, 5),
      index: Int32Array.of(0, 1, 2, 2, -1),
    };
    expect(await everywhere([stored, fold], { ask: 'card', of: 1 })).toEqual([0, 2, 0, 0]);
  });

  test('the least n are the least of all slices, not n of each', async () => {
    const n = Float64Array.of(3, 3, 3, 1);
    const from = BigUint64Array.of(8n, 0n, 0n, 0n);
    expect(await everywhere([stored], { ask: 'least', of: 0, n, from })).toEqual([
      [14n, 21n, 28n],
      [],
      [0n, 7n],
      [7n],
    ]);
    expect(await everywhere([stored], { ask: 'greatest', of: 0, n })).toEqual([
      [623n, 616n, 609n],
      [],
      [7n, 0n],
      [14n],
    ]);
  });
});

test('an aborted or late invocation stops with its error', async () => {
  const world = await makeWorld({ domain: 'integer', groups: 1, commits: [[1n]], sources: [] });
  const batch = { ...batchOver(world, [], []), deadline: systemClock.now() - 1 };
  const invoker = new InProcessInvoker(createWorkerEnvironment(world.store));
  await expect(dispatch(batch, slicesOf(batch), invoker)).rejects.toMatchObject({ code: 159 });
  const aborted = { signal: AbortSignal.abort() };
  const fresh = batchOver(world, [], []);
  await expect(dispatch(fresh, slicesOf(fresh), invoker, aborted)).rejects.toMatchObject({
    code: 394,
  });
});

test('cancelling one question does not disturb another that waits for the same reads', async () => {
  const rows = [new Set([1n, 2n])];
  const settings = {
    domain: 'integer',
    groups: 2,
    commits: [[1n, 2n]],
    sources: [[rows]],
  } as const;
  const world = await makeWorld(settings);
  const sets: readonly SetColumn[] = [
    { op: 'stored', dictionary: 0, source: 0, columnId, rows: Int32Array.of(0) },
  ];
  const batch = batchOver(world, sets, [{ ask: 'card', of: 0 }]);
  const invoker = new InProcessInvoker(createWorkerEnvironment(world.store));
  const controller = new AbortController();
  const { signal } = controller;
  const first = dispatch(batch, slicesOf(batch), invoker, { signal });
  const second = dispatch(batch, slicesOf(batch), invoker);
  controller.abort();
  await expect(first).rejects.toMatchObject({ code: 394 });
  expect((await second).answers.map(plainAnswer)).toEqual([[2]]);
});
