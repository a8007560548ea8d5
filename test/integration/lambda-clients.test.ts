// What people do with functions: @clickhouse/client through the Function URL, users, rows by the ingest
// function's URL and by Invoke, and 32 clients at once on few environments.

import { gzipSync } from 'node:zlib';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Deployment, lambdaEndpoint, unpublished } from './lambda-functions.ts';

const password = 'open sesame';
const limits = [
  '--root-concurrency',
  '6',
  '--worker-concurrency',
  '4',
  '--ingest-concurrency',
  '2',
];

let functions: Deployment;
let client: ClickHouseClient;

beforeAll(async () => {
  functions = await Deployment.make('clients', {
    s3Endpoint: lambdaEndpoint(),
    flags: limits,
    environment: { MUSTER_USER: 'ali', MUSTER_PASSWORD: password },
    change: unpublished,
  });
  client = clientOf('root', { password });
  await client.command({
    query: `CREATE TABLE tags (label String, value String,
      users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree
      ORDER BY (label, value) SETTINGS muster_groups = 2`,
  });
});

afterAll(async () => {
  await client?.close();
  await functions?.remove();
});

function clientOf(kind: 'root' | 'ingest', more: object): ClickHouseClient {
  const { origin, pathname } = new URL(functions.url(kind));
  const log = { level: ClickHouseLogLevel.OFF };
  return createClient({ url: origin, pathname, username: 'ali', log, ...more });
}

async function countOf(label: string): Promise<number> {
  const query = 'SELECT groupBitmapMerge(users) AS n FROM tags WHERE label = {label:String}';
  const query_params = { label };
  const answer = await client.query({ query, query_params, format: 'JSONEachRow' });
  const [row] = await answer.json<{ n: number }>();
  return row?.n ?? 0;
}

it('gives the page to browsers, with its policy', async () => {
  const reply = await fetch(`${functions.url('root').replace(/\/$/, '')}/play`);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await reply.text()).toContain('<title>Muster');
});

describe("ClickHouse's client", () => {
  it('inserts and asks', async () => {
    await client.insert({
      table: 'tags',
      format: 'JSONEachRow',
      values: [
        { label: 'city', value: 'bj', users: [1, 2, 3, '18446744073709551615'] },
        { label: 'city', value: 'sh', users: [3, 4] },
      ],
    });
    expect(await countOf('city')).toBe(5);
    const json = await client.query({
      query: 'SELECT value FROM tags ORDER BY value',
      format: 'JSON',
    });
    expect(json.query_id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await json.json()).data).toEqual([{ value: 'bj' }, { value: 'sh' }]);
    const compact = await client.query({ query: "SELECT 1, 'a'", format: 'JSONCompactEachRow' });
    expect(await compact.json()).toEqual([[1, 'a']]);
    expect((await client.ping({ select: true })).success).toBe(true);
  });

  it('compresses both ways, and streams', async () => {
    const compressing = clientOf('root', {
      password,
      compression: { request: true, response: true },
    });
    const rows = Array.from({ length: 1000 }, (_, i) => ({
      label: 'n',
      value: `${i % 10}`,
      users: [i],
    }));
    const { summary } = await compressing.insert({
      table: 'tags',
      format: 'JSONEachRow',
      values: Readable.from(rows),
    });
    expect(summary?.written_rows).toBe('1000');
    expect(await countOf('n')).toBe(1000);
    const answer = await compressing.query({
      query: 'SELECT number AS n FROM numbers(300000)',
      format: 'JSONEachRow',
    });
    let sum = 0;
    for await (const batch of answer.stream<{ n: number }>()) {
      for (const row of batch) sum += row.json<{ n: number }>().n;
    }
    expect(sum).toBe(44_999_850_000);
    await compressing.close();
  });

  it.each([
    ['SELECT nope FROM tags', '47', 'UNKNOWN_IDENTIFIER'],
    ['SELECT 1 FRON tags', '62', 'SYNTAX_ERROR'],
    ['SELECT repeat(toString(number), 100) FROM numbers(100000)', '396', 'TOO_MANY_ROWS_OR_BYTES'],
  ])('is told of errors: %s', async (query, code, type) => {
    await expect(client.query({ query })).rejects.toMatchObject({ code, type });
  });

  it('is let in with the right password only', async () => {
    for (const wrong of [{ password: 'sesame' }, { username: 'default', password: '' }]) {
      const stranger = clientOf('root', wrong);
      const query = stranger.query({ query: 'SELECT 1' });
      await expect(query).rejects.toMatchObject({ code: '516', type: 'AUTHENTICATION_FAILED' });
      await stranger.close();
    }
  });
});

