// s3() over LocalStack: patterns, Parquet by ranges, text in gzip, writing, keys given, the server's
// own or none; and Parquet as the body of an INSERT over HTTP, small ones in memory, large ones not.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { named, writeFile } from '../engine/formats/parquet-sample.ts';
import { s3Endpoint } from './places.ts';
import { type ServedProcess, serveProcess } from './served-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-functions-'));
const bucket = `muster-${randomUUID()}`;
let served: ServedProcess;

async function ask(text: string, body?: Uint8Array): Promise<string> {
  const url = `http://127.0.0.1:${served.port}/${body === undefined ? '' : `?query=${encodeURIComponent(text)}`}`;
  const reply = await fetch(url, { method: 'POST', body: body ?? text });
  const answer = await reply.text();
  if (!reply.ok) throw new Error(answer);
  return answer;
}

async function put(key: string, body: Uint8Array): Promise<void> {
  const reply = await fetch(`${s3Endpoint()}/${bucket}/${key}`, { method: 'PUT', body });
  expect(reply.status).toBe(200);
}

beforeAll(async () => {
  const made = await fetch(`${s3Endpoint()}/${bucket}`, { method: 'PUT' });
  expect(made.status).toBe(200);
  await put('in/day=1/a.csv', Buffer.from('1,one\n2,two\n'));
  await put('in/day=2/b%20c.csv.gz', gzipSync('3,three\n'));
  const flags = ['--data', join(folder, 'data'), '--endpoint', s3Endpoint()];
  served = await serveProcess(flags, { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' });
});

afterAll(async () => {
  served.child.kill('SIGTERM');
  await served.ended();
  rmSync(folder, { recursive: true, force: true });
});

const structure = "'CSV', 'id UInt64, name String'";

test('s3(): read by patterns, with the keys of the environment, given ones, or none', async () => {
  const sum = 'SELECT sum(id), count(), max(_file) FROM';
  const expected = '6\t3\tb c.csv.gz\n';
  expect(await ask(`${sum} s3('s3://${bucket}/in/*/*.csv*', ${structure})`)).toBe(expected);
  const keys = "'test', 'test'";
  const path = `${s3Endpoint()}/${bucket}/in/**`;
  expect(await ask(`${sum} s3('${path}', ${keys}, ${structure})`)).toBe(expected);
  const one = `s3://${bucket}/in/day={1,7..6}/a.csv`;
  expect(await ask(`${sum} s3('${one.replace(',7..6', '')}', NOSIGN, ${structure})`)).toBe(
    '3\t2\ta.csv\n',
  );
});

test('s3(): written, then read; nothing is written over', async () => {
  const target = `s3://${bucket}/out/numbers.parquet`;
  const rows = 'SELECT number AS n, sipHash64(number) AS h FROM numbers(300000)';
  await ask(`INSERT INTO FUNCTION s3('${target}') ${rows}`);
  expect(await ask(`SELECT count(), sum(n) FROM s3('${target}')`)).toBe('300000\t44999850000\n');
  await expect(ask(`INSERT INTO FUNCTION s3('${target}') SELECT 1`)).rejects.toThrow(
    /numbers.parquet/,
  );
  await expect(ask(`SELECT * FROM s3('s3://${bucket}/none.parquet')`)).rejects.toThrow(
    /doesn't exist/,
  );
});

test('s3(): keys appear neither in errors nor in the log', async () => {
  const secret = 'SECRETSECRETSECRET';
  const text = `SELECT * FROM s3('s3://${bucket}/in/x.csv', 'AKIAKEYKEYKEYKEYKEY1', '${secret}', 'CSV', 'a String')`;
  const error = await ask(text).catch((cause: Error) => cause.message);
  expect(error).not.toContain(secret);
  const shown = await ask(`EXPLAIN ${text}`).catch((cause: Error) => cause.message);
  expect(shown).not.toContain(secret);
  const printed = await ask(`EXPLAIN SYNTAX ${text}`);
  expect(printed).not.toContain(secret);
  expect(JSON.stringify(served.log())).not.toContain(secret);
});

test('what the server can reach is not what everybody may ask it for', async () => {
  await expect(ask("SELECT * FROM file('a.csv', 'CSV', 'a String')")).rejects.toThrow(
    /--files DIR/,
  );
  for (const host of ['127.0.0.1:1', 'localhost:1', '169.254.169.254']) {
    await expect(ask(`SELECT * FROM url('http://${host}/', 'CSV', 'a String')`)).rejects.toThrow(
      /private network/,
    );
    const s3 = `s3('http://${host}/b/k.csv', 'key', 'secret', 'CSV', 'a String')`;
    await expect(ask(`SELECT * FROM ${s3}`)).rejects.toThrow(/--private-urls/);
  }
});

test('INSERT ... FORMAT Parquet over HTTP, small and larger than memory takes', async () => {
  await ask('CREATE TABLE p (id UInt64, pad String) ENGINE = MergeTree ORDER BY id');
  const columns = named({ pad: 'String', id: 'UInt64' });
  for (const [rows, width] of [
    [10, 10],
    [50_000, 1000],
  ] as const) {
    const pads = Array.from({ length: rows }, (_, i) => String(i).padEnd(width, 'x'));
    const ids = BigUint64Array.from({ length: rows }, (_, i) => 2n ** 63n + BigInt(i));
    const values = [
      { kind: 'string', values: pads },
      { kind: 'wide', values: ids },
    ] as const;
    const body = writeFile(columns, values, { output_format_parquet_compression_method: 'none' });
    await ask('INSERT INTO p FORMAT Parquet', body);
    expect(await ask(`SELECT count(), max(id) FROM p WHERE length(pad) = ${width}`)).toBe(
      `${rows}\t${2n ** 63n + BigInt(rows - 1)}\n`,
    );
    await ask('TRUNCATE TABLE p');
  }
});
