import { beforeEach, describe, expect, it } from 'vitest';
import { formatResult } from '../../engine/formats/output.ts';
import { Session } from './queries/session.ts';

let session: Session;

beforeEach(async () => {
  session = await Session.open();
  await session.run('CREATE DATABASE bm');
});

const table = (name: string, engine: string, columns: string) =>
  `CREATE TABLE ${name} (${columns}) ENGINE = ${engine}`;

const bitmap = 'AggregateFunction(groupBitmap, UInt64)';

describe('statements', () => {
  it('changes are done, questions give rows', async () => {
    const created = await session.run(table('t', 'MergeTree ORDER BY x', 'x UInt8'));
    expect(created.kind).toBe('done');
    const asked = await session.run('SELECT 1 AS a FORMAT CSV');
    expect(asked).toMatchObject({ kind: 'rows', format: 'CSV', columns: [{ name: 'a' }] });
  });

  it('reads one version of a database, whatever is written meanwhile', async () => {
    await session.run(table('t', 'MergeTree ORDER BY x', 'x UInt32'));
    await session.run('INSERT INTO t SELECT number FROM numbers(10)');
    const both = await Promise.all([
      session.ask(
        'SELECT (SELECT count() FROM t) = (SELECT count() FROM t AS u), sum(x) > 0 FROM t',
      ),
      session.run('INSERT INTO t SELECT number FROM numbers(1000)'),
    ]);
    expect(both[0].text).toBe('1\t1');
  });

  it('refuses to write for a reader', async () => {
    const request = {
      queryId: 'q',
      text: 'CREATE DATABASE other',
      database: 'bm',
      parameters: new Map(),
      settings: new Map(),
      readOnly: true,
    };
    await expect(session.engine.execute(request)).rejects.toMatchObject({ code: 164 });
  });

  it('settings: honoured, harmless, refused, unknown', async () => {
    const ask = (settings: Record<string, string>) => session.ask('SELECT 1', { settings });
    expect((await ask({ max_threads: '4', max_result_rows: '10' })).text).toBe('1');
    await expect(ask({ extremes: '1' })).rejects.toMatchObject({ code: 48 });
    await expect(ask({ max_result_rovs: '1' })).rejects.toMatchObject({
      code: 115,
      message: expect.stringContaining("Maybe you meant: ['max_result_rows']"),
    });
    await expect(ask({ max_result_rows: 'many' })).rejects.toMatchObject({ code: 72 });
  });

  it('points at what it does not know', async () => {
    await session.run(table('visits', 'MergeTree ORDER BY x', 'x UInt8, city String'));
    await expect(session.ask('SELECT cty FROM visits')).rejects.toMatchObject({
      code: 47,
      position: { line: 1, column: 8 },
      message: expect.stringContaining("['city']"),
    });
    await expect(session.ask('SELECT 1 FROM visit')).rejects.toMatchObject({
      code: 60,
      message: expect.stringContaining("['visits']"),
    });
    await expect(session.ask('SELECT bitmapCardinalty(1)')).rejects.toMatchObject({
      code: 46,
      message: expect.stringContaining("['bitmapCardinality']"),
    });
    await expect(session.ask('SELECT {x:UInt8}')).rejects.toMatchObject({ code: 456 });
    const parameters = { x: 'many' };
    await expect(session.ask('SELECT {x:UInt8}', { parameters })).rejects.toMatchObject({
      code: 457,
    });
  });
});

