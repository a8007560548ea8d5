// A batch's graph made simpler, looked at as data; that the answers stay is tested against naive sets
// here and in worker/invocation.test.ts, where every batch is dispatched.

import { describe, expect, test } from 'vitest';
import { type Ask, type Batch, batchFormat, type SetColumn } from '../../../engine/batch/batch.ts';
import { simplifyBatch } from '../../../engine/batch/simplified-batch.ts';
import { setGraph } from '../../../engine/worker/set-graph.ts';
import { evaluateNaively, naiveIds } from '../worker/naive-sets.ts';
import { asksOver, below, randomSets, seeded } from '../worker/random-batch.ts';

const columnId = 7;

function stored(rows: readonly number[], source = 0): SetColumn {
  return { op: 'stored', dictionary: 0, source, columnId, rows: Int32Array.from(rows) };
}

function take(of: number, index: readonly number[]): SetColumn {
  return { op: 'take', of, index: Int32Array.from(index) };
}

function fold(of: number, lists: readonly (readonly number[])[], how = 'or' as const): SetColumn {
  const offsets = Uint32Array.from([
    0,
    ...lists.map((_, i) => lists.slice(0, i + 1).flat().length),
  ]);
  return { op: 'fold', how, of, offsets, index: Int32Array.from(lists.flat()) };
}

function batchOf(sets: readonly SetColumn[], asks?: readonly Ask[]): Batch {
  return {
    format: batchFormat,
    namespace: 1,
    queryId: 'test',
    deadline: Number.MAX_SAFE_INTEGER,
    sources: [],
    dictionaries: [],
    sets,
    fragments: [],
    asks: asks ?? [{ ask: 'card', of: sets.length - 1 }],
  };
}

/** Without typed arrays, and what is asked of them. */
function plain(sets: readonly SetColumn[], asks?: readonly Ask[]) {
  const simple = simplifyBatch(batchOf(sets, asks));
  const bare = (column: SetColumn) =>
    Object.fromEntries(
      Object.entries(column).map(([key, value]) => [
        key,
        ArrayBuffer.isView(value) ? Array.from(value as Int32Array) : value,
      ]),
    );
  return {
    sets: simple.sets.map(bare),
    of: simple.asks.map((ask) => (ask.ask === 'rows' ? -1 : ask.of)),
  };
}

const leaf = { op: 'stored', dictionary: 0, source: 0, columnId };

describe('fewer steps', () => {
  test('portions of a scan that are joined again are the scan', () => {
    const portions = [stored([0, 1, 2, 3]), take(0, [0, 1]), take(0, [2, 3])];
    const joined: SetColumn = { op: 'concat', of: [1, 2] };
    expect(plain([...portions, joined, fold(3, [[0, 3], [1]])])).toEqual({
      sets: [
        { ...leaf, rows: [0, 1, 2, 3] },
        { op: 'fold', how: 'or', of: 0, offsets: [0, 2, 3], index: [0, 3, 1] },
      ],
      of: [1],
    });
  });

  test('rows of rows, in any order, and rows that are not there', () => {
    expect(plain([stored([5, 6, 7]), take(0, [2, -1, 0]), take(1, [1, 2, -1, 0])]).sets).toEqual([
      { ...leaf, rows: [5, 6, 7] },
      { op: 'take', of: 0, index: [-1, 0, -1, 2] },
    ]);
  });

  test('a fold of one row each is those rows', () => {
    expect(plain([stored([5, 6, 7]), fold(0, [[2], [], [0]], 'or')]).sets[1]).toEqual({
      op: 'take',
      of: 0,
      index: [2, -1, 0],
    });
    expect(plain([stored([5, 6]), fold(0, [[0], [1]])])).toEqual({
      sets: [{ ...leaf, rows: [5, 6] }],
      of: [0],
    });
  });

  test('portions of a scan that were read apart are one column', () => {
    const sets = [stored([0, 1]), stored([2, 3]), { op: 'concat', of: [0, 1] } as const];
    expect(plain([...sets, fold(2, [[0, 3]])]).sets).toEqual([
      { ...leaf, rows: [0, 1, 2, 3] },
      { op: 'fold', how: 'or', of: 0, offsets: [0, 2], index: [0, 3] },
    ]);
  });

  test('parts of different nodes stay joined', () => {
    const sets = [stored([0, 1]), stored([0, 1], 1), { op: 'concat', of: [0, 1] } as const];
    expect(plain(sets).sets[2]).toEqual({ op: 'concat', of: [0, 1] });
  });

  test('what nobody asks for is gone, and asks follow their nodes', () => {
    const sets = [stored([0]), stored([1]), stored([2])];
    expect(
      plain(sets, [
        { ask: 'card', of: 2 },
        { ask: 'any', of: 0 },
      ]),
    ).toEqual({
      sets: [
        { ...leaf, rows: [0] },
        { ...leaf, rows: [2] },
      ],
      of: [1, 0],
    });
  });
});

