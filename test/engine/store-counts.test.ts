// What inserts and questions cost in requests, rounds and bytes: the budgets of the design, as counts.

import { describe, expect, it } from 'vitest';
import { CountingStore } from '../../object-store/counting-store.ts';
import { MemoryStore } from '../../object-store/memory-store.ts';
import { Session } from './queries/session.ts';

const tags = (settings = '') =>
  `CREATE TABLE tags (tag String, users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree PARTITION BY tag ORDER BY tag ${settings}`;

async function open(store = new MemoryStore()): Promise<[Session, CountingStore]> {
  const counting = new CountingStore(store);
  return [await Session.open({ store: counting }), counting];
}

async function table(settings = ''): Promise<[Session, CountingStore, MemoryStore]> {
  const store = new MemoryStore();
  const [session, counting] = await open(store);
  await session.run('CREATE DATABASE bm');
  await session.run(tags(settings));
  return [session, counting, store];
}

const people = (tag: string, from: number, count: number) =>
  `INSERT INTO tags SELECT '${tag}', groupBitmapState(sipHash64(number + ${from})) FROM numbers(${count})`;

describe('an insert below 8 MB', () => {
  it.each([1, 4, 64])('is an object and a head with %i groups, new ids or not', async (groups) => {
    const [session, counting] = await table(`SETTINGS muster_groups = ${groups}`);
    for (const [tag, from, count] of [
      ['new', 0, 5000],
      ['known', 0, 5000],
      ['few', 9, 3],
    ] as const) {
      counting.reset();
      await session.run(people(tag, from, count));
      expect(counting.counts()).toMatchObject({ puts: 1, creates: 1 });
    }
  });

  it('is one object across partitions, of which it takes a hundred', async () => {
    const [session, counting] = await table();
    counting.reset();
    const many = (n: number) =>
      `INSERT INTO tags SELECT toString(number % ${n}), groupBitmapState(number) FROM numbers(500) GROUP BY 1`;
    await session.run(many(100));
    expect(counting.counts()).toMatchObject({ puts: 1, creates: 1 });
    await expect(session.run(many(101))).rejects.toMatchObject({ code: 252 });
  });
});

describe('a count', () => {
  const union = 'SELECT groupBitmapMerge(users) FROM tags';

  it('takes five rounds after the head, cold, whatever there is to read', async () => {
    const [session, , store] = await table('SETTINGS muster_groups = 4');
    for (let i = 0; i < 6; i++) await session.run(people(`t${i}`, 1000 * i, 60_000));
    const [cold, counting] = await open(store);
    await cold.run('SELECT 1');
    counting.reset();
    expect((await cold.ask(union)).text).toBe('65000');
    const heads = counting.calls.filter(({ key }) => key.includes('/heads'));
    const headRounds = Math.max(...heads.map(({ round }) => round));
    expect(counting.counts().rounds - headRounds).toBeLessThanOrEqual(5);
  });

  it('is one probe when warm', async () => {
    const [session, counting] = await table();
    await session.run(people('a', 0, 60_000));
    await session.run(people('b', 30_000, 60_000));
    expect((await session.ask(union)).text).toBe('90000');
    counting.reset();
    expect((await session.ask(union)).text).toBe('90000');
    expect(counting.counts()).toMatchObject({ reads: 1, absentReads: 1, bytesRead: 0, lists: 0 });
  });

  it('of stored sets reads no payload bytes', async () => {
    const [session, , store] = await table('SETTINGS muster_groups = 1');
    await session.run(people('big', 0, 400_000));
    const [cold, counting] = await open(store);
    const answer = await cold.ask('SELECT bitmapCardinality(users) FROM tags');
    expect(answer.text).toBe('400000');
    const data = counting.calls.filter(({ key }) => key.startsWith('data/'));
    const bytes = data.reduce((sum, call) => sum + call.bytes, 0);
    // 400,000 dense codes are 50 KB of bitmap; the dictionary's segment alone is megabytes.
    expect(bytes).toBeLessThan(16 * 1024);
  });

  it('reads little more than the sets it needs', async () => {
    const [session, , store] = await table('SETTINGS muster_groups = 1');
    await session.run(people('needed', 0, 400_000));
    await session.run(people('other', 0, 400_000));
    const [cold, counting] = await open(store);
    const both =
      "SELECT bitmapAndCardinality((SELECT groupBitmapMergeState(users) FROM tags WHERE tag = 'needed'), bitmapBuild([toUInt64(7)]))";
    expect((await cold.ask(both)).text).toBe('0');
    const payloads = counting.calls.filter(({ key }) => key.startsWith('data/'));
    const needed = 400_000 / 8;
    const read = payloads.reduce((sum, call) => sum + call.bytes, 0);
    expect(read).toBeLessThanOrEqual(1.1 * needed + 64 * 1024 * payloads.length);
  });
});

describe('ids', () => {
  it('take at most two rounds more than a count', async () => {
    const [session, , store] = await table('SETTINGS muster_groups = 4');
    await session.run(people('a', 0, 100_000));
    const where = "FROM tags WHERE tag = 'a'";
    const [counted, countCalls] = await open(store);
    await counted.ask(
      `SELECT bitmapCardinality(bitmapOr(users, bitmapBuild([toUInt64(1)]))) ${where}`,
    );
    const [listed, idCalls] = await open(store);
    await listed.ask(`SELECT bitmapToArray(users) ${where}`);
    expect(idCalls.counts().rounds).toBeLessThanOrEqual(countCalls.counts().rounds + 2);
  });
});