describe('limits name the setting that raises them', () => {
  const limited = (sql: string, settings: Record<string, string>) =>
    session.ask(sql, { settings }).catch((error: Error & { code: number }) => ({
      code: error.code,
      message: error.message,
    }));

  it.each([
    ['SELECT number FROM numbers(100)', 'max_result_rows', '10', 396],
    [
      'SELECT count() FROM numbers(100000000) WHERE number % 7 = 1',
      'max_rows_to_read',
      '1000',
      158,
    ],
    [
      'SELECT number, count() FROM numbers(1000000) GROUP BY number',
      'max_memory_usage',
      '1000000',
      241,
    ],
    ['SELECT number FROM numbers(10000000) ORDER BY number', 'max_memory_usage', '1000000', 241],
    [
      'SELECT number % 9 AS g, count() FROM numbers(100) GROUP BY g',
      'max_rows_to_group_by',
      '5',
      158,
    ],
    ['SELECT 1 FROM numbers(100) AS a, numbers(100) AS b', 'max_rows_in_join', '50', 158],
  ])('%s with %s = %s', async (sql, setting, value, code) => {
    const found = await limited(sql, { [setting]: value });
    expect(found).toMatchObject({ code, message: expect.stringContaining(setting) });
  });

  it('an input larger than the budget streams', async () => {
    const settings = { max_memory_usage: '2000000' };
    const sql = 'SELECT count(), sum(number % 10) FROM numbers(2000000) WHERE number % 2 = 0';
    expect((await session.ask(sql, { settings })).text).toBe('1000000\t4000000');
  });

  it('time', async () => {
    const sql = 'SELECT sum(number * 3 % 7) FROM numbers(100000000000)';
    const found = await limited(sql, { max_execution_time: '0.2' });
    expect(found).toMatchObject({
      code: 159,
      message: expect.stringContaining('max_execution_time'),
    });
  });

  it('a client that goes ends its query', async () => {
    const gone = new AbortController();
    const running = session.engine.execute({
      queryId: 'q',
      text: 'SELECT sum(number * 3 % 7) FROM numbers(100000000000)',
      database: 'bm',
      parameters: new Map(),
      settings: new Map(),
      signal: gone.signal,
    });
    setTimeout(() => gone.abort(), 50);
    await expect(running).rejects.toMatchObject({ code: 394 });
  });
});

describe('merged reads', () => {
  it('Aggregating tables fold the sets of equal keys, Replacing ones keep the newest', async () => {
    await session.run(table('a', 'AggregatingMergeTree ORDER BY k', `k String, u ${bitmap}`));
    await session.run(
      table('r', 'ReplacingMergeTree(v) ORDER BY k', `k String, v UInt8, u ${bitmap}`),
    );
    for (const [version, ids] of [
      [2, '[1, 2]'],
      [3, '[2, 3]'],
      [1, '[9]'],
    ] as const) {
      const state = `groupBitmapState(toUInt64(x)) FROM (SELECT 1) ARRAY JOIN ${ids} AS x`;
      await session.run(`INSERT INTO a SELECT 'k', ${state}`);
      await session.run(`INSERT INTO r SELECT 'k', ${version}, ${state}`);
    }
    const a = await session.ask('SELECT k, bitmapToArray(u) FROM a');
    expect(a.text).toBe('k\t[1,2,3,9]');
    const r = await session.ask('SELECT k, v, bitmapToArray(u) FROM r');
    expect(r.text).toBe('k\t3\t[2,3]');
  });

  it('merge within a partition only', async () => {
    const engine = 'AggregatingMergeTree PARTITION BY p ORDER BY k';
    await session.run(table('a', engine, `p UInt8, k UInt8, u ${bitmap}`));
    for (const p of [0, 1, 0]) {
      await session.run(
        `INSERT INTO a SELECT ${p}, 5, groupBitmapState(number + ${p}) FROM numbers(3)`,
      );
    }
    const { text } = await session.ask('SELECT p, bitmapCardinality(u) FROM a ORDER BY p');
    expect(text).toBe('0\t3\n1\t3');
  });

  it('empty tables', async () => {
    await session.run(table('a', 'AggregatingMergeTree ORDER BY k', `k String, u ${bitmap}`));
    expect((await session.ask('SELECT * FROM a')).text).toBe('');
    expect((await session.ask('SELECT groupBitmapMerge(u), count() FROM a')).text).toBe('0\t0');
    expect((await session.ask("SELECT k, bitmapCardinality(u) FROM a WHERE k > 'a'")).text).toBe(
      '',
    );
  });
});

