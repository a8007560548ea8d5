// What is not read must not matter: questions with literals of a few ids over every operator, against
// the naive twin; and how little they read.

import { beforeAll, describe, expect, test } from 'vitest';
import type { Ask, SetColumn } from '../../../engine/batch/batch.ts';
import { dispatch } from '../../../engine/batch/dispatch.ts';
import { InProcessInvoker } from '../../../engine/batch/in-process-invoker.ts';
import { slicesOf } from '../../../engine/batch/slices.ts';
import { containersOf, literalsMet } from '../../../engine/worker/wanted-codes.ts';
import { createWorkerEnvironment } from '../../../engine/worker/worker-environment.ts';
import { CountingStore } from '../../../object-store/counting-store.ts';
import { SetList } from '../../../storage-format/set-vector.ts';
import { evaluateNaively, naiveAnswer, plainAnswer } from './naive-sets.ts';
import { seeded } from './random-batch.ts';
import { batchOver, columnId, makeWorld, type World } from './world.ts';

const ids = Array.from({ length: 150_000 }, (_, i) =>
  BigInt.asUintN(64, BigInt(i) * 0x9e3779b97f4a7c15n),
);
const rows = [2, 3, 5, 50_000].map(
  (step, shift) => new Set(ids.filter((_, i) => (i + shift) % step === 0)),
);
const stored: SetColumn = {
  op: 'stored',
  dictionary: 0,
  source: 0,
  columnId,
  rows: Int32Array.from(rows, (_, r) => r),
};

/** Row r holds the r-th list. */
function literal(...lists: readonly (readonly bigint[])[]): SetColumn {
  const offsets = [0];
  for (const list of lists) offsets.push(offsets.at(-1)! + list.length);
  const values = BigUint64Array.from(lists.flat());
  return {
    op: 'raw',
    dictionary: 0,
    ids: {
      keys: { domain: 'integer', values },
      offsets: Uint32Array.from(offsets),
      ordinals: Uint32Array.from(values, (_, i) => i),
    },
  };
}

const pickRow = (of: number, row: number): SetColumn => ({
  op: 'take',
  of,
  index: Int32Array.of(row, row, row, row),
});
const fold = (how: 'or' | 'and' | 'xor', of: number): SetColumn => ({
  op: 'fold',
  how,
  of,
  offsets: Uint32Array.of(0, 4, 6, 6, 8),
  index: Int32Array.of(0, 1, 2, 3, 0, 2, 3, 1),
});
const pair = (how: 'and' | 'or' | 'xor' | 'andnot', a: number, b: number): SetColumn => ({
  op: 'pair',
  how,
  a,
  b,
});

const few = literal([ids[7]!, ids[149_990]!], [ids[80_000]!], [], [ids[60_001]!, 3n]);

/** Node 0 is stored, node 1 a literal of a few ids. */
const shapes: Readonly<Record<string, readonly SetColumn[]>> = {
  'a and a literal': [pair('and', 0, 1)],
  'a literal and a': [pair('and', 1, 0)],
  'a literal without a': [pair('andnot', 1, 0)],
  'a without a literal': [pair('andnot', 0, 1)],
  'a or a literal': [pair('or', 0, 1)],
  'a union and a literal': [fold('or', 0), pair('and', 2, 1)],
  'a xor and a literal': [fold('xor', 0), pair('and', 1, 2)],
  'an intersection and one list of it': [fold('and', 0), pickRow(1, 3), pair('and', 2, 3)],
  'pairs of rows and a literal': [pickRow(0, 1), pair('xor', 0, 2), pair('and', 3, 1)],
  'what is asked about itself too': [pair('and', 0, 1), pair('or', 0, 2)],
  'two literals': [literal([ids[9]!], [ids[8]!], [], []), pair('and', 0, 1), pair('and', 0, 2)],
};

/** Of these only a few containers matter. */
const narrow = Object.keys(shapes).filter(
  (name) =>
    !['a without a literal', 'a or a literal', 'what is asked about itself too'].includes(name),
);

