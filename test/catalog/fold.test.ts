// Folded or not, pages and tail together say what a plain list of commits says. Limits are tiny, so
// that few commits make deep trees.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openCatalog } from '../../catalog/catalog.ts';
import type { Catalog } from '../../catalog/port.ts';
import type { StripeEntry } from '../../catalog/entry.ts';
import type { CatalogLimits } from '../../catalog/limits.ts';
import type { DictionaryId, TableId } from '../../catalog/schema.ts';
import type { EntryBounds, Snapshot } from '../../catalog/snapshot.ts';
import { CountingStore } from '../../object-store/counting-store.ts';
import { MemoryStore } from '../../object-store/memory-store.ts';
import { FaultyStore } from '../object-store/faulty-store.ts';
import {
  addStripe,
  createTable,
  propose,
  sampleSegment,
  sampleStripe,
  sampleTable,
} from './samples.ts';

const tiny: Partial<CatalogLimits> = {
  tailFoldBytes: 400,
  recordBytesMax: 1_500,
  rootBytesMax: 600,
  leafRowsMax: 3,
  leafBytesMax: 600,
  innerBytesMax: 700,
};

type Step =
  | { readonly do: 'add'; readonly table: 1 | 2; readonly stripes: readonly [string, string][] }
  | { readonly do: 'segment'; readonly group: number; readonly count: number }
  | { readonly do: 'merge'; readonly group: number; readonly from: number; readonly many: number }
  | {
      readonly do: 'merge-stripes';
      readonly table: 1 | 2;
      readonly partition: string;
      readonly from: number;
      readonly many: number;
    }
  | { readonly do: 'truncate'; readonly table: 1 | 2; readonly partition: string | undefined };

