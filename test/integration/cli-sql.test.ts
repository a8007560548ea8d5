// `muster sql` through pipes: where statements come from, where answers go, what is said, and the
// exit code; over HTTP and in process alike.

import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { run, type Server, serve, start } from './command-line.ts';

const cwd = mkdtempSync(join(tmpdir(), 'muster-cli-sql-'));
let server: Server;

beforeAll(async () => {
  mkdirSync(join(cwd, 'own'));
  server = await serve(['--data', 'served'], { cwd });
});
afterAll(async () => {
  await server.stop();
  rmSync(cwd, { recursive: true });
});

describe.each(['over HTTP', 'in process'])('%s', (where) => {
  const at = () => (where === 'in process' ? ['--data', 'own'] : ['--url', server.url]);
  const sql = (words: readonly string[], input = '') =>
    run(['sql', ...at(), ...words], { cwd, input });

  it('a statement as argument', async () => {
    expect(await sql(['SELECT 1, 2'])).toEqual({ code: 0, out: '1\t2\n', said: '' });
    expect((await sql(["SELECT 1 AS a\\G SELECT 'ü'"])).out).toBe('Row 1:\n──────\na: 1\nü\n');
    expect((await sql(['SELECT 1 AS a', '--format', 'JSONEachRow'])).out).toBe('{"a":1}\n');
  });

  it('statements from standard input and from a file, with USE and SET between them', async () => {
    const statements = `CREATE DATABASE IF NOT EXISTS other; USE other;
      CREATE TABLE t (a UInt8, s String) ENGINE = MergeTree ORDER BY a; -- a comment ;
      INSERT INTO t FORMAT CSV
1,"x;"
2,y
;
      INSERT INTO t VALUES (3, ';'); SET session_timezone = 'Asia/Tokyo';
      SELECT a, s, timezone() FROM t ORDER BY a; DROP TABLE t`;
    const rows = '1\tx;\tAsia/Tokyo\n2\ty\tAsia/Tokyo\n3\t;\tAsia/Tokyo\n';
    expect(await sql([], statements)).toEqual({ code: 0, out: rows, said: '' });
    writeFileSync(join(cwd, 'a.sql'), statements);
    expect((await sql(['--file', 'a.sql'])).out).toBe(rows);
    expect((await sql(['-f', '-'], statements)).out).toBe(rows);
  });

  it('small inserts that follow each other are stored together, and fail alone', async () => {
    await sql(['CREATE TABLE small (a UInt16) ENGINE = MergeTree ORDER BY a']);
    const catalog = join(cwd, where === 'in process' ? 'own' : 'served', 'catalog');
    const heads = () =>
      readdirSync(catalog, { recursive: true, encoding: 'utf8' }).filter((path) =>
        /\bheads\b.+/.test(path),
      ).length;
    const before = heads();
    const inserts = Array.from({ length: 300 }, (_, i) => `INSERT INTO small VALUES (${i});`);
    expect(await sql([], inserts.join('\n'))).toEqual({ code: 0, out: '', said: '' });
    expect((await sql(['SELECT count(), sum(a) FROM small'])).out).toBe('300\t44850\n');
    expect(heads() - before).toBe(1);
    const [first = '', second = '', ...rest] = inserts;
    const failing = [first, second, "INSERT INTO small VALUES ('no');", ...rest].join('\n');
    const answer = await sql([], failing);
    expect(answer.code).toBe(1);
    expect(answer.said).toMatch(/stdin:3|line 3/);
    expect((await sql(['SELECT count() FROM small'])).out).toBe('302\n');
    await sql(['DROP TABLE small']);
  });

  it('data of an INSERT from standard input', async () => {
    await sql(['CREATE TABLE IF NOT EXISTS piped (a UInt32) ENGINE = MergeTree ORDER BY a']);
    const data = Array.from({ length: 100_000 }, (_, i) => `${i}\n`).join('');
    expect(await sql(['INSERT INTO piped FORMAT CSV'], data)).toMatchObject({ code: 0, out: '' });
    expect((await sql(['SELECT count(), max(a) FROM piped'])).out).toBe('100000\t99999\n');
    const bad = await sql(['INSERT INTO piped FORMAT CSV'], `${data}x\n${data}`);
    expect(bad.code).toBe(1);
    expect(bad.said).toMatch(/^Error: .*'x' is not like UInt32.*row 100001/);
  });

  it('errors with a caret, and code 1; the statements before ran, those after did not', async () => {
    const failed = await sql([], 'SELECT 1;\nSELECT\n  cont(1);\nSELECT 2;');
    expect(failed.code).toBe(1);
    expect(failed.out).toBe('1\n');
    expect(failed.said).toBe(
      "  cont(1)\n  ^\nError: stdin:3: Unknown function cont. Maybe you meant: ['count']. (UNKNOWN_FUNCTION, 46)\n",
    );
    const other = await sql(['SELECT * FROM nope']);
    expect(other).toMatchObject({ code: 1, out: '' });
    expect(other.said).toMatch(/^SELECT \* FROM nope\n {14}\^\nError: .*UNKNOWN_TABLE, 60\)\n$/);
  });

  it('a reader that goes away ends it silently', async () => {
    const child = start(['sql', ...at(), 'SELECT number FROM numbers(3000000)'], { cwd });
    let said = '';
    child.stderr.on('data', (chunk) => (said += chunk));
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const [code] = (await once(child, 'close')) as [number];
    expect({ code, said }).toEqual({ code: 0, said: '' });
  });

  it('Ctrl-C ends a statement with code 130', async () => {
    const text = 'SELECT count() FROM numbers(30000000000) WHERE number % 7 = 3';
    const child = start(['sql', ...at(), `SELECT 1; ${text}`], { cwd });
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
  });

  it('Ctrl-C ends the waiting for data', async () => {
    const table = 'CREATE TABLE IF NOT EXISTS w (a UInt8) ENGINE = MergeTree ORDER BY a';
    const text = `SELECT 'ready'; ${table}; INSERT INTO w FORMAT CSV`;
    const child = start(['sql', ...at(), text], { cwd });
    let said = '';
    child.stderr.on('data', (chunk) => (said += chunk));
    child.stdin.write('1\n');
    await once(child.stdout, 'data');
    await delay(500);
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
    expect(said).toBe('');
  });
});

