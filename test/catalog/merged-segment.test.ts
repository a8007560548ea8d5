// Invariant C10: a merge counts only while its inputs are what they were when they were seen.
import { expect, it } from 'vitest';
import { openCatalog } from '../../catalog/catalog.ts';
import type { CatalogVersion, DictionaryId } from '../../catalog/schema.ts';
import { MemoryStore } from '../../object-store/memory-store.ts';
import { createTable, propose, sampleSegment } from './samples.ts';

const users = 1 as DictionaryId;

async function withSegments() {
  const catalog = await openCatalog(new MemoryStore());
  await catalog.createDatabase('d');
  await catalog.commit('d', createTable());
  for (const base of [0, 10, 20]) {
    const segment = sampleSegment(1, { group: 1, base, count: 10 }, base + 1);
    await catalog.commit('d', propose({ kind: 'add-segment', segment }));
  }
  const { version } = await catalog.snapshot('d');
  return { catalog, version };
}

const merge = (base: number, count: number, readAt: CatalogVersion) => ({
  kind: 'merge-segments' as const,
  segment: sampleSegment(1, { group: 1, base, count }, 100 + base),
  readAt,
});

it('Invariant C10: a merge that was overtaken is proposed again', async () => {
  const { catalog, version } = await withSegments();
  await catalog.commit('d', propose(merge(0, 20, version)));
  const seen: number[] = [];
  await catalog
    .commit('d', {
      propose: async (snapshot) => {
        seen.push((await snapshot.segments(users)).length);
        // Made for the version before the merge, at first.
        if (seen.length === 1) return { changes: [merge(10, 20, version)] };
        return undefined;
      },
    })
    .catch((error: unknown) => seen.push(String(error).length > 0 ? -1 : 0));
  const segments = await (await catalog.snapshot('d')).segments(users);
  expect(segments.map(({ base, count }) => [base, count])).toEqual([
    [0, 20],
    [20, 10],
  ]);
  expect(seen[0]).toBe(2);
});

it('segments added meanwhile are no obstacle', async () => {
  const { catalog, version } = await withSegments();
  const segment = sampleSegment(1, { group: 1, base: 30, count: 5 }, 7);
  await catalog.commit('d', propose({ kind: 'add-segment', segment }));
  await catalog.commit('d', propose(merge(0, 30, version)));
  const segments = await (await catalog.snapshot('d')).segments(users);
  expect(segments.map(({ base, count }) => [base, count])).toEqual([
    [0, 30],
    [30, 5],
  ]);
  expect((await catalog.snapshot('d')).nextCodes(users)[1]).toBe(35);
});

it('folded segments of several dictionaries in one leaf stay apart', async () => {
  const catalog = await openCatalog(new MemoryStore(), { limits: { tailFoldBytes: 10 } });
  await catalog.createDatabase('d');
  await catalog.commit('d', createTable('t'));
  await catalog.commit('d', createTable('u'));
  for (const dictionary of [1, 2]) {
    const segment = sampleSegment(dictionary, { group: 1, base: 0, count: 10 }, dictionary);
    await catalog.commit('d', propose({ kind: 'add-segment', segment }));
  }
  await catalog.commit('d', createTable('v'));
  const snapshot = await catalog.snapshot('d');
  for (const dictionary of [1, 2] as DictionaryId[]) {
    const segments = await snapshot.segments(dictionary);
    expect(segments.map((segment) => segment.dictionary)).toEqual([dictionary]);
  }
});