describe('the ingest function', () => {
  it('takes INSERT by its URL, and nothing else', async () => {
    const ingest = clientOf('ingest', { password });
    const values = [{ label: 'url', value: 'a', users: [1, 2] }];
    await ingest.insert({ table: 'tags', format: 'JSONEachRow', values });
    expect(await countOf('url')).toBe(2);
    const query = ingest.query({ query: 'SELECT 1' });
    await expect(query).rejects.toMatchObject({ code: '344', type: 'SUPPORT_IS_DISABLED' });
    await ingest.close();
  });

  const query = "INSERT INTO tags SETTINGS aggregate_function_input_format = 'array' FORMAT CSV";

  async function invoke(insert: object): Promise<unknown> {
    const name = functions.plans.find(({ kind }) => kind === 'ingest')?.name;
    const event = Buffer.from(JSON.stringify({ muster: 1, insert }));
    const reply = await functions.lambda.send(
      new InvokeCommand({ FunctionName: name, Payload: event }),
    );
    return JSON.parse(Buffer.from(reply.Payload ?? []).toString());
  }

  it('takes rows by Invoke', async () => {
    const body = Buffer.from('invoke,a,"[1,2,3]"\ninvoke,b,"[3,4]"\n').toString('base64');
    expect(await invoke({ query, body })).toMatchObject({ muster: 1, inserted: { rows: 2 } });
    expect(await countOf('invoke')).toBe(4);
    const wrong = await invoke({ query: 'INSERT INTO none FORMAT CSV', body });
    expect(wrong).toMatchObject({ errorMessage: expect.stringContaining('Code: 60') });
  });

  it('takes rows that lie in the store', async () => {
    const { hostname, pathname } = new URL(functions.store);
    const s3 = new S3Client({
      endpoint: lambdaEndpoint(),
      region: 'us-east-1',
      forcePathStyle: true,
    });
    await s3.send(
      new PutObjectCommand({
        Bucket: hostname,
        Key: `${pathname.slice(1)}/inbox/today.csv.gz`,
        Body: gzipSync('inbox,a,"[1,2]"\n'),
      }),
    );
    s3.destroy();
    const reply = await invoke({ query, key: 'inbox/today.csv.gz' });
    expect(reply).toMatchObject({ inserted: { rows: 1 } });
    expect(await countOf('inbox')).toBe(2);
  });
});

describe('32 clients at once', () => {
  const seconds = Number(process.env.MUSTER_TEST_LAMBDA_LOAD_SECONDS ?? 5);

  it('get right answers or 429', { timeout: 60_000 + seconds * 2_000 }, async () => {
    const values = [{ label: 'load', value: 'a', users: [1, 2, 3, 4, 5] }];
    await client.insert({ table: 'tags', format: 'JSONEachRow', values });
    const expected = '5\n';
    const outcomes = new Map<string, number>();
    const end = performance.now() + seconds * 1000;
    const one = async (): Promise<void> => {
      while (performance.now() < end) {
        const outcome = await askOnce(expected);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        if (outcome !== 'right') await delay(100 + Math.random() * 400);
      }
    };
    await Promise.all(Array.from({ length: 32 }, one));
    if (process.env.MUSTER_TEST_LAMBDA_LOAD_SECONDS !== undefined) console.log(outcomes);
    const allowed = new Set(['right', 'throttled by Lambda', 'throttled by Muster']);
    expect([...outcomes].filter(([outcome]) => !allowed.has(outcome))).toEqual([]);
    expect(outcomes.get('right')).toBeGreaterThan(0);
    expect(outcomes.get('throttled by Lambda')).toBeGreaterThan(0);
  });
});

/** Where all roots are busy Lambda refuses; where all workers are, Muster does. */
async function askOnce(expected: string): Promise<string> {
  const reply = await fetch(`${functions.url()}?max_execution_time=10`, {
    method: 'POST',
    body: "SELECT groupBitmapMerge(users) FROM tags WHERE label = 'load'",
    headers: { 'X-ClickHouse-User': 'ali', 'X-ClickHouse-Key': password },
  });
  const text = await reply.text();
  if (reply.status === 200) return text === expected ? 'right' : `wrong: ${text}`;
  const { headers } = reply;
  if (reply.status !== 429) return `${reply.status}: ${text}`;
  const code = headers.get('x-clickhouse-exception-code');
  if (code === null) return 'throttled by Lambda';
  const isRight = code === '202' && Number(headers.get('retry-after')) > 0;
  return isRight ? 'throttled by Muster' : `429 without its headers: ${text}`;
}
