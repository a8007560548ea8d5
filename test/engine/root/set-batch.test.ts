// Cutting the set graph down to what is asked: random graphs, evaluated naively before and after.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../engine/batch/batch.ts';
import { buildBatch, type SetAsk } from '../../../engine/root/set-batch.ts';
import { SetGraph, type SetNodeId } from '../../../engine/root/set-graph.ts';

const header = { namespace: 1, queryId: 'q', deadline: 0 };
const sourceRows = 8;

type Ids = ReadonlySet<number>;

/** Set r of the stored column holds these ids. */
const storedIds = (row: number): Ids => new Set(row < 0 ? [] : [row, row + 1, (row * 5) % 7]);

type Step = {
  readonly op: number;
  readonly a: number;
  readonly b: number;
  readonly picks: number[];
};

const steps = fc.array(
  fc.record({
    op: fc.nat(6),
    a: fc.nat(30),
    b: fc.nat(30),
    picks: fc.array(fc.nat(40), { maxLength: 7 }),
  }),
  { minLength: 1, maxLength: 14 },
);

function freshGraph(): SetGraph {
  const graph = new SetGraph();
  const ref = {
    dictionary: 1,
    domain: 'integer',
    groups: 1,
    nextCodes: [9],
    segments: [],
  } as const;
  graph.addDictionary({ key: '1/1', name: 'd', namespace: 1, ref });
  graph.addSource({ groups: 1, stripes: [] });
  return graph;
}

function grow(graph: SetGraph, list: readonly Step[]): SetNodeId[] {
  const ids: SetNodeId[] = [
    graph.stored({ source: 0, columnId: 1, dictionary: 0, length: sourceRows }),
  ];
  for (const { op, a, b, picks } of list) {
    const of = ids[a % ids.length]!;
    const { length } = graph.node(of);
    const index = Int32Array.from(picks, (pick) => (length === 0 ? -1 : (pick % (length + 1)) - 1));
    const other = ids[b % ids.length]!;
    if (op === 0) ids.push(graph.take(of, index));
    else if (op === 1) ids.push(graph.concat([of, other]));
    else if (op === 2) ids.push(graph.pair('xor', of, aligned(graph, other, length)));
    else if (op === 3) ids.push(graph.pair('andnot', of, aligned(graph, other, length)));
    else if (op === 4)
      ids.push(
        graph.fold(
          b % 2 === 0 ? 'or' : 'xor',
          of,
          lists(
            index.filter((row) => row >= 0),
            b,
          ),
        ),
      );
    else if (op === 5) ids.push(graph.raw(literals(picks)));
    else ids.push(graph.range(of, bounds(length, 1n), bounds(length, BigInt(b % 9))));
  }
  return ids;
}

const bounds = (length: number, value: bigint): BigUint64Array =>
  new BigUint64Array(length).fill(value);

function aligned(graph: SetGraph, id: SetNodeId, length: number): SetNodeId {
  const own = graph.node(id).length;
  return graph.take(
    id,
    Int32Array.from({ length }, (_, i) => (i < own ? i : -1)),
  );
}

function lists(index: Int32Array, seed: number) {
  const cut = index.length === 0 ? 0 : seed % (index.length + 1);
  return { index, offsets: Uint32Array.of(0, cut, cut, index.length) };
}

function literals(picks: readonly number[]) {
  const values = [...new Set(picks)];
  const offsets = Uint32Array.from({ length: values.length + 1 }, (_, i) => i);
  const ordinals = Uint32Array.from(values, (_, i) => i);
  return {
    keys: { domain: 'integer' as const, values: BigUint64Array.from(values, BigInt) },
    offsets,
    ordinals,
  };
}

type AnyNode = Batch['sets'][number] & { readonly length?: number };

function evaluate(node: AnyNode, of: (id: number) => Ids[]): Ids[] {
  switch (node.op) {
    case 'stored': {
      const rows =
        (node.rows as Int32Array | undefined) ??
        Int32Array.from({ length: sourceRows }, (_, i) => i);
      return Array.from(rows, storedIds);
    }
    case 'raw': {
      const { keys, offsets, ordinals } = node.ids;
      return Array.from(
        { length: offsets.length - 1 },
        (_, row) =>
          new Set(
            Array.from(ordinals.subarray(offsets[row], offsets[row + 1]), (o) =>
              Number(keys.values[o]),
            ),
          ),
      );
    }
    case 'grouped':
    case 'here':
      throw new Error('sets in a worker are none of a plan');
    case 'take': {
      const sets = of(node.of);
      return Array.from(node.index, (row) => (row < 0 ? new Set<number>() : sets[row]!));
    }
    case 'concat':
      return node.of.flatMap(of);
    case 'fold': {
      const sets = of(node.of);
      return Array.from({ length: node.offsets.length - 1 }, (_, row) => {
        const rows = node.index.subarray(node.offsets[row], node.offsets[row + 1]);
        const listed = Array.from(rows, (r) => sets[r]!);
        const none: Ids = new Set<number>();
        return listed.reduce((a, b) => pair(node.how, a, b), none);
      });
    }
    case 'pair': {
      const b = of(node.b);
      return of(node.a).map((a, i) => pair(node.how, a, b[i]!));
    }
    case 'range':
      return of(node.of).map(
        (set, i) =>
          new Set([...set].filter((id) => BigInt(id) >= node.from[i]! && BigInt(id) < node.to[i]!)),
      );
  }
}

function pair(how: string, a: Ids, b: Ids): Ids {
  const onlyA = [...a].filter((id) => !b.has(id));
  if (how === 'or') return new Set([...a, ...b]);
  return new Set(how === 'andnot' ? onlyA : [...onlyA, ...[...b].filter((id) => !a.has(id))]);
}

const sorted = (sets: readonly Ids[]): number[][] =>
  sets.map((set) => [...set].sort((a, b) => a - b));

describe('a batch', () => {
  it('asks of the same sets as the graph', () => {
    fc.assert(
      fc.property(steps, fc.array(fc.nat(30), { minLength: 1, maxLength: 3 }), (list, picks) => {
        const graph = freshGraph();
        const ids = grow(graph, list);
        const asks = picks.map((pick): SetAsk => ({ ask: 'card', of: ids[pick % ids.length]! }));
        const batch = buildBatch(graph, asks, header);
        const whole = (id: number): Ids[] => evaluate(graph.node(id) as AnyNode, whole);
        const cut = (id: number): Ids[] => evaluate(batch.sets[id]!, cut);
        batch.asks.forEach((ask, i) => {
          const before = asks[i]!;
          if (ask.ask !== 'card' || before.ask !== 'card') throw new Error('cards');
          expect(sorted(cut(ask.of))).toEqual(sorted(whole(before.of)));
        });
      }),
      { numRuns: 500, seed: 3 },
    );
  });

  it('holds only rows that are needed', () => {
    const graph = freshGraph();
    const stored = graph.stored({ source: 0, columnId: 1, dictionary: 0, length: 1_000_000 });
    const folded = graph.fold('or', stored, {
      offsets: Uint32Array.of(0, 2, 4),
      index: Int32Array.of(7, 900_000, 8, 9),
    });
    const batch = buildBatch(
      graph,
      [{ ask: 'card', of: graph.take(folded, Int32Array.of(0)) }],
      header,
    );
    expect(batch.sets.map((set) => ('rows' in set ? [...set.rows] : set.op))).toEqual([
      [7, 900_000],
      'fold',
      'take',
    ]);
  });
});
