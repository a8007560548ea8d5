// Answers never depend on whether stripes were merged, or when: every kind of table is asked the same
// before and after, by who saw both and by who sees it for the first time.

import { describe, expect, it, test } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { openCatalog } from '../../../catalog/catalog.ts';
import { headPrefix } from '../../../catalog/keys.ts';
import type { StripeEntry } from '../../../catalog/entry.ts';
import type { NamespaceId } from '../../../catalog/schema.ts';
import {
  backgroundWork,
  compactOnce,
  type CompactionPorts,
} from '../../../engine/compaction/compact-table.ts';
import { CountingStore } from '../../../object-store/counting-store.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';
import type { ObjectStore } from '../../../object-store/port.ts';
import { Session } from '../queries/session.ts';

const noCompaction = { settings: { muster_background_compaction: '0' } };

/** Rows are sorted here. */
const anyOrder = ' ORDER BY ALL';

interface Kind {
  readonly create: string;
  /** Of insert `i`. */
  readonly rows: (i: number) => string;
  readonly questions: readonly string[];
}

const sets = 'groupBitmapState(toUInt64(sipHash64(number % 50)))';
const listed = 'arraySort(bitmapToArray(users))';

const kinds: Readonly<Record<string, Kind>> = {
  'detail rows': {
    create:
      't (d Date, k UInt32, s String, n Nullable(Int64)) ENGINE = MergeTree PARTITION BY d ORDER BY (k, s)',
    rows: (i) =>
      `SELECT toDate('2026-01-01') + number % 2, toUInt32(number * 7 % 10), toString(${i}), number % 3 = 0 ? NULL : toInt64(number) - ${i} FROM numbers(20)`,
    questions: [
      'SELECT * FROM t ORDER BY ALL',
      'SELECT k, count(), sum(n), uniqExact(s) FROM t GROUP BY k ORDER BY k',
      "SELECT count() FROM t WHERE d = '2026-01-02' AND k = 3",
    ],
  },
  'rows in no order': {
    create: 't (a UInt32, b Array(String)) ENGINE = MergeTree ORDER BY tuple()',
    rows: (i) => `SELECT toUInt32(${i} * 100 + number), [toString(number), 'x'] FROM numbers(3)`,
    questions: ['SELECT * FROM t', 'SELECT a FROM t LIMIT 5'],
  },
  'detail rows by their id': {
    create:
      "t (uid UInt64, e String) ENGINE = MergeTree ORDER BY e SETTINGS muster_id_column = 'uid'",
    rows: (i) => `SELECT sipHash64(number + ${i}), toString(number % 4) FROM numbers(12)`,
    questions: [
      'SELECT * FROM t ORDER BY ALL',
      'SELECT uid, count() FROM t GROUP BY uid ORDER BY uid',
      'SELECT e, uniqExact(uid) FROM t GROUP BY e ORDER BY e',
    ],
  },
  'sets that are kept apart': {
    create:
      't (k UInt32, users AggregateFunction(groupBitmap, UInt64)) ENGINE = MergeTree ORDER BY k',
    rows: (i) => `SELECT toUInt32((number + ${i}) % 5) AS k, ${sets} FROM numbers(30) GROUP BY k`,
    questions: [
      `SELECT k, ${listed} FROM t ORDER BY ALL`,
      'SELECT k, bitmapCardinality(users) FROM t ORDER BY ALL',
      'SELECT groupBitmapMerge(users) FROM t',
    ],
  },
  'sets that are merged': {
    create:
      't (p UInt8, k String, users AggregateFunction(groupBitmap, UInt64), names AggregateFunction(groupBitmap, String)) ENGINE = AggregatingMergeTree PARTITION BY p ORDER BY k',
    rows: (i) =>
      `SELECT toUInt8(number % 2) AS p, toString((number + ${i}) % 6) AS k, groupBitmapState(toUInt64(number * ${i + 1})), groupBitmapState(toString(number % 9 + ${i})) FROM numbers(40) GROUP BY p, k`,
    questions: [
      `SELECT p, k, ${listed}, arraySort(bitmapToArray(names)) FROM t ORDER BY ALL`,
      'SELECT p, k, bitmapCardinality(users) FROM t ORDER BY p, k',
      "SELECT bitmapAndCardinality(a.users, b.users) FROM t AS a JOIN t AS b ON a.k = b.k WHERE a.k = '3' AND a.p = 0 AND b.p = 1",
    ],
  },
  'the newest of each key': {
    create: 't (k UInt32, v Int64, s String) ENGINE = ReplacingMergeTree ORDER BY k',
    rows: (i) =>
      `SELECT toUInt32(number), toInt64(${i}), toString(${i}) FROM numbers(${3 + (i % 5)})`,
    questions: ['SELECT * FROM t ORDER BY k', 'SELECT sum(v), count() FROM t'],
  },
  'the largest version of each key': {
    create:
      't (k UInt32, v Int64, s String, users AggregateFunction(groupBitmap, UInt64)) ENGINE = ReplacingMergeTree(v) ORDER BY k',
    rows: (i) =>
      `SELECT toUInt32(number % 4) AS k, toInt64(${(i * 5) % 11}) AS v, toString(${i}), ${sets} FROM numbers(${20 + i}) GROUP BY k, v`,
    questions: [`SELECT k, v, s, ${listed} FROM t ORDER BY k`],
  },
  'sets that lie in the group of their key': {
    create:
      "t (exp String, day UInt8, users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY (exp, day) SETTINGS muster_group_by = 'exp'",
    rows: (i) =>
      `SELECT toString(number % 7) AS exp, toUInt8(${i} % 3) AS day, groupBitmapState(number * ${i + 1}) FROM numbers(35) GROUP BY exp, day`,
    questions: [
      `SELECT exp, day, ${listed} FROM t ORDER BY exp, day`,
      'SELECT exp, groupBitmapMerge(users) FROM t GROUP BY exp ORDER BY exp',
      'SELECT day, groupBitmapMerge(users) FROM t GROUP BY day ORDER BY day',
    ],
  },
};