test('no server: one sentence with two ways out, and code 3', async () => {
  const lonely = await run(['sql', '--url', 'http://127.0.0.1:1', 'SELECT 1'], { cwd });
  expect(lonely.code).toBe(3);
  expect(lonely.said).toMatch(
    /^muster: No server answers at http:\/\/127\.0\.0\.1:1: start one .*, or ask .*--data DIR\.\n$/,
  );
  const bucket = ['--store', 's3://nobody/x', '--endpoint', 'http://127.0.0.1:1'];
  expect(await run(['sql', ...bucket, 'SELECT 1'], { cwd })).toMatchObject({ code: 3, out: '' });
});

test.each([
  ['sql', 'SHOW TABLES'],
  ['load', 't', 'rows.csv'],
  ['export', 'SELECT ids FROM t'],
  ['backfill', 't', '.'],
])('%s makes no store where there is none', async (...words) => {
  writeFileSync(join(cwd, 'rows.csv'), '1\n');
  const missing = await run([...words, '--data', 'mistyped'], { cwd });
  expect(missing).toMatchObject({ code: 3, out: '' });
  expect(missing.said).toMatch(/^muster: There is no directory mistyped: is --data spelt right\?/);
  expect(existsSync(join(cwd, 'mistyped'))).toBe(false);
});

test('something else answers: it is said so', async () => {
  const other = createServer((_, response) => response.writeHead(404).end('<h1>hi</h1>'));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const asked = await run(['sql', '--url', `http://127.0.0.1:${port}`, 'SELECT 1'], { cwd });
  other.close();
  expect(asked.code).toBe(3);
  expect(asked.said).toMatch(/is no Muster or ClickHouse server \(HTTP 404: <h1>hi<\/h1>\)/);
});

test('usage is one sentence and code 2, secrets are not printed', async () => {
  const secret = { MUSTER_PASSWORD: 'hunter2', MUSTER_WORKER_SECRET: 'hunter2' };
  for (const [words, sentence] of [
    [['slq'], /^muster: There is no command 'slq': do you mean 'sql'\?\n$/],
    [['sql', '--frmat', 'CSV'], /do you mean '--format'\?\n$/],
    [['sql', '--file', 'no.sql'], /no\.sql can't be read: it is not there\.\n$/],
    [['sql', '--url', 'ftp://ann:hunter2@x', 'SELECT 1'], /URL is http:\/\/host:port/],
    [['sql', '--url', 'http://x', '--data', 'y', 'SELECT 1'], /give one\.\n$/],
    [['serve', '--host', '0.0.0.0', '--worker-urls', 'http://a'], /fewer than 16/],
    [['serve', '--config', 'none.json'], /none\.json can't be read/],
  ] as const) {
    const { code, out, said } = await run(words, { cwd, env: secret });
    expect({ words, code, out }).toEqual({ words, code: 2, out: '' });
    expect(said).toMatch(sentence);
    expect(said).not.toContain('hunter2');
    expect(said.trim().split('\n')).toHaveLength(1);
  }
});

test('users, by environment and by URL; options by file', async () => {
  const config = { data: 'guarded', users: [{ name: 'ann', password: 'pässword' }] };
  writeFileSync(join(cwd, 'guarded.json'), JSON.stringify(config));
  const guarded = await serve(['--config', 'guarded.json'], { cwd });
  const asked = (env: Record<string, string>, url = guarded.url) =>
    run(['sql', '--url', url, 'SELECT 1'], { cwd, env });
  expect(await asked({ MUSTER_USER: 'ann', MUSTER_PASSWORD: 'pässword' })).toMatchObject({
    code: 0,
  });
  const inUrl = guarded.url.replace('//', `//ann:${encodeURIComponent('pässword')}@`);
  expect(await asked({}, inUrl)).toMatchObject({ code: 0, out: '1\n' });
  expect(await asked({ MUSTER_URL: inUrl, MUSTER_PASSWORD: 'x' }, inUrl)).toMatchObject({
    code: 0,
  });
  const refused = await asked({ MUSTER_USER: 'ann', MUSTER_PASSWORD: 'wrong!' });
  await guarded.stop();
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.said).toMatch(/AUTHENTICATION_FAILED, 516/);
  expect(refused.said).not.toMatch(/wrong!|pässword/);
});

test('help and version are quick and clean', async () => {
  const help = await run(['--help'], { cwd });
  expect(help).toMatchObject({ code: 0, said: '' });
  expect(help.out).not.toContain('\u001b');
  expect((await run(['load', '--help'], { cwd })).out).toMatch(/Examples\n {2}muster load/);
  expect((await run(['version'], { cwd })).out).toMatch(/^\d+(\.\d+){3} muster \d+\.\d+\.\d+\n$/);
});
