// What EXPLAIN says: pruning by each key, slices and bytes before a query runs; what it took after.

import { beforeAll, describe, expect, it } from 'vitest';
import { CountingStore } from '../../object-store/counting-store.ts';
import { MemoryStore } from '../../object-store/memory-store.ts';
import { Session } from './queries/session.ts';

let session: Session;
let store: CountingStore;

/** Six days of two stripes each, tags a0..a4 and b0..b4; four months of clicks. */
beforeAll(async () => {
  store = new CountingStore(new MemoryStore());
  session = await Session.open({ store });
  await session.run('CREATE DATABASE bm');
  await session.run(
    'CREATE TABLE tags (day Date, tag String, users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree PARTITION BY day ORDER BY tag SETTINGS muster_groups = 4',
  );
  for (let day = 1; day <= 6; day++) {
    for (const letter of ['a', 'b']) {
      await session.run(
        `INSERT INTO tags SELECT toDate('2026-01-0${day}'), concat('${letter}', toString(number % 5)), groupBitmapState(number) FROM numbers(2000) GROUP BY 2`,
      );
    }
  }
  await session.run(
    'CREATE TABLE clicks (ts DateTime, user UInt64, page String) ENGINE = MergeTree PARTITION BY toYYYYMM(ts) ORDER BY ts',
  );
  for (let month = 1; month <= 4; month++) {
    await session.run(
      `INSERT INTO clicks SELECT toDateTime('2026-0${month}-03 00:00:00') + number, ${month} * 1000 + number % 7, 'p' FROM numbers(100)`,
    );
  }
});

async function lines(sql: string): Promise<readonly string[]> {
  const { text, names } = await session.ask(sql);
  expect(names).toEqual(['explain']);
  return text.split('\n');
}

describe('EXPLAIN', () => {
  const question =
    "SELECT tag, groupBitmapMerge(users) AS n FROM tags WHERE day >= '2026-01-03' AND tag < 'b' GROUP BY tag ORDER BY n DESC LIMIT 3";

  it('says what each key left out, what is to be read and what goes to workers', async () => {
    expect(
      (await lines(`EXPLAIN ${question}`)).map((line) => line.replace(/[\d.]+ kB/, '? kB')),
    ).toMatchInlineSnapshot(`
      [
        "Stage 0: at the root",
        "  #0 Scan bm.tags: day, tag, users (stored sets)",
        "       stripes: 4 of 12; left out: 4 by partition key, 4 by sorting key",
        "       to read at most: 20 rows in 4 parts, 24 extents, ? kB",
        "  #1 Filter #0: and(greaterOrEquals(day, '2026-01-03'), less(tag, 'b'))",
        "  #2 Aggregate #1: keys [tag], fold or(users)",
        "Stage 1: dispatch of 4 slices in 1 invocation",
        "  #3 Ask #2",
        "       ask card($1) -> $2",
        "  #4 Sort #3: $2 DESC",
        "  #5 Limit #4: 3 from 0",
        "  #6 Project #5: tag, $2 -> tag, n",
      ]
    `);
  });

  it('of rows says what zones left out, and by which key', async () => {
    const scan = (await lines('EXPLAIN SELECT page FROM clicks WHERE user < 2500')).join('\n');
    expect(scan).toContain('stripes: 2 of 4; left out: 2 by zones of other columns');
    const march = await lines(
      "EXPLAIN SELECT page FROM clicks WHERE ts >= '2026-03-01 00:00:00' AND user > 3500",
    );
    expect(march.join('\n')).toContain(
      'stripes: 1 of 4; left out: 2 by partition key, 1 by zones of other columns',
    );
    expect(march.join('\n')).toContain('to read at most: 100 rows in 1 part, 3 extents');
  });

  it('reads nothing but the catalog', async () => {
    store.reset();
    await lines(`EXPLAIN ${question}`);
    expect(store.calls.filter(({ key }) => key.includes('/data'))).toEqual([]);
    const result = await session.run(`EXPLAIN ${question}`);
    expect(result.statistics).toMatchObject({ readRows: 0, dispatches: 0 });
  });

  it('knows which stages need no worker', async () => {
    const text = await lines('EXPLAIN SELECT bitmapCardinality(bitmapBuild([1, 2]))');
    expect(text.filter((line) => line.startsWith('Stage'))).toEqual([
      'Stage 0: at the root',
      'Stage 1: at the root (no worker is needed)',
    ]);
  });

  it('takes settings that ask for details, and refuses what it has not got', async () => {
    expect(await lines(`EXPLAIN header = 1, indexes = 1 ${question}`)).toEqual(
      await lines(`EXPLAIN PLAN ${question}`),
    );
    await expect(lines('EXPLAIN CREATE DATABASE d')).rejects.toMatchObject({ code: 48 });
    await expect(lines('EXPLAIN ANALYZE INSERT INTO clicks SELECT 1')).rejects.toMatchObject({
      code: 48,
    });
  });
});