async function inserted(kind: Kind, groups: number, inserts = 9): Promise<Session> {
  const session = await Session.open();
  await session.run('CREATE DATABASE bm');
  const settings = kind.create.includes('SETTINGS') ? ', ' : ' SETTINGS ';
  const hasGroups = /Bitmap|muster_/.test(kind.create);
  const own = hasGroups ? `${settings}muster_groups = ${groups}` : '';
  await session.run(`CREATE TABLE ${kind.create}${own}`);
  for (let i = 0; i < inserts; i++) {
    await session.run(`INSERT INTO t ${kind.rows(i)}`, noCompaction);
  }
  await session.engine.idle();
  return session;
}

async function answers(session: Session, { questions }: Kind): Promise<readonly string[]> {
  const all: string[] = [];
  for (const question of questions) {
    const { text } = await session.ask(question.replace(anyOrder, ''));
    all.push(question.endsWith(anyOrder) ? text.split('\n').sort().join('\n') : text);
  }
  return all;
}

async function stripesOf(session: Session, name = 't'): Promise<readonly StripeEntry[]> {
  const snapshot = await (await openCatalog(session.store)).snapshot('bm');
  return await snapshot.stripes(snapshot.tables.get(name)!.id);
}

const lanesOf = (stripes: readonly StripeEntry[], isPlaced: boolean) =>
  new Set(
    stripes.map(({ partition, parts }) => `${isPlaced ? parts[0]!.groupFirst : 0} ${partition}`),
  ).size;

describe.each(Object.entries(kinds))('%s', (_, kind) => {
  it.each([3])('of %i groups answer alike before and after', async (groups) => {
    const session = await inserted(kind, groups);
    const before = await answers(session, kind);
    expect(before.every((text) => text !== '')).toBe(true);
    const [old] = [await stripesOf(session)];
    const isPlaced = /muster_(group_by|id_column)/.test(kind.create);
    for (const statement of ['OPTIMIZE TABLE t', 'OPTIMIZE TABLE t FINAL']) {
      await session.run(statement);
      expect(await answers(session, kind)).toEqual(before);
      expect(await answers(await session.reopen(), kind)).toEqual(before);
    }
    const merged = await stripesOf(session);
    expect(merged.length).toBe(lanesOf(old, isPlaced));
    // What comes later is newer than all that was merged.
    const twin = await inserted(kind, groups, 10);
    await session.run(`INSERT INTO t ${kind.rows(9)}`, noCompaction);
    expect(await answers(session, kind)).toEqual(await answers(twin, kind));
  });
});

describe('stripes of every shape', () => {
  // Members of one set lie in flat runs, or are a roaring bitmap; rows are one part, or one of each group.
  const kind: Kind = {
    create:
      't (k UInt32, pad String, users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY k SETTINGS muster_groups = 2',
    rows: () => '',
    questions: [
      'SELECT k, pad, bitmapCardinality(users) FROM t WHERE k < 7 ORDER BY k',
      'SELECT groupBitmapMerge(users), count(), sum(length(pad)) FROM t',
    ],
  };

  it('merge into one', async () => {
    const session = await inserted(kind, 2, 0);
    const insert = (keys: number, size: number, from: number) =>
      session.run(
        `INSERT INTO t SELECT toUInt32(number % ${keys}) AS k, repeat(toString(k), 60), groupBitmapState(sipHash64(number + ${from})) FROM numbers(${size}) GROUP BY k`,
        noCompaction,
      );
    await insert(3, 300, 0);
    await insert(2, 100_000, 50);
    await insert(20_000, 30_000, 0);
    await insert(5, 50, 1_000_000);
    const shapes = (await stripesOf(session)).map(({ shape }) => shape);
    expect(shapes).toEqual(['unsplit', 'batches', 'objects', 'unsplit']);
    const before = await answers(session, kind);
    await session.run('OPTIMIZE TABLE t FINAL');
    const [only, ...rest] = await stripesOf(session);
    expect(rest).toEqual([]);
    expect(only).toMatchObject({ shape: 'objects', rows: 20_000 });
    expect(await answers(await session.reopen(), kind)).toEqual(before);
  });
});

