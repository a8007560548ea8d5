// @clickhouse/client against a server over a directory: what people write with it works.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ListeningServer } from '../../functions/listen.ts';
import { startServer } from '../../functions/server.ts';

let directory: string;
let server: ListeningServer;
let client: ClickHouseClient;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'muster-http-client-'));
  server = await startServer({
    host: '127.0.0.1',
    port: 0,
    store: directory,
    endpoint: undefined,
    region: undefined,
    workers: { kind: 'in-process' },
    users: [],
    tls: undefined,
    queriesMax: 100,
    logLevel: 'warn',
  });
  client = createClient({
    url: `http://127.0.0.1:${server.port}`,
    database: 'bm',
    log: { level: ClickHouseLogLevel.OFF },
  });
  const setup = createClient({ url: `http://127.0.0.1:${server.port}` });
  await setup.command({ query: 'CREATE DATABASE bm' });
  await setup.close();
  await client.command({
    query: `CREATE TABLE tags (label LowCardinality(String), value String,
      users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree
      ORDER BY (label, value)`,
  });
});

afterAll(async () => {
  await client.close();
  await server.close();
  await rm(directory, { recursive: true });
});

async function rows<T>(query: string, parameters: Record<string, unknown> = {}): Promise<T[]> {
  const answer = await client.query({ query, query_params: parameters, format: 'JSONEachRow' });
  return await answer.json<T>();
}

test('ping, both ways', async () => {
  expect((await client.ping()).success).toBe(true);
  expect((await client.ping({ select: true })).success).toBe(true);
});

describe('inserting and asking', () => {
  test('objects with arrays of ids', async () => {
    await client.insert({
      table: 'tags',
      format: 'JSONEachRow',
      values: [
        { label: 'city', value: 'bj', users: [1, 2, 3, '18446744073709551615'] },
        { label: 'city', value: 'sh', users: [3, 4] },
        { label: 'os', value: 'ios', users: [] },
      ],
    });
    const query = `SELECT value, groupBitmapMerge(users) AS n FROM tags WHERE label = {l:String}
      GROUP BY value ORDER BY value`;
    expect(await rows(query, { l: 'city' })).toEqual([
      { value: 'bj', n: 4 },
      { value: 'sh', n: 2 },
    ]);
  });

  test('a stream of rows, compressed', async () => {
    const compressing = createClient({
      url: `http://127.0.0.1:${server.port}`,
      database: 'bm',
      compression: { request: true, response: true },
    });
    const values = Readable.from(
      Array.from({ length: 1000 }, (_, i) => ({ label: 'n', value: String(i % 10), users: [i] })),
    );
    await compressing.insert({ table: 'tags', format: 'JSONEachRow', values });
    const answer = await compressing.query({
      query: "SELECT groupBitmapMerge(users) AS n FROM tags WHERE label = 'n'",
      format: 'JSON',
    });
    const document = await answer.json<{ n: number }>();
    expect(document.data).toEqual([{ n: 1000 }]);
    await compressing.close();
  });

  test('ids are exact, and quoted when asked for', async () => {
    const answer = await client.query({
      query: `SELECT arrayJoin(bitmapToArray(groupBitmapMergeState(users))) AS id FROM tags
        WHERE value = 'bj' ORDER BY id DESC LIMIT 1`,
      format: 'JSONEachRow',
      clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
    });
    expect(await answer.json()).toEqual([{ id: '18446744073709551615' }]);
  });

  test('streamed rows, raw text, metadata', async () => {
    const answer = await client.query({
      query: 'SELECT number AS n FROM numbers(1000) ORDER BY n',
      format: 'JSONEachRow',
    });
    let sum = 0;
    for await (const batch of answer.stream<{ n: number }>()) {
      for (const row of batch) sum += row.json<{ n: number }>().n;
    }
    expect(sum).toBe(499_500);
    const text = await client.query({ query: 'SELECT 1 AS a, NULL AS b', format: 'TabSeparated' });
    expect(await text.text()).toBe('1\t\\N\n');
    expect(text.query_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('parameters in a form', async () => {
    const answer = await client.query({
      query: 'SELECT {a:Array(UInt64)} AS a, {s:String} AS s',
      query_params: { a: [1, 2], s: "tab\t and 'quote'" },
      format: 'JSONEachRow',
      use_multipart_params: true,
    });
    expect(await answer.json()).toEqual([{ a: [1, 2], s: "tab\t and 'quote'" }]);
  });

  test('summary of an insert', async () => {
    const { summary } = await client.insert({
      table: 'tags',
      format: 'CSV',
      values: Readable.from(['x,y,\n', 'x,z,\n'], { objectMode: false }),
    });
    expect(summary?.written_rows).toBe('2');
  });
});

describe('errors', () => {
  test.each([
    ['SELECT nope FROM tags', '47', 'UNKNOWN_IDENTIFIER'],
    ['SELECT 1 FROM nope', '60', 'UNKNOWN_TABLE'],
    ['SELECT nofunc(1)', '46', 'UNKNOWN_FUNCTION'],
    ['SELECT 1 FRON tags', '62', 'SYNTAX_ERROR'],
  ])('%s', async (query, code, type) => {
    await expect(client.query({ query })).rejects.toMatchObject({ code, type });
  });

  test('an unknown setting', async () => {
    const settings = { foobar: 1 } as Record<string, number>;
    const query = client.query({ query: 'SELECT 1', clickhouse_settings: settings });
    await expect(query).rejects.toMatchObject({ code: '115' });
  });

  test('a bad row fails the whole insert, with its place', async () => {
    const insert = client.insert({
      table: 'tags',
      format: 'CSV',
      values: Readable.from(['bad,1,\n', 'bad,2\n', 'bad,3,\n'], { objectMode: false }),
    });
    await expect(insert).rejects.toThrow(/row 2; line 2/);
    expect(await rows("SELECT value FROM tags WHERE label = 'bad'")).toEqual([]);
  });
});
