// The catalog as its users see it: databases, tables, commits, snapshots, and how many requests each
// takes.

import { describe, expect, it } from 'vitest';
import { openCatalog } from '../../catalog/catalog.ts';
import type { TableId } from '../../catalog/schema.ts';
import { CountingStore } from '../../object-store/counting-store.ts';
import { MemoryStore } from '../../object-store/memory-store.ts';
import { emptyUsage, type StoreUsage } from '../../object-store/metered-store.ts';
import { objectKey } from '../../object-store/object-key.ts';
import { addStripe, createTable, propose, sampleSegment, sampleStripe } from './samples.ts';

const t1 = 1 as TableId;

describe('databases', () => {
  it('are created once, listed in byte order and dropped once', async () => {
    const catalog = await openCatalog(new MemoryStore());
    expect(await catalog.databases()).toEqual([]);
    expect(await catalog.createDatabase('b/../x')).toBe(true);
    expect(await catalog.createDatabase('b/../x')).toBe(false);
    expect(await catalog.createDatabase('')).toBe(true);
    expect(await catalog.createDatabase('é 😀')).toBe(true);
    expect(await catalog.createDatabase('B')).toBe(true);
    expect(await catalog.databases()).toEqual(['', 'B', 'b/../x', 'é 😀']);
    expect(await catalog.dropDatabase('B')).toBe(true);
    expect(await catalog.dropDatabase('B')).toBe(false);
    expect(await catalog.databases()).toEqual(['', 'b/../x', 'é 😀']);
  });

  it('unknown ones are 81 and the nearest is named', async () => {
    const catalog = await openCatalog(new MemoryStore());
    await catalog.createDatabase('sales');
    await expect(catalog.snapshot('sale')).rejects.toMatchObject({
      code: 81,
      message: expect.stringContaining("['sales']"),
    });
  });

  it('dropped and created again begin empty under another id', async () => {
    const store = new MemoryStore();
    const catalog = await openCatalog(store);
    const other = await openCatalog(store);
    await catalog.createDatabase('d');
    await catalog.commit('d', createTable());
    const before = await other.snapshot('d');
    expect([...before.tables.keys()]).toEqual(['t']);
    await catalog.dropDatabase('d');
    await expect(other.snapshot('d')).rejects.toMatchObject({ code: 81 });
    await expect(other.commit('d', addStripe(1))).rejects.toMatchObject({ code: 81 });
    await catalog.createDatabase('d');
    const after = await other.snapshot('d');
    expect(after.tables.size).toBe(0);
    expect(after.namespace).toBeGreaterThan(before.namespace);
  });
});

describe('commits and snapshots', () => {
  it('show what was committed, in order of partition and sequence', async () => {
    const catalog = await openCatalog(new MemoryStore());
    await catalog.createDatabase('d');
    await catalog.commit('d', createTable());
    const { snapshot } = await catalog.commit(
      'd',
      propose(
        { kind: 'add-segment', segment: sampleSegment(1, { group: 1, base: 0, count: 7 }) },
        { kind: 'add-stripe', stripe: sampleStripe(1, 2, { partition: 'b' }) },
        { kind: 'add-stripe', stripe: sampleStripe(1, 3, { partition: 'a' }) },
      ),
    );
    const stripes = await snapshot.stripes(t1);
    expect(stripes.map(({ rows }) => rows)).toEqual([3, 2]);
    expect(stripes[0]?.first).toEqual({ version: 3, ordinal: 2 });
    expect(snapshot.nextCodes(stripes[0]!.table as never)).toEqual([0, 7, 0, 0]);
    expect(await snapshot.segments(1 as never)).toMatchObject([{ group: 1, base: 0, count: 7 }]);
    const pruned = await snapshot.stripes(t1, ({ partitionMin }) => partitionMin === 'b');
    expect(pruned.map(({ rows }) => rows)).toEqual([2]);
  });

  it('of an older version are there as they were, folded or not', async () => {
    const store = new MemoryStore();
    const catalog = await openCatalog(store, { limits: { tailFoldBytes: 600 } });
    await catalog.createDatabase('d');
    await catalog.commit('d', createTable());
    const versions: number[] = [];
    for (let n = 1; n <= 8; n++) {
      versions.push((await catalog.commit('d', addStripe(n))).snapshot.version);
    }
    const other = await openCatalog(store);
    for (const [i, version] of versions.entries()) {
      const past = await other.snapshotAt('d', version);
      expect(past.version).toBe(version);
      expect(await past.stripes(t1)).toHaveLength(i + 1);
    }
    const newest = versions.at(-1) ?? 0;
    for (const version of [0, -1, 1.5, newest + 1]) {
      await expect(other.snapshotAt('d', version)).rejects.toMatchObject({ code: 36 });
    }
  });

  it('never change: an older snapshot stays as it was', async () => {
    const catalog = await openCatalog(new MemoryStore());
    await catalog.createDatabase('d');
    await catalog.commit('d', createTable());
    const old = await catalog.snapshot('d');
    await catalog.commit('d', addStripe(1));
    expect(await old.stripes(t1)).toEqual([]);
    expect(await (await catalog.snapshot('d')).stripes(t1)).toHaveLength(1);
  });

  it('truncation takes lower versions of one partition or all', async () => {
    const catalog = await openCatalog(new MemoryStore());
    await catalog.createDatabase('d');
    await catalog.commit('d', createTable());
    for (const partition of ['a', 'b', 'a']) await catalog.commit('d', addStripe(1, { partition }));
    await catalog.commit('d', propose({ kind: 'truncate-table', table: t1, partition: 'a' }));
    const one = await catalog.snapshot('d');
    expect((await one.stripes(t1)).map(({ partition }) => partition)).toEqual(['b']);
    await catalog.commit(
      'd',
      propose(
        { kind: 'add-stripe', stripe: sampleStripe(1, 9) },
        { kind: 'truncate-table', table: t1 },
      ),
    );
    const all = await catalog.snapshot('d');
    expect((await all.stripes(t1)).map(({ rows }) => rows)).toEqual([9]);
  });
});

