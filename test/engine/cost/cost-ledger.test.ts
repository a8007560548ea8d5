// A statement's cost is every request that went out, the root's and the workers', and what prices
// make of it.

import { describe, expect, it } from 'vitest';
import { CostLedger } from '../../../engine/cost/cost-ledger.ts';
import type { QueryCost } from '../../../engine/cost/query-cost.ts';
import type { QueryEnd } from '../../../engine/query.ts';
import { CountingStore } from '../../../object-store/counting-store.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';
import { Session } from '../queries/session.ts';

const usage = {
  worker: 'b',
  reads: 4,
  writes: 1,
  lists: 0,
  bytesRead: 1000,
  bytesWritten: 10,
  busyMs: 500,
  memoryMb: 2048,
  cold: false,
};

describe('a ledger', () => {
  it('adds up the root and the workers of all dispatches', () => {
    const ledger = new CostLedger();
    ledger.root.reads = 3;
    ledger.root.lists = 1;
    ledger.add([usage, { ...usage, worker: 'a' }]);
    ledger.stage = 2;
    const notes = { slices: 4, invocations: 3, hedged: 1, retried: 0, elapsedMs: 600 };
    ledger.add([usage], notes);
    expect(ledger.total(1000)).toMatchObject({
      requests: { reads: 15, writes: 3, lists: 1, removes: 0 },
      bytesRead: 3000,
      bytesWritten: 30,
      invocations: 5,
      workerSeconds: 1.5,
      gbSeconds: 3,
      workers: ['a', 'b'],
    });
    expect(ledger.dispatches.map(({ stage }) => stage)).toEqual([0, 2]);
  });

  it('has the worked example of the documentation: 64 functions of 2 GB for half a second', () => {
    const ledger = new CostLedger();
    ledger.add(Array.from({ length: 64 }, () => ({ ...usage, writes: 0 })));
    const size = { memoryMb: 1024, architecture: 'arm64' } as const;
    const { gbSeconds, dollars } = ledger.total(0, size);
    expect(gbSeconds).toBe(64);
    // Time, requests, and 65 invocations: the root is one.
    expect(dollars).toBeCloseTo(64 * 0.0000133334 + 256 * 0.0000004 + 65 * 0.0000002, 12);
  });

  it('charges calls that came second or failed', () => {
    const ledger = new CostLedger();
    const idle = { ...usage, reads: 0, writes: 0, busyMs: 0 };
    const notes = { slices: 2, invocations: 2, hedged: 1, retried: 3, elapsedMs: 1 };
    ledger.add([idle, idle], notes);
    expect(ledger.total(0).dollars).toBeCloseTo(6 * 0.0000002, 12);
    const servers = new CostLedger();
    servers.add([{ ...idle, memoryMb: 0 }], notes);
    expect(servers.total(0).dollars).toBe(0);
  });

  it("charges no server's time, and that of a function from beginning to end", () => {
    const ledger = new CostLedger();
    ledger.add([{ ...usage, memoryMb: 0, writes: 0 }]);
    expect(ledger.total(9000)).toMatchObject({ gbSeconds: 0, workerSeconds: 0.5 });
    expect(ledger.total(9000).dollars).toBeCloseTo(4 * 0.0000004, 12);
    const size = { memoryMb: 512, architecture: 'x86_64' } as const;
    expect(ledger.total(9000, size).gbSeconds).toBe(4.5);
  });
});

describe('the cost of a statement', () => {
  it('is every request to the store, whoever sent it', async () => {
    const store = new CountingStore(new MemoryStore());
    const session = await Session.open({ store });
    const statements = [
      'CREATE DATABASE bm',
      'CREATE TABLE t (tag String, users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY tag SETTINGS muster_groups = 4',
      'INSERT INTO t SELECT toString(number % 3), groupBitmapState(sipHash64(number)) FROM numbers(90000) GROUP BY 1',
      'CREATE TABLE rows (x UInt32) ENGINE = MergeTree ORDER BY x',
      'INSERT INTO rows SELECT number FROM numbers(1000)',
      'SELECT groupBitmapMerge(users) FROM t',
      "SELECT tag, bitmapAndCardinality(users, (SELECT users FROM t WHERE tag = '0')) FROM t",
      'SELECT count() FROM rows WHERE x > 10',
      'SHOW TABLES',
      'SELECT 1',
      'TRUNCATE TABLE t',
      'DROP DATABASE bm',
    ];
    for (const sql of statements) {
      store.reset();
      const { cost } = await session.run(sql);
      await session.engine.idle();
      const { reads, creates, puts, lists, bytesRead, bytesWritten } = store.counts();
      // Behind an insert of ids somebody looks once for segments to merge: that is nobody's statement.
      const looks = sql.startsWith('INSERT INTO t ') ? 1 : 0;
      const requests = { reads: reads - looks, writes: creates + puts, lists };
      expect([sql, cost]).toMatchObject([sql, { requests, bytesRead, bytesWritten }]);
    }
  });

  it('names the workers, and tells them apart from a question that needs none', async () => {
    const session = await Session.open();
    await session.run('CREATE DATABASE bm');
    await session.run('CREATE TABLE rows (x UInt32) ENGINE = MergeTree ORDER BY x');
    await session.run('INSERT INTO rows SELECT number FROM numbers(1000)');
    const asked = (await session.run('SELECT max(x) FROM rows')).cost;
    expect(asked.invocations).toBe(1);
    expect(asked.workers).toHaveLength(1);
    expect((await session.run('SELECT 1')).cost).toMatchObject({ invocations: 0, workers: [] });
  });

  it('is told at the end, also of a statement that fails', async () => {
    const session = await Session.open();
    await session.run('CREATE DATABASE bm');
    await session.run('CREATE TABLE rows (x UInt32) ENGINE = MergeTree ORDER BY x');
    await session.run('INSERT INTO rows SELECT number FROM numbers(1000)');
    const ends: QueryEnd[] = [];
    const ask = (text: string) =>
      session.engine.execute({
        queryId: 'q',
        text,
        database: 'bm',
        parameters: new Map(),
        settings: new Map(),
        onEnd: (end) => ends.push(end),
      });
    await expect(ask('SELECT throwIf(x = 5) FROM rows')).rejects.toThrow();
    expect(ends).toHaveLength(1);
    expect(ends[0]?.cost.requests.reads).toBeGreaterThan(0);
    expect(ends[0]?.statistics.resultRows).toBe(0);
    const result = await ask('SELECT x FROM rows LIMIT 3');
    expect(ends).toHaveLength(2);
    expect(ends[1]?.statistics.resultRows).toBe(3);
    expect(ends[1]?.cost).toEqual(result.cost satisfies QueryCost);
  });
});