const partition = fc.constantFrom('', 'a', 'b', '\u00ff', 'partition');
const table = fc.constantFrom<1 | 2>(1, 2);
const key = fc.string({ unit: fc.constantFrom('a', 'b', '\u00ff', '\u0000'), maxLength: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      table,
      stripes: fc.array(fc.tuple(partition, key), { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('segment' as const),
      group: fc.nat(3),
      count: fc.integer({ min: 1, max: 1_000_000 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('merge' as const),
      group: fc.nat(3),
      from: fc.nat(9),
      many: fc.integer({ min: 2, max: 5 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('merge-stripes' as const),
      table,
      partition,
      from: fc.nat(4),
      many: fc.integer({ min: 1, max: 5 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('truncate' as const),
      table,
      partition: fc.option(partition, { nil: undefined }),
    }),
  },
);

interface ModelStripe {
  readonly table: number;
  readonly partition: string;
  /** Of a merged one that of its first. */
  readonly rows: number;
  readonly key: string;
  readonly keyMax: string;
}

describe('Invariant C1: pages and tail against a plain list', () => {
  it('any commits, read warm and cold, whole and pruned', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), partition, key, async (steps, p, k) => {
        const store = new MemoryStore();
        const catalog = await openCatalog(store, { limits: tiny });
        await catalog.createDatabase('d');
        await catalog.commit('d', createTable());
        const other = sampleTable({ table: 2, column: 3, dictionary: 1 });
        await catalog.commit('d', propose({ kind: 'create-table', table: other }));
        let model: ModelStripe[] = [];
        const next = [0, 0, 0, 0];
        const cuts: number[][] = [[0], [0], [0], [0]];
        let rows = 0;
        for (const action of steps) {
          if (action.do === 'add') {
            const added = action.stripes.map(([where, what]) => ({
              table: action.table,
              partition: where,
              rows: ++rows,
              key: what,
              keyMax: `${what}~`,
            }));
            model.push(...added);
            await catalog.commit('d', propose(...added.map(stripeChange)));
          } else if (action.do === 'segment') {
            const { group, count } = action;
            const segment = sampleSegment(1, { group, base: next[group] ?? 0, count });
            await catalog.commit('d', propose({ kind: 'add-segment', segment }));
            next[group] = (next[group] ?? 0) + count;
            cuts[group]?.push(next[group]);
          } else if (action.do === 'merge') {
            await mergeSome(catalog, action, cuts[action.group] ?? []);
          } else if (action.do === 'merge-stripes') {
            model = await mergeStripes(catalog, action, model);
          } else {
            const { partition: only } = action;
            const gone = (s: ModelStripe) =>
              s.table === action.table && (only === undefined || s.partition === only);
            model = model.filter((stripe) => !gone(stripe));
            const change = { kind: 'truncate-table', table: action.table as TableId } as const;
            await catalog.commit(
              'd',
              propose(only === undefined ? change : { ...change, partition: only }),
            );
          }
        }
        const cold = await openCatalog(store);
        for (const snapshot of [await catalog.snapshot('d'), await cold.snapshot('d')]) {
          await expectEqual(snapshot, model, cuts);
          await expectPruned(snapshot, model, { partition: p, key: k });
        }
      }),
      { numRuns: 60, seed: 3 },
    );
  });
});

function stripeChange(one: ModelStripe) {
  return { kind: 'add-stripe', stripe: stripeOf(one) } as const;
}

function stripeOf({ table: id, partition: where, rows, key: what, keyMax }: ModelStripe) {
  return sampleStripe(id, rows, { partition: where, keyMin: what, keyMax });
}

/** The model afterwards. */
async function mergeStripes(
  catalog: Catalog,
  { table: id, partition: where, from, many }: Extract<Step, { do: 'merge-stripes' }>,
  model: ModelStripe[],
): Promise<ModelStripe[]> {
  const own = model.filter((one) => one.table === id && one.partition === where);
  const taken = own.slice(from, from + many);
  const first = taken[0];
  if (first === undefined) return model;
  const keys = taken.map(({ key: what }) => what).sort();
  const ends = taken.map(({ keyMax }) => keyMax).sort();
  const merged = { ...first, key: keys[0] ?? '', keyMax: ends.at(-1) ?? '' };
  await catalog.commit('d', {
    propose: async (snapshot) => {
      const live = await snapshot.stripes(id as TableId);
      const inputs = live.filter(
        (one) => one.partition === where && taken.some(({ rows }) => rows === one.rows),
      );
      const { version: readAt } = snapshot;
      return { changes: [{ kind: 'merge-stripes', stripe: stripeOf(merged), inputs, readAt }] };
    },
  });
  return model.flatMap((one) => (one === first ? [merged] : taken.includes(one) ? [] : [one]));
}

/** `cuts`: where the group's segments begin, and where the last one ends. */
async function mergeSome(
  catalog: Catalog,
  { group, from, many }: Extract<Step, { do: 'merge' }>,
  cuts: number[],
) {
  const [base, end] = [cuts[from], cuts[from + many]];
  if (base === undefined || end === undefined) return;
  const segment = sampleSegment(1, { group, base, count: end - base });
  await catalog.commit('d', {
    propose: async ({ version }) => ({
      changes: [{ kind: 'merge-segments', segment, readAt: version }],
    }),
  });
  cuts.splice(from + 1, many - 1);
}

async function expectEqual(snapshot: Snapshot, model: ModelStripe[], cuts: number[][]) {
  for (const id of [1, 2]) {
    const found = await snapshot.stripes(id as TableId);
    const wanted = model.filter((stripe) => stripe.table === id);
    expect(found.map(summary)).toEqual(sorted(wanted));
  }
  expect(snapshot.nextCodes(1 as DictionaryId)).toEqual(cuts.map((ends) => ends.at(-1)));
  const found: number[][] = [[0], [0], [0], [0]];
  for (const { group, base, count } of await snapshot.segments(1 as DictionaryId)) {
    expect(base).toBe(found[group]?.at(-1));
    found[group]?.push(base + count);
  }
  expect(found).toEqual(cuts);
}

async function expectPruned(
  snapshot: Snapshot,
  model: ModelStripe[],
  asked: { readonly partition: string; readonly key: string },
) {
  const keep = ({ partitionMin, partitionMax, keyMin, keyMax }: EntryBounds): boolean =>
    partitionMin <= asked.partition &&
    asked.partition <= partitionMax &&
    keyMin <= asked.key &&
    asked.key <= keyMax;
  const found = await snapshot.stripes(1 as TableId, keep);
  const wanted = model.filter(
    (stripe) =>
      stripe.table === 1 &&
      stripe.partition === asked.partition &&
      stripe.key <= asked.key &&
      asked.key <= stripe.keyMax,
  );
  expect(found.map(summary)).toEqual(sorted(wanted));
}

// Rows count up in the order of commits.
function sorted(stripes: ModelStripe[]) {
  return stripes
    .toSorted((a, b) =>
      a.partition < b.partition ? -1 : a.partition > b.partition ? 1 : a.rows - b.rows,
    )
    .map(({ partition: where, rows }) => ({ partition: where, rows }));
}

function summary({ partition: where, rows }: StripeEntry) {
  return { partition: where, rows };
}

describe('heads stay small', () => {
  it('over 10,000 commits, and a commit stays one PUT but for its share of folds', async () => {
    const store = new CountingStore(new MemoryStore());
    const catalog = await openCatalog(store);
    await catalog.createDatabase('d');
    await catalog.commit('d', createTable());
    store.reset();
    let base = 0;
    for (let n = 1; n <= 10_000; n++) {
      const stripe = sampleStripe(1, n, { partition: `2024-${String(n % 12).padStart(2, '0')}` });
      const segment = sampleSegment(1, { group: 0, base, count: 3 }, n);
      base += 3;
      await catalog.commit(
        'd',
        propose({ kind: 'add-stripe', stripe }, { kind: 'add-segment', segment }),
      );
      if (n % 1_000 === 0) {
        const heads = store.calls.filter(({ kind }) => kind === 'create');
        const sizes = heads.map(({ bytes }) => bytes);
        expect(Math.max(...sizes)).toBeLessThan(64 * 1024);
        const counts = store.counts();
        expect(counts.creates).toBe(1_000);
        // A fold of some 130 commits writes at most a leaf for each of the twelve partitions, one of
        // segments, one of the schemas and one of the log, and an inner page of each tree.
        expect(counts.puts).toBeLessThan(1_000 / 5);
        expect(counts.lists).toBe(0);
        store.reset();
      }
    }
    const snapshot = await (await openCatalog(store)).snapshot('d');
    expect(await snapshot.stripes(1 as TableId)).toHaveLength(10_000);
    expect(snapshot.nextCodes(1 as DictionaryId)[0]).toBe(30_000);
  }, 60_000);

  it('a record too large for a tail is folded by its own head', async () => {
    const store = new CountingStore(new MemoryStore());
    const catalog = await openCatalog(store);
    await catalog.createDatabase('d');
    await catalog.commit('d', createTable());
    const many = Array.from({ length: 100 }, (_, n) => {
      const wide = new Array<number>(4096).fill(123_456);
      const changes = { partition: `p${n}`, groupBytes: wide, groupCardinality: wide };
      return { kind: 'add-stripe', stripe: sampleStripe(1, n + 1, changes) } as const;
    });
    store.reset();
    await catalog.commit('d', propose(...many));
    const head = store.calls.find(({ kind }) => kind === 'create');
    expect(head?.bytes).toBeLessThan(64 * 1024);
    const cold = await (await openCatalog(store)).snapshot('d');
    expect(await cold.stripes(1 as TableId)).toHaveLength(100);
  });
});

describe('folds that fail', () => {
  it('do not fail commits until the tail is full, then 252', async () => {
    const inner = new MemoryStore();
    const fault = { at: 0, everyLater: true, moment: 'before', kind: 'fail' } as const;
    const broken = new FaultyStore(inner, { ...fault, calls: ['put'] });
    const limits = { tailFoldBytes: 1_000, headBytesMax: 8_000, fullTailMs: 50 };
    const catalog = await openCatalog(broken, { limits });
    await catalog.createDatabase('d');
    await catalog.commit('d', createTable());
    let done = 0;
    const fill = async (): Promise<void> => {
      for (; done < 1_000; done++) await catalog.commit('d', addStripe(done + 1));
    };
    await expect(fill()).rejects.toMatchObject({ code: 252 });
    expect(done).toBeGreaterThan(20);
    const healthy = await openCatalog(inner, { limits });
    await healthy.commit('d', addStripe(done + 1));
    const snapshot = await healthy.snapshot('d');
    expect(await snapshot.stripes(1 as TableId)).toHaveLength(done + 1);
  });
});