describe('requests', () => {
  it('a commit is one PUT, a warm snapshot one GET that finds nothing', async () => {
    const store = new CountingStore(new MemoryStore());
    const catalog = await openCatalog(store);
    await catalog.createDatabase('d');
    await catalog.commit('d', createTable());
    store.reset();
    await catalog.commit('d', addStripe(1));
    expect(store.counts()).toMatchObject({ creates: 1, reads: 0, lists: 0, puts: 0 });
    store.reset();
    const snapshot = await catalog.snapshot('d');
    expect(store.counts()).toMatchObject({ creates: 0, reads: 1, absentReads: 1, lists: 0 });
    expect(await catalog.snapshot('d')).toBe(snapshot);
  });

  it('callers that arrive together share a probe; a later one does not', async () => {
    const store = new CountingStore(new MemoryStore());
    const catalog = await openCatalog(store);
    await catalog.createDatabase('d');
    await catalog.snapshot('d');
    store.reset();
    const together = [catalog.snapshot('d'), catalog.snapshot('d'), catalog.snapshot('d')];
    await Promise.all(together);
    expect(store.counts().reads).toBe(1);
    const early = catalog.snapshot('d');
    for (let turn = 0; turn < 8; turn++) await Promise.resolve();
    await Promise.all([early, catalog.snapshot('d')]);
    expect(store.counts().reads).toBe(3);
  });

  it('a cold snapshot is a list and a get of each chain', async () => {
    const inner = new MemoryStore();
    const first = await openCatalog(inner);
    await first.createDatabase('d');
    await first.commit('d', createTable());
    const store = new CountingStore(inner);
    const catalog = await openCatalog(store);
    await catalog.snapshot('d');
    expect(store.counts()).toMatchObject({ lists: 2, reads: 2 });
  });
});

describe('a meter', () => {
  const folding = { limits: { tailFoldBytes: 2_000, recordBytesMax: 1_500 } };

  it('counts every request of its caller: probes, heads, pages', async () => {
    const inner = new MemoryStore();
    const store = new CountingStore(inner);
    const plain = await openCatalog(store, folding);
    store.reset();
    const usage = emptyUsage();
    const catalog = plain.metered(usage);
    await catalog.createDatabase('d');
    await catalog.commit('d', createTable());
    for (let i = 0; i < 40; i++) await catalog.commit('d', addStripe(i));
    expect(store.counts().puts).toBeGreaterThan(0);
    checkMetered(usage, store);

    const counting = new CountingStore(inner);
    const cold = await openCatalog(counting, folding);
    counting.reset();
    const read = emptyUsage();
    const snapshot = await cold.metered(read).snapshot('d');
    expect(await snapshot.stripes(t1)).toHaveLength(40);
    expect(counting.calls.some(({ key }) => key.includes('/pages'))).toBe(true);
    checkMetered(read, counting);
    await cold.dropDatabase('d');
    expect(read.writes).toBe(0);
  });

  it('of those who share a probe or a head tells it once', async () => {
    const store = new CountingStore(new MemoryStore());
    const catalog = await openCatalog(store);
    await catalog.createDatabase('d');
    await catalog.commit('d', createTable());
    store.reset();
    const usages = [emptyUsage(), emptyUsage(), emptyUsage()];
    const callers = usages.map((usage) => catalog.metered(usage));
    const snapshots = await Promise.all(callers.map((one) => one.snapshot('d')));
    expect(usages.map(({ reads }) => reads)).toEqual([1, 0, 0]);
    expect(new Set(snapshots.map(({ identity }) => identity)).size).toBe(1);
    await Promise.all(callers.map((one, i) => one.commit('d', addStripe(i))));
    expect(usages.map(({ writes }) => writes)).toEqual([1, 0, 0]);
    expect(store.counts()).toMatchObject({ reads: 1, creates: 1 });
  });
});

function checkMetered(usage: StoreUsage, store: CountingStore): void {
  const { reads, creates, puts, lists, bytesRead, bytesWritten } = store.counts();
  expect(usage).toEqual({
    reads,
    writes: creates + puts,
    lists,
    removes: 0,
    bytesRead,
    bytesWritten,
  });
}

describe('the root', () => {
  it("refuses somebody else's place with one sentence", async () => {
    const store = new MemoryStore({ id: 's3://theirs' });
    await store.put(objectKey('holiday/photo.jpg'), new Uint8Array(3));
    await expect(openCatalog(store)).rejects.toMatchObject({
      errorName: 'UNKNOWN_FORMAT_VERSION',
      message: expect.stringMatching(/^s3:\/\/theirs is not empty .*holiday\/photo\.jpg/),
    });
  });

  it('may be begun by many at once', async () => {
    const store = new MemoryStore();
    const catalogs = await Promise.all(Array.from({ length: 8 }, () => openCatalog(store)));
    await catalogs[0]?.createDatabase('d');
    for (const catalog of catalogs) expect(await catalog.databases()).toEqual(['d']);
  });
});
