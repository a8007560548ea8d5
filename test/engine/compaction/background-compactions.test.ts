// Behind inserts: stripes stay few without anybody asking, no insert waits for it, and it ends when told.

import { expect, test } from 'vitest';
import { openCatalog } from '../../../catalog/catalog.ts';
import type { ObjectKey } from '../../../object-store/port.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';
import { CountingStore } from '../../../object-store/counting-store.ts';
import { Session } from '../queries/session.ts';

const inserts = 70;

async function begun(store: MemoryStore | CountingStore): Promise<Session> {
  const session = await Session.open({ store });
  await session.run('CREATE DATABASE bm');
  await session.run(
    'CREATE TABLE t (p UInt8, k UInt32) ENGINE = MergeTree PARTITION BY p ORDER BY k',
  );
  return session;
}

const insert = (session: Session, i: number, settings: Record<string, string> = {}) =>
  session.run(`INSERT INTO t SELECT number % 2, ${i} FROM numbers(10)`, { settings });

async function stripes(session: Session): Promise<number> {
  const snapshot = await (await openCatalog(session.store)).snapshot('bm');
  return (await snapshot.stripes(snapshot.tables.get('t')!.id)).length;
}

const count = async (session: Session) =>
  (await session.ask('SELECT count(), uniqExact(k) FROM t')).text;

test('inserts leave few stripes; an insert itself is an object and a head', async () => {
  const store = new CountingStore(new MemoryStore());
  const session = await begun(store);
  store.reset();
  for (let i = 0; i < inserts; i++) {
    await insert(session, i);
    await session.engine.idle();
  }
  const { puts, creates } = store.counts();
  // Each merge takes eight of a class in both partitions at once, and is an object and a head itself.
  const merges = Math.floor(inserts / 8) + Math.floor(inserts / 64);
  expect([puts, creates]).toEqual([inserts + merges, inserts + merges]);
  expect(await stripes(session)).toBe(2 * 7);
  expect(await count(session)).toBe(`${10 * inserts}\t${inserts}`);
});

test('muster_background_compaction = 0 leaves stripes as they are', async () => {
  const session = await begun(new MemoryStore());
  for (let i = 0; i < 20; i++) await insert(session, i, { muster_background_compaction: '0' });
  await session.engine.idle();
  expect(await stripes(session)).toBe(40);
  await insert(session, 20);
  await session.engine.idle();
  expect(await stripes(session)).toBe(2);
});

test('no insert waits for it, and many at once lose nothing', async () => {
  const store = new HeldReads();
  const session = await begun(store);
  store.hold = true;
  for (let i = 0; i < 20; i++) await insert(session, i);
  expect(await stripes(session)).toBe(40);
  store.release();
  await Promise.all(Array.from({ length: 30 }, (_, i) => insert(session, 20 + i)));
  await session.engine.idle();
  expect(await count(session)).toBe('500\t50');
  expect(await stripes(session)).toBeLessThan(30);
});

test('what fails is left to the next insert', async () => {
  const store = new HeldReads();
  const session = await begun(store);
  store.fails = true;
  for (let i = 0; i < 9; i++) await insert(session, i);
  await session.engine.idle();
  expect(await stripes(session)).toBe(18);
  store.fails = false;
  await insert(session, 9);
  await session.engine.idle();
  expect(await stripes(session)).toBe(2);
  expect(await count(session)).toBe('100\t10');
});

test('it stops at its next step, and begins no more', async () => {
  const store = new HeldReads();
  const session = await begun(store);
  store.hold = true;
  for (let i = 0; i < 9; i++) await insert(session, i);
  const stopped = session.engine.stop();
  store.release();
  await stopped;
  await insert(session, 9);
  await session.engine.idle();
  expect(await stripes(session)).toBe(20);
  expect(await count(session)).toBe('100\t10');
});

/** Data is read when it is released, or not at all. */
class HeldReads extends MemoryStore {
  hold = false;
  fails = false;
  #held: (() => void)[] = [];

  release(): void {
    this.hold = false;
    for (const go of this.#held) go();
  }

  override async read(key: ObjectKey, ...rest: [range?: never]) {
    if (key.startsWith('data/')) {
      if (this.hold) await new Promise<void>((resolve) => this.#held.push(resolve));
      if (this.fails) throw new Error('the disk is gone');
    }
    return await super.read(key, ...rest);
  }
}
