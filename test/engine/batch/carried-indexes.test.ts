import { beforeAll, describe, expect, it } from 'vitest';
import type { PartPlace } from '../../../catalog/entry.ts';
import { carriedIndex, OpenedIndexes } from '../../../engine/batch/carried-indexes.ts';
import { CountingStore } from '../../../object-store/counting-store.ts';
import { Session } from '../queries/session.ts';

const groups = 4;

function place(object: string, part: Partial<PartPlace> = {}): PartPlace {
  return {
    object,
    objectBytes: 1000,
    offset: 0,
    bytes: 1000,
    checksum: 1,
    index: { start: 900, end: 1000 },
    groupFirst: 0,
    groupCount: groups,
    shared: false,
    ...part,
  };
}

function sourceOf(...parts: readonly PartPlace[]) {
  return { groups, stripes: [{ shape: 'batches' as const, rows: 1, parts }] };
}

describe('indexes that a statement opened', () => {
  it('are carried for the stripes of a batch, each once', () => {
    const opened = new OpenedIndexes();
    expect(opened.carried([sourceOf(place('a'))])).toBeUndefined();
    opened.note(place('a'), Uint8Array.of(1, 2));
    opened.note(place('a', { offset: 8 }), Uint8Array.of(3));
    opened.note(place('other'), Uint8Array.of(4));
    const parts = [place('a'), place('a', { offset: 8 }), place('a')];
    expect(opened.carried([sourceOf(...parts), sourceOf(place('b'))])).toEqual([
      { object: 'a', offset: 0, bytes: Uint8Array.of(1, 2) },
      { object: 'a', offset: 8, bytes: Uint8Array.of(3) },
    ]);
    expect(opened.carried([sourceOf(place('b'))])).toBeUndefined();
  });

  it('are not, where a worker may not need them', () => {
    const opened = new OpenedIndexes();
    const part = place('a', { groupCount: 1 });
    opened.note(part, Uint8Array.of(1));
    expect(opened.carried([sourceOf(part)])).toBeUndefined();
    expect(opened.carried([{ ...sourceOf(part), groups: 1 }])).toHaveLength(1);
  });

  it('are carried as far as they fit', () => {
    const opened = new OpenedIndexes();
    const sizes = { a: 40 * 1024, b: 40 * 1024, c: 24 * 1024, d: 1 };
    for (const [name, bytes] of Object.entries(sizes)) {
      opened.note(place(name), new Uint8Array(bytes));
    }
    const carried = opened.carried([sourceOf(...Object.keys(sizes).map((name) => place(name)))]);
    expect(carried?.map(({ object }) => object)).toEqual(['a', 'c']);
  });

  it('are found by their place, in memory of their own', () => {
    const message = Uint8Array.of(0, 1, 2, 3);
    const carried = [{ object: 'a', offset: 8, bytes: message.subarray(1, 3) }];
    const found = carriedIndex(carried, place('a', { offset: 8 }));
    expect(found).toEqual(Uint8Array.of(1, 2));
    expect(found?.buffer.byteLength).toBe(2);
    expect(carriedIndex(carried, place('a'))).toBeUndefined();
    expect(carriedIndex(undefined, place('a'))).toBeUndefined();
  });
});

describe('a question about stored sets', () => {
  let session: Session;

  beforeAll(async () => {
    session = await Session.open();
    await session.run('CREATE DATABASE bm');
    await session.run(
      `CREATE TABLE t (tag UInt32, users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY tag SETTINGS muster_groups = ${groups}`,
    );
    await session.run(
      'INSERT INTO t SELECT toUInt32(number % 1000) AS tag, groupBitmapState(number) FROM numbers(30000) GROUP BY tag',
    );
    await session.engine.idle();
  });

  const sql = 'SELECT tag FROM t WHERE bitmapContains(users, toUInt64(17))';

  it('has each index read once, by root and worker together', async () => {
    const store = new CountingStore(session.store);
    const cold = await Session.open({ store });
    await cold.run('SELECT 1');
    store.reset();
    expect((await cold.ask(sql)).text).toBe('17');
    const ranges = store.calls
      .filter(({ key }) => key.includes('data/'))
      .map(({ range }) => `${range?.start}-${range?.end}`);
    expect(ranges).toHaveLength(3);
    expect(new Set(ranges).size).toBe(3);
  });

  it('is answered by a worker that finds nothing carried', async () => {
    const store = new CountingStore(session.store);
    const warm = await Session.open({ store });
    await warm.ask('SELECT tag FROM t');
    store.reset();
    expect((await warm.ask(sql)).text).toBe('17');
    expect(store.calls.filter(({ key }) => key.includes('data/'))).toHaveLength(3);
  });
});