describe('EXPLAIN ANALYZE', () => {
  it('runs the question, and says how it was', async () => {
    const cold = await session.reopen();
    const { text } = await cold.ask(
      "EXPLAIN ANALYZE SELECT day, groupBitmapMerge(users) FROM tags WHERE day = '2026-01-03' GROUP BY day",
    );
    expect(masked(text)).toMatchInlineSnapshot(`
      [
        "Answer: 1 row in ? ms (? ms planning, ? ms running)",
        "Cost: 4 requests (3 reads, 1 list), ? B read, 1 invocation of 1 worker, $0.0000062",
        "",
        "Stage 0: ? ms at the root",
        "  #0 Scan bm.tags: day, users (stored sets)               10 rows",
        "       stripes: 2 of 12; left out: 10 by partition key",
        "       to read at most: 10 rows in 2 parts, 10 extents, ? B",
        "  #1 Filter #0: equals(day, '2026-01-03')                 10 rows",
        "  #2 Aggregate #1: keys [day], fold or(users)              1 row",
        "Stage 1: ? ms, dispatch of 4 slices in 1 invocation to 1 worker: 0 ranged reads, ? B, slowest ? ms",
        "  #3 Ask #2                                                1 row",
        "       ask card($1) -> $2",
        "  #4 Project #3: day, $2 -> day, groupBitmapMerge(users)   1 row",
        "",
        "worker invocations   cold   reads   bytes read busy",
        "process ? 1      1       0 ? B ? ms",
        "root 3 ? B ? ms",
      ]
    `);
  });

  it('says what the root did by itself', async () => {
    const sql = 'EXPLAIN ANALYZE SELECT tag, groupBitmapMerge(users) FROM tags GROUP BY day, tag';
    const text = (await lines(sql)).join('\n');
    expect(text).toMatch(/^Stage 1: [\d.]+ ms at the root$/m);
    expect(text).not.toContain('dispatch of');
  });

  it('adds up the portions of a long scan', async () => {
    const text = (await lines('EXPLAIN ANALYZE SELECT count() FROM clicks WHERE user > 0')).join();
    expect(text).toMatch(/Stage 1: [\d.]+ ms, dispatch of \d slice in 1 invocation to 1 worker/);
    expect(text).toContain('400 rows');
  });

  it('costs what the question costs, like every statement', async () => {
    const { cost, statistics } = await session.run('EXPLAIN ANALYZE SELECT sum(user) FROM clicks');
    expect(cost.invocations).toBe(1);
    expect(cost.workers).toHaveLength(1);
    expect(statistics.readRows).toBe(400);
  });

  it('fails as the question does', async () => {
    await expect(
      lines('EXPLAIN ANALYZE SELECT throwIf(user > 0) FROM clicks'),
    ).rejects.toMatchObject({ code: 395 });
  });
});

it('EXPLAIN ESTIMATE has a row a table, in columns of ClickHouse', async () => {
  const found = await session.ask(
    "EXPLAIN ESTIMATE SELECT count() FROM clicks, tags WHERE day = '2026-01-01'",
  );
  expect(found.names).toEqual(['database', 'table', 'parts', 'rows', 'marks']);
  expect(found.text.split('\n').sort()).toEqual(['bm\tclicks\t4\t400\t4', 'bm\ttags\t2\t10\t2']);
});

it('EXPLAIN SYNTAX prints the statement', async () => {
  expect(await lines('EXPLAIN SYNTAX select count() n from clicks where 1')).toEqual([
    'SELECT count() AS n FROM clicks WHERE 1',
  ]);
  expect(await lines('EXPLAIN SYNTAX insert into clicks select 1')).toEqual([
    'INSERT INTO clicks SELECT 1',
  ]);
});

/** What differs from run to run. */
function masked(text: string): readonly string[] {
  return (
    text
      .replaceAll(/[\d.]+ ms/g, '? ms')
      .replaceAll(/[\d.]+ k?B/g, '? B')
      .replaceAll(/process \d+/g, 'process ?')
      .replaceAll(/ +\?/g, ' ?')
      // As wide as the process id and times, which nobody chooses.
      .replaceAll(/ +busy$/gm, ' busy')
      .replaceAll(/^(worker|process \?|root) +/gm, '$1 ')
      .split('\n')
      .map((line) => line.trimEnd())
  );
}
