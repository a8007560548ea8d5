// The check at every rebase: what fits the replaced head, and what must be proposed again.

import { describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { type AnyChange, codesPerGroupMax } from '../../catalog/batch-change.ts';
import { openCatalog } from '../../catalog/catalog.ts';
import { type CatalogState, emptyContents } from '../../catalog/catalog-state.ts';
import { addProposal, emptyBatch, uploadedInTime } from '../../catalog/commit-batch.ts';
import type { Change, CommitRequest } from '../../catalog/commit.ts';
import { firstHead, type Head } from '../../catalog/head.ts';
import { PageCache, PageStore } from '../../catalog/page-store.ts';
import type { DictionaryId, NamespaceId, TableId } from '../../catalog/schema.ts';
import { fileDigest } from '../../catalog/token-lookup.ts';
import { MemoryStore } from '../../object-store/memory-store.ts';
import {
  addStripe,
  createTable,
  propose,
  sampleDictionary,
  sampleSegment,
  sampleStripe,
  sampleTable,
} from './samples.ts';

const t1 = 1 as TableId;
const d1 = 1 as DictionaryId;
const hourMs = 3_600_000;
const pages = new PageStore(
  { store: new MemoryStore(), cache: new PageCache(1), clock: systemClock },
  1 as NamespaceId,
);
const table = sampleTable({ table: 1, column: 1, dictionary: 1 }, 't');

function state(head: Partial<Head> = {}, nextCodes = [0, 0, 0, 0]): CatalogState {
  const first = firstHead({
    namespace: 1 as NamespaceId,
    commitId: 'a'.repeat(32),
    date: 0,
    keepMs: 24 * hourMs,
  });
  return {
    head: {
      ...first,
      nextTableId: 2 as TableId,
      nextDictionaryId: 2 as DictionaryId,
      nextColumnId: 3,
      ...head,
    },
    contents: {
      ...emptyContents,
      tables: new Map([['t', table]]),
      tablesById: new Map([[t1, table]]),
      dictionaries: new Map([[d1, sampleDictionary(1)]]),
      nextCodes: new Map([[d1, nextCodes]]),
    },
  };
}

async function outcomeOf(on: CatalogState, changes: readonly AnyChange[], uploadedAfter?: number) {
  const batch = emptyBatch(on, { commitId: 'b'.repeat(32), date: 0 });
  const proposal = uploadedAfter === undefined ? { changes } : { changes, uploadedAfter };
  return addProposal(batch, proposal, pages);
}

function lastCodes(count: number): AnyChange {
  const codes = { group: 0, base: codesPerGroupMax - 1, count };
  return { kind: 'add-segment', segment: sampleSegment(1, codes) };
}

const stripe: AnyChange = { kind: 'add-stripe', stripe: sampleStripe(1, 1) };

describe('the check', () => {
  it.each<[string, AnyChange]>([
    [
      'a table id that moved',
      { kind: 'create-table', table: sampleTable({ table: 1, column: 3 }) },
    ],
    [
      'a column id that moved',
      { kind: 'create-table', table: sampleTable({ table: 2, column: 1 }) },
    ],
    [
      'a name that is taken',
      { kind: 'create-table', table: sampleTable({ table: 2, column: 3 }, 't') },
    ],
    ['an unknown table', { kind: 'add-stripe', stripe: sampleStripe(2, 1) }],
    ['another schema', { kind: 'add-stripe', stripe: sampleStripe(1, 1, { schemaVersion: 2 }) }],
    ['another epoch', { kind: 'add-stripe', stripe: sampleStripe(1, 1, { erasureEpoch: 1 }) }],
    [
      'codes given out',
      { kind: 'add-segment', segment: sampleSegment(1, { group: 0, base: 1, count: 1 }) },
    ],
    ['a dropped table', { kind: 'truncate-table', table: 9 as TableId }],
    ['a dictionary id that moved', { kind: 'create-dictionary', dictionary: sampleDictionary(1) }],
  ])('refuses %s', async (_, change) => {
    expect(await outcomeOf(state(), [change])).toMatchObject({ outcome: 'stale' });
  });

  it('refuses rows encoded before an erasure', async () => {
    const erased = state({ erasures: [{ dictionary: d1, epoch: 1 }] });
    expect(await outcomeOf(erased, [stripe])).toMatchObject({ outcome: 'stale' });
  });

  it('a drop and writes to its table do not meet in one head', async () => {
    const drop: AnyChange = { kind: 'drop-table', table: t1 };
    expect(await outcomeOf(state(), [drop, stripe])).toMatchObject({ outcome: 'stale' });
  });

  it('Invariant C6: objects that may have been swept are uploaded again', async () => {
    const sweptBefore = 1_000 * hourMs;
    const swept = state({ sweptBefore });
    const margin = sweptBefore + hourMs;
    expect(await outcomeOf(swept, [stripe], margin)).toMatchObject({ outcome: 'stale' });
    expect(await outcomeOf(swept, [stripe], margin + 1)).toMatchObject({ outcome: 'added' });
    expect(uploadedInTime(swept.head, margin)).toBe(false);
  });

  it('Invariant C5: a group ends at 2^32 codes with a clear error', async () => {
    const full = state({}, [codesPerGroupMax - 1, 0, 0, 0]);
    expect(await outcomeOf(full, [lastCodes(1)])).toMatchObject({ outcome: 'added' });
    await expect(outcomeOf(full, [lastCodes(2)])).rejects.toThrow('more than 2^32 ids');
  });

  it('Invariant C4: new ids are the next ones', async () => {
    const catalog = await openCatalog(new MemoryStore());
    await catalog.createDatabase('d');
    await Promise.all(['a', 'b', 'c'].map((name) => catalog.commit('d', createTable(name))));
    const before = await catalog.snapshot('d');
    const ids = [...before.tables.values()].map(({ id }) => id);
    expect(ids.toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
    for (const id of ids) await catalog.commit('d', propose({ kind: 'drop-table', table: id }));
    const after = await catalog.snapshot('d');
    expect(after.tables.size).toBe(0);
    expect([after.nextTableId, after.nextColumnId]).toEqual([4, 7]);
  });
});

describe('finished files', () => {
  const job = 'nightly';
  const finish = (name: string, n: number): AnyChange[] => [
    { kind: 'add-stripe', stripe: sampleStripe(1, n) },
    {
      kind: 'finish-file',
      file: { table: t1, job, digest: fileDigest(name), bytes: n, rows: n },
    },
  ];

  /** As a backfill proposes: nothing, where the snapshot knows the file. */
  function load(name: string, n: number): CommitRequest {
    return {
      propose: async (snapshot) => {
        const known = await snapshot.finishedFiles(t1, job);
        if (known.has(fileDigest(name))) return undefined;
        return { changes: finish(name, n) as Change[], uploadedAfter: Number.MAX_SAFE_INTEGER };
      },
    };
  }

  it('Invariant C9: are finished once, folded or not, until their job is removed', async () => {
    for (const tailFoldBytes of [10_000, 10]) {
      const store = new MemoryStore();
      const catalog = await openCatalog(store, { limits: { tailFoldBytes } });
      const other = await openCatalog(store, { limits: { tailFoldBytes } });
      await catalog.createDatabase('d');
      await catalog.commit('d', createTable());
      await other.snapshot('d');
      await Promise.all([
        ...[1, 2, 3].map((n) => catalog.commit('d', load('a', n))),
        ...[4, 5].map((n) => other.commit('d', load('a', n))),
        catalog.commit('d', load('b', 6)),
      ]);
      await catalog.commit('d', addStripe(9));
      const again = await openCatalog(store);
      await again.commit('d', load('a', 7));
      const snapshot = await again.snapshot('d');
      const sizes = (await snapshot.stripes(t1)).map(({ rows }) => rows);
      expect(sizes.filter((rows) => rows < 6)).toHaveLength(1);
      expect(sizes).toHaveLength(3);
      const files = await snapshot.finishedFiles(t1, job);
      expect([...files.keys()].sort()).toEqual([fileDigest('a'), fileDigest('b')].sort());
      expect((await snapshot.finishedFiles(t1, 'other')).size).toBe(0);

      await again.commit('d', propose({ kind: 'truncate-table', table: t1 }));
      await again.commit('d', load('a', 8));
      expect(await (await again.snapshot('d')).stripes(t1)).toEqual([]);
      await again.commit('d', propose({ kind: 'remove-job', table: t1, job }));
      await again.commit('d', addStripe(1));
      expect((await (await again.snapshot('d')).finishedFiles(t1, job)).size).toBe(0);
      await again.commit('d', load('a', 8));
      const last = await openCatalog(store);
      expect((await (await last.snapshot('d')).finishedFiles(t1, job)).size).toBe(1);
    }
  });

  it('go with their table', async () => {
    const catalog = await openCatalog(new MemoryStore(), { limits: { tailFoldBytes: 10 } });
    await catalog.createDatabase('d');
    await catalog.commit('d', createTable());
    await catalog.commit('d', load('a', 1));
    await catalog.commit('d', addStripe(2));
    await catalog.commit('d', propose({ kind: 'drop-table', table: t1 }));
    expect((await (await catalog.snapshot('d')).finishedFiles(t1, job)).size).toBe(0);
  });
});

describe('tokens', () => {
  const token = { table: t1, partition: '', viewPath: '', token: 'once' };
  const insert = (n: number) =>
    propose({ kind: 'add-stripe', stripe: sampleStripe(1, n) }, { kind: 'token', token });

  it('make an insert happen once, folded or not, until a truncation forgets them', async () => {
    for (const tailFoldBytes of [10_000, 10]) {
      const store = new MemoryStore();
      const catalog = await openCatalog(store, { limits: { tailFoldBytes } });
      await catalog.createDatabase('d');
      await catalog.commit('d', createTable());
      await Promise.all([1, 2, 3].map((n) => catalog.commit('d', insert(n))));
      await catalog.commit('d', addStripe(9));
      const again = await openCatalog(store);
      await again.commit('d', insert(4));
      const rows = async () => (await (await again.snapshot('d')).stripes(t1)).map((s) => s.rows);
      expect(await rows()).toEqual([1, 9]);
      await again.commit('d', propose({ kind: 'truncate-table', table: t1, partition: '' }));
      await again.commit('d', insert(5));
      expect(await rows()).toEqual([5]);
    }
  });

  it('are forgotten after seven days by the store', async () => {
    const time = { now: 1_700_000_000_000 };
    const catalog = await openCatalog(new MemoryStore({ clock: { now: () => time.now } }));
    await catalog.createDatabase('d');
    await catalog.commit('d', createTable());
    await catalog.commit('d', insert(1));
    for (const days of [6, 2]) {
      time.now += days * 24 * hourMs;
      await catalog.snapshot('d');
      await catalog.commit('d', insert(days + 10));
    }
    const stripes = await (await catalog.snapshot('d')).stripes(t1);
    expect(stripes.map(({ rows }) => rows)).toEqual([1, 12]);
  });
});