describe('once', () => {
  test('the same node twice', () => {
    const sets: SetColumn[] = [
      stored([0, 1]),
      stored([0, 1]),
      stored([0, 2]),
      { op: 'pair', how: 'xor', a: 1, b: 2 },
      { op: 'pair', how: 'xor', a: 2, b: 0 },
      { op: 'pair', how: 'andnot', a: 0, b: 2 },
      { op: 'pair', how: 'andnot', a: 2, b: 1 },
    ];
    const asks = sets.map((_, of): Ask => ({ ask: 'card', of }));
    expect(plain(sets, asks).of).toEqual([0, 0, 1, 2, 2, 3, 4]);
  });

  test('rows that a join repeats, of both its sides', () => {
    const many = Array.from({ length: 400 }, (_, i) => i);
    const a = stored(many.map((i) => 3 * Math.floor(i / 20)));
    const b = stored(many.map((i) => (i % 23 === 0 ? -1 : 3 * (i % 20))));
    const { sets } = plain([a, b, { op: 'pair', how: 'xor', a: 0, b: 1 }]);
    expect(sets.map(({ op }) => op)).toEqual(['stored', 'take', 'take', 'pair', 'take']);
    const [base, first, second, , taken] = sets as { rows?: number[]; index?: number[] }[];
    expect(base!.rows).toEqual(Array.from({ length: 20 }, (_, i) => 3 * i));
    const pairs = new Set(
      many.map((i) =>
        [3 * Math.floor(i / 20), i % 23 === 0 ? -1 : 3 * (i % 20)].sort((x, y) => x - y).join(),
      ),
    );
    expect(first!.index).toHaveLength(pairs.size);
    taken!.index!.forEach((pair, i) => {
      const rows = [first!.index![pair]!, second!.index![pair]!].map((row) =>
        row < 0 ? -1 : 3 * row,
      );
      const own = [
        Array.from((a as { rows: Int32Array }).rows)[i]!,
        Array.from((b as { rows: Int32Array }).rows)[i]!,
      ];
      expect(rows.sort((x, y) => x - y)).toEqual(own.sort((x, y) => x - y));
    });
  });

  test('rows in order, few rows, and rows that hardly repeat stay as they are', () => {
    const ops = (rows: readonly number[]) =>
      plain([
        stored(rows),
        {
          op: 'fold',
          how: 'or',
          of: 0,
          offsets: Uint32Array.of(0, rows.length),
          index: Int32Array.from(rows, (_, i) => i),
        },
      ]).sets.map(({ op }) => op);
    const up = (count: number) => Array.from({ length: count }, (_, i) => i);
    expect(ops(up(500))).toEqual(['stored', 'fold']);
    expect(ops([...up(30), ...up(30)])).toEqual(['stored', 'fold']);
    expect(ops([...up(500), ...up(30)])).toEqual(['stored', 'fold']);
  });

  test('a matrix: each unordered pair', () => {
    const all = [0, 1, 2].flatMap((a) => [0, 1, 2].map((b) => [a, b] as const));
    const sides = [
      take(
        0,
        all.map(([a]) => a),
      ),
      take(
        0,
        all.map(([, b]) => b),
      ),
    ];
    const sets: SetColumn[] = [stored([4, 5, 6]), ...sides, { op: 'pair', how: 'and', a: 1, b: 2 }];
    const simple = plain(sets);
    expect(simple.sets.slice(1)).toEqual([
      { op: 'take', of: 0, index: [0, 0, 0, 1, 1, 2] },
      { op: 'take', of: 0, index: [0, 1, 2, 1, 2, 2] },
      { op: 'pair', how: 'and', a: 1, b: 2 },
      { op: 'take', of: 3, index: [0, 1, 2, 1, 3, 4, 2, 4, 5] },
    ]);
    const ordered = plain([...sets.slice(0, 3), { op: 'pair', how: 'andnot', a: 1, b: 2 }]);
    expect(ordered.sets).toHaveLength(4);
  });
});

