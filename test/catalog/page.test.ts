import { describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { pageKey } from '../../catalog/keys.ts';
import { decodePage, encodeInner, encodeLeaf, type PageRef } from '../../catalog/page.ts';
import { PageCache, PageStore } from '../../catalog/page-store.ts';
import type { Row } from '../../catalog/row.ts';
import type { CatalogVersion, NamespaceId, TableId } from '../../catalog/schema.ts';
import { CountingStore } from '../../object-store/counting-store.ts';
import { MemoryStore } from '../../object-store/memory-store.ts';
import { sampleDictionary, sampleSegment, sampleStripe, sampleTable } from './samples.ts';

const first = { version: 4 as CatalogVersion, ordinal: 1 };
const namespace = 3 as NamespaceId;
const runs: readonly (readonly Row[])[] = [
  Array.from({ length: 50 }, (_, n) => ({
    space: 'stripe',
    value: { ...sampleStripe(1, n, { partition: `p${n >> 3}` }), first, last: first },
  })),
  [{ space: 'segment', value: { ...sampleSegment(1, { group: 3, base: 9, count: 1 }), first } }],
  [{ space: 'table', value: sampleTable({ table: 1, column: 1 }) }],
  [{ space: 'dictionary', value: { schema: sampleDictionary(1), nextCodes: [1, 2, 3, 2 ** 32] } }],
  [{ space: 'namespace', value: { id: namespace, name: 'x' } }],
  [{ space: 'commit', value: { version: first.version, commitId: 'e'.repeat(32), date: 7 } }],
  [
    {
      space: 'token',
      value: {
        table: 1 as TableId,
        partition: '\u00ff',
        digest: 'd'.repeat(16),
        version: first.version,
        date: 7,
      },
    },
  ],
  [
    {
      space: 'finished-file',
      value: {
        table: 1 as TableId,
        job: 'job',
        digest: 'd'.repeat(16),
        bytes: 12,
        rows: 2 ** 33,
        version: first.version,
        date: 7,
      },
    },
  ],
];

const key = { space: 'stripe', id: 1, partition: '', key: '', version: 1, ordinal: 0 } as const;
const ref: PageRef = {
  pageId: '1'.repeat(32),
  pageBytes: 10,
  digest: '2'.repeat(64),
  rows: 1,
  partBytes: 1,
  first: key,
  last: key,
  keyMin: '',
  keyMax: '',
  partitions: undefined,
};

describe('pages', () => {
  it.each(runs.map((rows) => [rows[0]!.space, rows] as const))(
    'leaves of %s come back',
    (space, rows) => {
      const page = decodePage(encodeLeaf(space, rows), 'page x');
      expect(page).toEqual({ kind: 'leaf', space, rows });
    },
  );

  it('inner ones come back', () => {
    const inner = { level: 1, refs: [ref, { ...ref, partitions: [] }] };
    expect(decodePage(encodeInner(inner), 'page x')).toEqual({ kind: 'inner', ...inner });
  });

  it('any flipped byte is found', () => {
    const bytes = encodeLeaf('stripe', runs[0]!);
    for (let at = 0; at < bytes.length; at++) {
      const damaged = bytes.slice();
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      expect(() => decodePage(damaged, 'page x'), `byte ${at}`).toThrow(/page x/);
    }
  });

  it('Invariant C2: a page that has not its digest is refused, a good one read once', async () => {
    const store = new CountingStore(new MemoryStore());
    const write = encodeLeaf('stripe', runs[0]!);
    const page = decodePage(write, 'page x');
    const parts = () => ({ store, cache: new PageCache(1_000_000), clock: systemClock });
    const written = await new PageStore(parts(), namespace).write(page, write);
    const reader = new PageStore(parts(), namespace);
    await Promise.all([reader.read({ ...ref, ...written }), reader.read({ ...ref, ...written })]);
    expect(await reader.read({ ...ref, ...written })).toEqual(page);
    expect(store.counts().reads).toBe(1);
    const wrong = { ...ref, ...written, digest: '0'.repeat(64) };
    await expect(reader.read(wrong)).rejects.toThrow(/^corrupt page/);
    await store.remove([pageKey(namespace, written.pageId)]);
    await expect(new PageStore(parts(), namespace).read({ ...ref, ...written })).rejects.toThrow(
      /referred to and gone/,
    );
  });
});
