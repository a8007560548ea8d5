// Small inserts put together: how many commits they take, who is told what, and that one bad insert
// fails alone.

import { expect, test } from 'vitest';
import { CountingStore } from '../../../object-store/counting-store.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';
import { Session } from '../queries/session.ts';

const settings = { async_insert: '1' };

async function tableIn(store = new MemoryStore({ id: `memory:async-${Math.random()}` })) {
  const counting = new CountingStore(store);
  const session = await Session.open({ store: counting });
  await session.ask('CREATE DATABASE bm');
  await session.ask(
    'CREATE TABLE t (n UInt32, s String) ENGINE = MergeTree PARTITION BY n ORDER BY n',
  );
  const writes = (): number => counting.counts().creates + counting.counts().puts;
  return { session, writes };
}

test('many clients, one commit; each waits until its rows are there', async () => {
  const { session, writes } = await tableIn();
  const before = writes();
  const clients = Array.from({ length: 40 }, async (_, n) => {
    await session.ask('INSERT INTO t FORMAT CSV', { body: `${n},a\n`, settings });
    const { text } = await session.ask(`SELECT count() FROM t WHERE n = ${n}`);
    expect(text).toBe('1');
  });
  await Promise.all(clients);
  expect(writes() - before).toBe(2);
});

test('a bad row fails its own insert alone, as does one with too many partitions', async () => {
  const { session } = await tableIn();
  const rows = (from: number, count: number): string =>
    Array.from({ length: count }, (_, i) => `${from + i},x\n`).join('');
  const insert = (body: string): Promise<unknown> =>
    session.ask('INSERT INTO t FORMAT CSV', { body, settings });
  const [good, bad, wide, also] = await Promise.allSettled([
    insert(rows(0, 60)),
    insert('x,y\n'),
    insert(rows(1000, 101)),
    insert(rows(100, 60)),
  ]);
  expect([good.status, bad.status, wide.status, also.status]).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
  ]);
  expect((await session.ask('SELECT count() FROM t')).text).toBe('120');
});

test('who does not wait is answered at once; a process that ends stores it first', async () => {
  const { session, writes } = await tableIn();
  const before = writes();
  const wait = { wait_for_async_insert: '0', async_insert_busy_timeout_ms: '3600000' };
  await session.ask("INSERT INTO t VALUES (1, 'a')", { settings: { ...settings, ...wait } });
  expect(writes()).toBe(before);
  await session.engine.settle();
  expect((await session.ask('SELECT * FROM t')).text).toBe('1\ta');
});

test('enough bytes or inserts end the waiting; large inserts and tokens go alone', async () => {
  const { session } = await tableIn();
  const long = { ...settings, async_insert_busy_timeout_ms: '3600000' };
  const two = { ...long, async_insert_max_query_number: '2' };
  const insert = (body: string, given: Readonly<Record<string, string>>): Promise<unknown> =>
    session.ask('INSERT INTO t FORMAT CSV', { body, settings: given });
  await Promise.all([insert('1,a\n', two), insert('2,b\n', two)]);
  await insert('3,c\n', { ...long, async_insert_max_data_size: '1' });
  await insert('4,d\n', { ...long, insert_deduplication_token: 'x' });
  expect((await session.ask('SELECT groupArray(n) FROM (SELECT n FROM t ORDER BY n)')).text).toBe(
    '[1,2,3,4]',
  );
});