describe('ids', () => {
  it('strings, and 64-bit integers to the last digit', async () => {
    await session.run(
      table(
        's',
        'AggregatingMergeTree ORDER BY k',
        'k UInt8, u AggregateFunction(groupBitmap, String)',
      ),
    );
    await session.run(
      "INSERT INTO s SELECT 1, groupBitmapState(concat('id', toString(number % 4))) FROM numbers(9)",
    );
    const strings = await session.ask(
      "SELECT bitmapToArray(u), bitmapContains(u, 'id2'), bitmapContains(u, 'x') FROM s",
    );
    expect(strings.text).toBe("['id0','id1','id2','id3']\t1\t0");
    await session.run(table('w', 'AggregatingMergeTree ORDER BY k', `k UInt8, u ${bitmap}`));
    await session.run(
      'INSERT INTO w SELECT 1, groupBitmapState(x) FROM (SELECT 1) ARRAY JOIN [toUInt64(9007199254740993), 9223372036854775808, 18446744073709551615, 0] AS x',
    );
    const wide = await session.ask('SELECT bitmapToArray(u), bitmapMax(u) FROM w');
    expect(wide.text).toBe(
      '[0,9007199254740993,9223372036854775808,18446744073709551615]\t18446744073709551615',
    );
  });

  it('sets of two id spaces are never combined', async () => {
    for (const name of ['one', 'two']) {
      const engine = `AggregatingMergeTree ORDER BY k SETTINGS muster_dictionary = '${name}'`;
      await session.run(table(name, engine, `k UInt8, u ${bitmap}`));
      await session.run(`INSERT INTO ${name} SELECT 1, groupBitmapState(number) FROM numbers(5)`);
    }
    const pair = session.ask('SELECT bitmapAndCardinality(one.u, two.u) FROM one, two');
    await expect(pair).rejects.toMatchObject({ code: 48 });
    const apart = await session.ask(
      'SELECT bitmapCardinality(one.u) + bitmapCardinality(two.u) FROM one, two',
    );
    expect(apart.text).toBe('10');
  });
});

it('EXPLAIN prints stages with their sets and questions', async () => {
  await session.run(table('a', 'AggregatingMergeTree ORDER BY k', `k String, u ${bitmap}`));
  const { text } = await session.ask(
    'EXPLAIN SELECT k, bitmapAndCardinality(groupBitmapMergeState(u), (SELECT groupBitmapMergeState(u) FROM a)) AS n FROM a GROUP BY k ORDER BY n',
  );
  expect(text).toContain('Stage 1: at the root (no worker is needed)');
  expect(text).toContain('ask card(set.and(');
  expect(text).toContain('fold or(');
});

it('system tables tell what there is', async () => {
  await session.run(table('a', 'AggregatingMergeTree ORDER BY k', `k String, u ${bitmap}`));
  const tables = await session.ask(
    "SELECT database, name, engine FROM system.tables WHERE database = 'bm'",
  );
  expect(tables.text).toBe('bm\ta\tAggregatingMergeTree');
  const columns = await session.ask(
    "SELECT name, type FROM system.columns WHERE table = 'a' ORDER BY position",
  );
  expect(columns.text).toBe(`k\tString\nu\t${bitmap}`);
  await session.run("INSERT INTO a SELECT 'x', groupBitmapState(number) FROM numbers(1000)");
  const dictionaries = await session.ask(
    'SELECT key_domain, grouped_by, groups, entries, segments, arraySum(next_codes), bytes > 24000 FROM system.muster_dictionaries',
  );
  expect(dictionaries.text).toBe('integer\tid\t4\t1000\t4\t1000\t1');
  expect((await session.ask('SELECT number FROM system.numbers LIMIT 2')).text).toBe('0\n1');
  expect((await session.ask('SELECT * FROM system.one')).text).toBe('0');
});

it('sets that are printed as their sizes are counted, not fetched', async () => {
  await session.run(table('a', 'AggregatingMergeTree ORDER BY k', `k String, u ${bitmap}`));
  await session.run("INSERT INTO a SELECT 'x', groupBitmapState(number) FROM numbers(10000)");
  for (const [format, size] of [
    ['PrettyCompact', 'set of 10000'],
    ['Vertical', 'set of 10000'],
    ['JSONEachRow', undefined],
  ] as const) {
    const result = await session.run(`SELECT u FROM a FORMAT ${format}`);
    if (result.kind !== 'rows') throw new Error('rows were asked for');
    expect(result.columns[0]?.type.kind).toBe('Bitmap');
    const [column] = result.block.columns;
    expect(column?.kind === 'wide' ? `set of ${column.values[0]}` : undefined).toBe(size);
    if (size === undefined) continue;
    const text = Buffer.concat([
      ...formatResult(format, result, { settings: new Map(), statistics: result.statistics }),
    ]).toString();
    expect(text).toContain(size);
  }
});