describe('what is around it', () => {
  it('drops, tokens and later inserts mean what they meant', async () => {
    const kind = kinds['sets that are merged']!;
    const session = await inserted(kind, 2, 8);
    const token = { settings: { ...noCompaction.settings, insert_deduplication_token: 'once' } };
    await session.run(`INSERT INTO t ${kind.rows(8)}`, token);
    await session.run('OPTIMIZE TABLE t FINAL');
    const before = await answers(session, kind);
    await session.run(`INSERT INTO t ${kind.rows(99)}`, token);
    expect(await answers(session, kind)).toEqual(before);
    await session.run('ALTER TABLE t DROP PARTITION 1');
    expect((await session.ask('SELECT DISTINCT p FROM t')).text).toBe('0');
    await session.run(`INSERT INTO t ${kind.rows(8)}`, token);
    expect((await session.ask('SELECT DISTINCT p FROM t ORDER BY p')).text).toBe('0\n1');
    await session.run('OPTIMIZE TABLE t PARTITION 0 FINAL');
    await session.run('TRUNCATE TABLE t');
    expect((await session.ask('SELECT count() FROM t')).text).toBe('0');
  });

  it('rows lie in the order of the key, those of equal keys as they came', async () => {
    const session = await inserted(kinds['detail rows']!, 1);
    const stored = "SELECT k, n FROM t WHERE d = '2026-01-01'";
    const before = (await session.ask(stored)).text.split('\n');
    const keyOf = (line: string) => Number(line.split('\t')[0]);
    const sorted = before.toSorted((a, b) => keyOf(a) - keyOf(b));
    expect(sorted).not.toEqual(before);
    // Later inserts have greater texts, so that the order of (k, s) is the order of k as they came.
    await session.run('OPTIMIZE TABLE t FINAL');
    expect((await session.ask(stored)).text.split('\n')).toEqual(sorted);
    const [first] = await stripesOf(session);
    expect(first!.keyMin < first!.keyMax).toBe(true);
  });

  it('who saw the first insert alone sees the merged stripe that begins where it did', async () => {
    const kind = kinds['the newest of each key']!;
    const session = await inserted(kind, 1, 1);
    await answers(session, kind);
    for (let i = 1; i < 4; i++) await session.run(`INSERT INTO t ${kind.rows(i)}`, noCompaction);
    const before = await answers(await session.reopen(), kind);
    await session.run('OPTIMIZE TABLE t FINAL');
    expect(await answers(session, kind)).toEqual(before);
  });

  it('an older version still reads what it read', async () => {
    const kind = kinds['the newest of each key']!;
    const session = await inserted(kind, 1);
    const catalog = await openCatalog(session.store);
    const old = await catalog.snapshot('bm');
    await session.run('OPTIMIZE TABLE t FINAL');
    const again = await catalog.snapshotAt('bm', old.version);
    const table = old.tables.get('t')!.id;
    expect(await again.stripes(table)).toEqual(await old.stripes(table));
    expect(await stripesOf(session)).toHaveLength(1);
  });

  it('a merged object says whether it is shared, and inherits the least erasure epoch', async () => {
    const session = await inserted(kinds['sets that are merged']!, 2);
    await session.run('OPTIMIZE TABLE t FINAL');
    const stripes = await stripesOf(session);
    expect(stripes.map(({ parts }) => parts[0]!.shared)).toEqual([true, true]);
    expect(new Set(stripes.map(({ parts }) => parts[0]!.object)).size).toBe(1);
    expect(stripes.map(({ erasureEpoch }) => erasureEpoch)).toEqual([0, 0]);
    const alone = await inserted(kinds['the newest of each key']!, 2);
    await alone.run('OPTIMIZE TABLE t FINAL');
    expect((await stripesOf(alone))[0]!.parts[0]!.shared).toBe(false);
  });

  it('a damaged input is found, and nothing is replaced', async () => {
    const session = await inserted(kinds['the newest of each key']!, 1, 3);
    const [first] = await stripesOf(session);
    const { object, offset } = first!.parts[0]!;
    const { objects } = await session.store.list({ prefix: 'data/', max: 100 });
    const { key } = objects.find((one) => one.key.endsWith(object))!;
    const bytes = new Uint8Array((await session.store.read(key))!.bytes);
    bytes[offset + 300]! ^= 1;
    await session.store.remove([key]);
    await session.store.put(key, bytes);
    await expect(session.run('OPTIMIZE TABLE t FINAL')).rejects.toMatchObject({ code: 246 });
    expect(await stripesOf(session)).toHaveLength(3);
  });
});

