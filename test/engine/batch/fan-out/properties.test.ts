// Merging is associative: any tree over any partition of the slices gives what one merge of them all
// gives, for every ask.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Answer, Ask, Slice, SliceReply } from '../../../../engine/batch/batch.ts';
import { mergeReplies } from '../../../../engine/batch/merge.ts';

const rows = 3;
const idsMax = 1e6;
const asks: readonly Ask[] = [
  { ask: 'card', of: 0 },
  { ask: 'any', of: 0 },
  { ask: 'digest', of: 0 },
  { ask: 'ids', of: 0, idsMax },
  { ask: 'least', of: 0, n: Float64Array.of(0, 1, 3), from: new BigUint64Array(rows) },
  { ask: 'greatest', of: 1, n: Float64Array.of(2, 5, 1) },
  { ask: 'rows', fragment: 0 },
];

/** Which slice each id of each row is in, and which slice each detail row. */
interface World {
  readonly slices: number;
  readonly domain: 'integer' | 'string';
  readonly ids: readonly (readonly (readonly [number, bigint])[])[];
  readonly rowOwners: readonly number[];
  readonly words: readonly number[];
}

const worlds = fc.integer({ min: 1, max: 9 }).chain((slices) => {
  const id = fc.oneof(fc.bigInt(0n, 9n), fc.bigInt(2n ** 63n - 2n, 2n ** 64n - 1n));
  const set = fc.uniqueArray(fc.tuple(fc.nat(slices - 1), id), { selector: ([, one]) => one });
  return fc.record({
    slices: fc.constant(slices),
    domain: fc.constantFrom('integer' as const, 'string' as const),
    ids: fc.array(set, { minLength: rows, maxLength: rows }),
    rowOwners: fc.array(fc.nat(slices - 1), { maxLength: 20 }),
    words: fc.array(fc.constantFrom(0, 1, 2 ** 31, 2 ** 32 - 1), { minLength: 24, maxLength: 24 }),
  });
});

function keyRows(world: World, slice: number, pick: (ids: bigint[], row: number) => bigint[]) {
  const lists = world.ids.map((set, row) =>
    pick(
      set
        .filter(([owner]) => owner === slice)
        .map(([, id]) => id)
        .toSorted((a, b) => order(world, a, b)),
      row,
    ),
  );
  const values = lists.flat();
  const offsets = Uint32Array.from([
    0,
    ...lists.map((_, i) => lists.slice(0, i + 1).flat().length),
  ]);
  const keys =
    world.domain === 'integer'
      ? ({ domain: 'integer', values: BigUint64Array.from(values) } as const)
      : ({ domain: 'string', values: values.map(String) } as const);
  return { offsets, keys };
}

function order({ domain }: World, a: bigint, b: bigint): number {
  const [x, y] = domain === 'integer' ? [a, b] : [String(a), String(b)];
  if (x === y) return 0;
  return x < y ? -1 : 1;
}

function answersOf(world: World, slice: number): readonly Answer[] {
  const counts = world.ids.map((set) => set.filter(([owner]) => owner === slice).length);
  const owned = world.rowOwners.flatMap((owner, row) => (owner === slice ? [row] : []));
  const kept = (a: number) => (asks[a] as { readonly n: Float64Array }).n;
  return [
    { ask: 'card', counts: Float64Array.from(counts) },
    { ask: 'any', flags: Uint8Array.from(counts, (count) => (count > 0 ? 1 : 0)) },
    {
      ask: 'digest',
      words: Uint32Array.from({ length: 4 * rows }, (_, i) => world.words[(i + slice) % 24]!),
    },
    { ask: 'ids', ...keyRows(world, slice, (ids) => ids) },
    { ask: 'least', ...keyRows(world, slice, (ids, row) => ids.slice(0, kept(4)[row])) },
    {
      ask: 'greatest',
      ...keyRows(world, slice, (ids, row) => ids.toReversed().slice(0, kept(5)[row])),
    },
    {
      ask: 'rows',
      rows: owned.length,
      rowNumbers: Float64Array.from(owned),
      columns:
        owned.length === 0
          ? []
          : [
              { kind: 'number', values: Int32Array.from(owned, (row) => 7 * row) },
              { kind: 'string', values: owned.map((row) => `row ${row}`) },
            ],
    },
  ];
}

/** Replies joined at random, level by level, until one is left. */
function mergedByTree(
  replies: readonly SliceReply[],
  random: () => number,
  levels: number,
): readonly SliceReply[] {
  if (levels === 0 || replies.length <= 1) return replies;
  const children: SliceReply[][] = [];
  const width = 1 + Math.floor(random() * replies.length);
  for (const reply of replies) (children[Math.floor(random() * width)] ??= []).push(reply);
  const level = children.flatMap((below) => {
    const slices = below.flatMap((reply) => reply.slices);
    return [{ slices, answers: mergeReplies({ asks }, slices, below) }];
  });
  return mergedByTree(level, random, levels - 1);
}

it('any tree over any partition merges to what one merge gives', () => {
  const randoms = fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }));
  fc.assert(
    fc.property(worlds, fc.integer({ min: 1, max: 3 }), randoms, (world, levels, stream) => {
      const slices = Array.from(
        { length: world.slices },
        (_, i): Slice => ({
          group: i >> 1,
          codes: i % 2 === 0 ? { start: 0, end: 100 } : { start: 100, end: 2 ** 32 },
        }),
      );
      const replies = slices.map((slice, i) => ({ slices: [slice], answers: answersOf(world, i) }));
      const flat = mergeReplies({ asks }, slices, replies);
      const tree = mergedByTree(replies, () => stream.next().value, levels);
      expect(mergeReplies({ asks }, slices, tree)).toEqual(flat);
    }),
    { numRuns: 300 },
  );
});