describe('scans of the same stripes', () => {
  const part = (object: string) => ({ object, offset: 0 });
  const source = (rows: number, ...objects: string[]) => ({
    groups: 4,
    stripes: objects.map((object) => ({ shape: 'objects', rows, parts: [part(object)] })),
  });
  const pair: SetColumn = { op: 'pair', how: 'and', a: 0, b: 1 };
  const placeOf = (...sources: readonly object[]) => {
    const sets = [stored([0, 1], 0), stored([0, 1], 1), pair];
    const batch = { ...batchOf(sets), sources } as unknown as Batch;
    return simplifyBatch(batch).sets.at(-1);
  };

  test('are one', () => {
    expect(placeOf(source(9, 'x', 'y'), source(9, 'x', 'y'))).toMatchObject({ a: 0, b: 0 });
    expect(placeOf(source(9, 'x'), source(9, 'y'))).toMatchObject({ a: 0, b: 1 });
    expect(placeOf(source(9, 'x'), source(9, 'x', 'y'))).toMatchObject({ a: 0, b: 1 });
    expect(placeOf(source(9, 'x'), source(8, 'x'))).toMatchObject({ a: 0, b: 1 });
  });
});

describe('chains', () => {
  const leaves = [0, 1, 2, 3].map((source) => stored([0, 1], source));
  const chain: SetColumn[] = [
    ...leaves,
    { op: 'pair', how: 'and', a: 0, b: 1 },
    { op: 'pair', how: 'and', a: 4, b: 2 },
    { op: 'pair', how: 'and', a: 3, b: 5 },
  ];

  test('a and b and c and d is one fold', () => {
    expect(plain(chain).sets.slice(4)).toEqual([
      { op: 'concat', of: [0, 1, 2, 3] },
      { op: 'fold', how: 'and', of: 4, offsets: [0, 4, 8], index: [0, 2, 4, 6, 1, 3, 5, 7] },
    ]);
  });

  test('a link that somebody else needs stays', () => {
    const asks: Ask[] = [
      { ask: 'card', of: 6 },
      { ask: 'card', of: 4 },
    ];
    const { sets, of } = plain(chain, asks);
    expect(sets[of[1] ?? -1]).toMatchObject({ op: 'pair', a: 0, b: 1 });
    expect(sets[of[0] ?? -1]).toMatchObject({ op: 'fold', offsets: [0, 3, 6] });
  });

  test('operators do not mix', () => {
    const mixed: SetColumn[] = [
      ...chain.slice(0, 5),
      { op: 'pair', how: 'or', a: 4, b: 2 },
      { op: 'pair', how: 'and', a: 5, b: 3 },
    ];
    expect(plain(mixed).sets.map(({ op }) => op)).not.toContain('fold');
  });
});

test('random graphs say the same after it, and no more nodes are needed', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seeded(seed);
    const ids = Array.from({ length: 40 }, (_, i) => BigInt(i));
    const rows = Array.from({ length: 6 }, () => new Set(ids.filter(() => random() < 0.4)));
    const sources = [rows.slice(0, 4), rows.slice(4)];
    const sets = randomSets({
      random,
      domain: 'integer',
      columnId,
      ids,
      sources: sources.map((source) => source.length),
      nodes: 3 + below(random, 12),
    });
    const naive = sources.map((source) => new Map([[columnId, source]]));
    const graph = setGraph(batchOf(sets, []));
    const batch = batchOf(sets, asksOver(sets, graph.lengths));
    const simple = simplifyBatch(batch);
    const before = evaluateNaively(sets, naive);
    const after = evaluateNaively(simple.sets, naive);
    expect(simplifyBatch(simple).sets.length).toBeLessThanOrEqual(simple.sets.length);
    for (const [a, ask] of batch.asks.entries()) {
      const moved = simple.asks[a];
      if (ask.ask === 'rows' || moved === undefined || moved.ask === 'rows') continue;
      const answer = { seed, sets: after[moved.of]?.map(naiveIds) };
      expect(answer).toEqual({ seed, sets: before[ask.of]?.map(naiveIds) });
    }
  }
});