describe('costs', () => {
  test('one round is a read of each part, one object and one head', async () => {
    const session = await inserted(kinds['sets that are merged']!, 4, 16);
    const store = new CountingStore(session.store);
    const catalog = await openCatalog(store);
    const table = (await catalog.snapshot('bm')).tables.get('t')!;
    store.reset();
    const ports = { store, catalog, clock: systemClock };
    const target = { database: 'bm', table };
    expect(await compactOnce(target, { ...backgroundWork, plan: 'whole' }, ports)).toBe(true);
    const data = store.calls.filter(({ key }) => key.startsWith('data/'));
    expect(data.filter(({ kind }) => kind === 'read')).toHaveLength(32);
    expect(store.counts()).toMatchObject({ puts: 1, creates: 1 });
    expect(await compactOnce(target, { ...backgroundWork, plan: 'whole' }, ports)).toBe(false);
  });
});

describe('races', () => {
  const kind = kinds['sets that are merged']!;

  async function race(
    session: Session,
    stores: readonly ObjectStore[],
  ): Promise<readonly (boolean | Error)[]> {
    const runs = stores.map(async (store) => {
      const catalog = await openCatalog(store);
      const table = (await catalog.snapshot('bm')).tables.get('t')!;
      const ports: CompactionPorts = { store, catalog, clock: systemClock };
      return await compactOnce(
        { database: 'bm', table },
        { ...backgroundWork, plan: 'whole' },
        ports,
      );
    });
    return await Promise.all(runs.map((run) => run.catch((error: Error) => error)));
  }

  it('one wins, the others have nothing left to do', async () => {
    const session = await inserted(kind, 2);
    const before = await answers(session, kind);
    expect(await race(session, [session.store, session.store, session.store])).toEqual([
      true,
      true,
      true,
    ]);
    expect(await stripesOf(session)).toHaveLength(2);
    expect(await answers(await session.reopen(), kind)).toEqual(before);
  });

  it('a drop that came first stays', async () => {
    const session = await inserted(kind, 2);
    const store = new BeforeHead(session.store, async () => {
      await session.run('ALTER TABLE t DROP PARTITION 0');
      await session.run(`INSERT INTO t ${kind.rows(50)}`, noCompaction);
    });
    expect(await race(session, [store])).toEqual([true]);
    const partitions = (await stripesOf(session)).map(({ partition }) => partition);
    // Of partition 1 the merged one and the new one, of 0 the new one.
    expect(partitions).toHaveLength(3);
    const twin = await inserted(kind, 2);
    await twin.run('ALTER TABLE t DROP PARTITION 0');
    await twin.run(`INSERT INTO t ${kind.rows(50)}`, noCompaction);
    expect(await answers(session, kind)).toEqual(await answers(twin, kind));
  });

  it('a table that was dropped, or made again, is left alone', async () => {
    const session = await inserted(kind, 2);
    const heads = async () =>
      (await session.store.list({ prefix: headPrefix(1 as NamespaceId), max: 1000 })).objects
        .length;
    let count = 0;
    const store = new BeforeHead(session.store, async () => {
      await session.run('DROP TABLE t');
      await session.run(`CREATE TABLE ${kind.create}`);
      await session.run(`INSERT INTO t ${kind.rows(1)}`, noCompaction);
      count = await heads();
    });
    expect(await race(session, [store])).toEqual([true]);
    expect(await heads()).toBe(count);
    expect((await session.ask('SELECT count() FROM t')).text).toBe('6');
  });
});

/** Does something before the first head is created. */
class BeforeHead extends MemoryStore {
  readonly #inner: ObjectStore;
  #before: (() => Promise<void>) | undefined;

  constructor(inner: ObjectStore, before: () => Promise<void>) {
    super();
    this.#inner = inner;
    this.#before = before;
  }

  override read(...args: Parameters<ObjectStore['read']>) {
    return this.#inner.read(...args);
  }

  override list(...args: Parameters<ObjectStore['list']>) {
    return this.#inner.list(...args);
  }

  override put(...args: Parameters<ObjectStore['put']>) {
    return this.#inner.put(...args);
  }

  override async create(...args: Parameters<ObjectStore['create']>) {
    const before = this.#before;
    this.#before = undefined;
    await before?.();
    return await this.#inner.create(...args);
  }
}