describe.each([1, 2])('literals of few ids in %i groups', (groups) => {
  let world: World;
  beforeAll(async () => {
    world = await makeWorld({ domain: 'integer', groups, commits: [ids], sources: [[rows]] });
  }, 60_000);

  test.each(Object.entries(shapes))('%s', async (name, columns) => {
    const sets = [stored, few, ...columns];
    const nodes = [sets.length - 1, ...(name === 'two literals' ? [3] : [])];
    const asks = nodes.flatMap((of): Ask[] => [
      { ask: 'any', of },
      { ask: 'card', of },
      { ask: 'ids', of, idsMax: 10 ** 7 },
    ]);
    const done = evaluateNaively(sets, world.naive);
    for (const ranges of [1, 3]) {
      const batch = batchOver(world, sets, asks);
      const invoker = new InProcessInvoker(createWorkerEnvironment(world.store));
      const { answers } = await dispatch(batch, slicesOf(batch, ranges), invoker);
      expect(answers.map(plainAnswer)).toEqual(asks.map((ask) => naiveAnswer(ask, done)));
    }
  });

  test.each(narrow)('%s: reads a few containers', async (name) => {
    const sets = [stored, few, ...shapes[name]!];
    const store = new CountingStore(world.store);
    const invoker = new InProcessInvoker(createWorkerEnvironment(store));
    const asks: readonly Ask[] = [{ ask: 'any', of: sets.length - 1 }];
    const batch = batchOver(world, sets, asks);
    await dispatch(batch, slicesOf(batch, 1), invoker);
    // Three large rows of up to 50 KB, of which at most three or four containers are needed each.
    const pages = 4096 * 5;
    expect(store.counts().bytesRead).toBeLessThan(pages + 4 * 3 * (8192 + 200) + 4000);
  });

  test('questions that change from one to the next are right over what was read before', async () => {
    const random = seeded(groups);
    const invoker = new InProcessInvoker(createWorkerEnvironment(world.store));
    for (let round = 0; round < 8; round++) {
      const list = () =>
        Array.from(
          { length: Math.floor(random() * 4) },
          () => ids[Math.floor(random() * ids.length)]!,
        );
      const columns = Object.values(shapes)[Math.floor(random() * 10)]!;
      const sets = [stored, literal(list(), list(), list(), list()), ...columns];
      const ask: Ask = { ask: 'card', of: sets.length - 1 };
      const batch = batchOver(world, sets, [ask]);
      const ranges = 1 + Math.floor(random() * 3);
      const { answers } = await dispatch(batch, slicesOf(batch, ranges), invoker);
      expect(answers.map(plainAnswer)).toEqual([
        naiveAnswer(ask, evaluateNaively(sets, world.naive)),
      ]);
    }
  }, 60_000);
});

test('a node whose count stands in the index is not needed for it', () => {
  const sets = [stored, few, pair('and', 0, 1), pickRow(0, 2)];
  const graph = { columns: sets, lengths: [4, 4, 4, 4], dictionaries: [0, 0, 0, 0] };
  const asks: readonly Ask[] = [
    { ask: 'any', of: 2 },
    { ask: 'card', of: 3 },
  ];
  expect(literalsMet(graph, asks, true)[0]).toEqual(new Set([1]));
  expect(literalsMet(graph, asks, false)[0]).toBeUndefined();
});

test('long literals are not waited for', () => {
  const long = literal(ids.slice(0, 65), [], [], []);
  const graph = {
    columns: [stored, long, pair('and', 0, 1)],
    lengths: [4, 4, 4],
    dictionaries: [],
  };
  expect(literalsMet(graph, [{ ask: 'any', of: 2 }], true)[0]).toBeUndefined();
});

test('containers of literals: ascending, each once', () => {
  const lists = new SetList([Uint32Array.of(70_000, 4_294_967_295), Uint32Array.of(3, 65_536)]);
  expect(containersOf([lists, lists], 2 ** 32)).toEqual([
    { start: 0, end: 65_536 },
    { start: 65_536, end: 131_072 },
    { start: 4_294_901_760, end: 4_294_967_296 },
  ]);
  expect(containersOf([], 2 ** 32)).toEqual([]);
  // Codes that only literals have are in nothing that is stored.
  expect(containersOf([lists], 65_537)).toHaveLength(2);
  expect(containersOf([lists], 65_536)).toEqual([{ start: 0, end: 65_536 }]);
  expect(containersOf([lists], 3)).toEqual([]);
});
