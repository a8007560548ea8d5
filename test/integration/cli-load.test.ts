// `muster load` of every kind of file, as a person runs it: what is loaded, what is said, and what a
// bad file leaves behind.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, type Server, serve } from './command-line.ts';

const cwd = mkdtempSync(join(tmpdir(), 'muster-cli-load-'));
let server: Server;

const csv = 'day,uid,name\n2026-01-01,1,a\n2026-01-02,18446744073709551615,"b, ""c""\nd"\n';
const bare = csv.slice(csv.indexOf('\n') + 1);
const tsv = '2026-01-01\t1\ta\n2026-01-02\t18446744073709551615\tb, "c"\\nd\n';
const json =
  '{"day":"2026-01-01","uid":1,"name":"a"}\n' +
  '{"uid":18446744073709551615,"name":"b, \\"c\\"\\nd","day":"2026-01-02"}\n';
const both = '2026-01-01\t1\ta\n2026-01-02\t18446744073709551615\tb, "c"\\nd\n';

beforeAll(async () => {
  server = await serve(['--data', 'served'], { cwd });
  mkdirSync(join(cwd, 'f'));
  const files = {
    'a.csv': csv,
    'bare.csv': bare,
    'semicolons.csv': csv.replaceAll(/,(?! )/g, ';'),
    'other-names.csv': csv.replace('day,uid,name', 'date,user,who'),
    'a.tsv': tsv,
    'named.tsv': `uid\tname\tday\n1\ta\t2026-01-01\n18446744073709551615\tb, "c"\\nd\t2026-01-02\n`,
    'a.jsonl': json,
    'array.json': `[${json.trim().replace('\n', ',\n')}]`,
    'no-ending': json,
    'a.csv.gz': gzipSync(csv),
    'gzip-in-disguise.csv': gzipSync(csv),
    'a.zip': zipSync({ 'x/a.csv': Buffer.from(csv) }),
    'two.zip': zipSync({ 'one.csv': Buffer.from(csv), 'two.jsonl': Buffer.from(json) }),
    'bad.csv': `${csv}2026-01-03,x3,e\n`,
    'cut.csv.gz': gzipSync(csv.repeat(5000)).subarray(0, 300),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, 'f', name), content);
});
afterAll(async () => {
  await server.stop();
  rmSync(cwd, { recursive: true });
});

const muster = (words: readonly string[], input?: string | Uint8Array) =>
  run([...words, '--url', server.url], { cwd, ...(input === undefined ? {} : { input }) });
const sql = async (statement: string) => (await muster(['sql', statement])).out;
let tables = 0;

async function freshTable(): Promise<string> {
  const table = `t${tables++}`;
  await sql(
    `CREATE TABLE ${table} (day Date, uid UInt64, name String) ENGINE = MergeTree ORDER BY day`,
  );
  return table;
}

test('every kind of file gives the same rows, and says what it was taken for', async () => {
  const taken = {
    'a.csv': /read as CSV, with a header: its fields are columns of the table\n/,
    'bare.csv': /read as CSV, without a header/,
    'semicolons.csv': /CSV with ';' between fields, with a header/,
    'other-names.csv': /'date' is no Date, .*date, user, who are taken by position/,
    'a.tsv': /read as TabSeparated, without a header/,
    'named.tsv': /read as TabSeparated, with a header/,
    'a.jsonl': /read as JSONEachRow/,
    'array.json': /read as JSONEachRow/,
    'no-ending': /read as JSONEachRow/,
    'a.csv.gz': /read as CSV, with a header/,
    'gzip-in-disguise.csv': /read as CSV, with a header/,
    'a.zip': /a\.zip\/x\/a\.csv: read as CSV, with a header/,
  };
  const table = await freshTable();
  const names = Object.keys(taken).map((name) => `f/${name}`);
  const { code, out, said } = await muster(['load', table, ...names]);
  expect({ code, out }).toEqual({ code: 0, out: '' });
  for (const [name, words] of Object.entries(taken)) {
    const lines = said.split('\n').filter((line) => /^[:/]/.test(line.replace(`f/${name}`, '')));
    expect(lines, said).toHaveLength(2);
    expect(`${lines[0]}\n`).toMatch(words);
    expect(lines[1]).toMatch(/: 2 rows, \d+ B in [\d.]+ m?s \([\d,]+ rows\/s\)$/);
  }
  const rows = await sql(`SELECT day, uid, name, count() FROM ${table} GROUP BY ALL ORDER BY day`);
  expect(rows).toBe(both.replaceAll('\n', `\t${names.length}\n`));
});

test('standard input: plain, gzip and zip; each entry of a zip', async () => {
  const table = await freshTable();
  for (const input of [csv, json, gzipSync(tsv), zipSync({ 'a.csv': Buffer.from(csv) })]) {
    expect(await muster(['load', table, '-'], input)).toMatchObject({ code: 0, out: '' });
  }
  expect(await sql(`SELECT count(), uniqExact(uid) FROM ${table}`)).toBe('8\t2\n');
  const { said } = await muster(['load', table, 'f/two.zip']);
  expect(said).toMatch(/two\.zip\/one\.csv: 2 rows.*two\.zip\/two\.jsonl: 2 rows/s);
});

test('a bad row: the file, the row, what was loaded and what was not', async () => {
  const table = await freshTable();
  const names = ['f/a.csv', 'f/bad.csv', 'f/a.tsv'];
  const { code, said } = await muster(['load', table, ...names]);
  expect(code).toBe(1);
  expect(said).toMatch(/f\/bad\.csv: .*'x3' is not like UInt64.*row 3; line 5/);
  expect(said).toMatch(
    /Nothing of f\/bad\.csv was loaded; loaded before it: f\/a\.csv \(2 rows\); not tried: f\/a\.tsv\.\n$/,
  );
  expect(await sql(`SELECT count() FROM ${table}`)).toBe('2\n');
  const cut = await muster(['load', table, 'f/cut.csv.gz']);
  expect(cut.code).toBe(1);
  expect(cut.said).toMatch(/gzip data of f\/cut\.csv\.gz are damaged or cut off/);
  expect(await sql(`SELECT count() FROM ${table}`)).toBe('2\n');
});

test('a SELECT over the file, in short and at length, with and without a structure', async () => {
  await sql(`CREATE TABLE daily (day Date, users AggregateFunction(groupBitmap, UInt64))
             ENGINE = AggregatingMergeTree ORDER BY day`);
  const counted = 'SELECT day, groupBitmapMerge(users) FROM daily GROUP BY day ORDER BY day';
  for (const words of [
    ['f/a.csv', '--select', 'day, groupBitmapState(uid) GROUP BY day'],
    ['f/a.jsonl', '--select', 'SELECT day, groupBitmapState(uid) FROM input() GROUP BY day'],
    ['f/bare.csv', '--select', 'c1, groupBitmapState(c2) GROUP BY c1'],
    [
      'f/a.tsv',
      '--select',
      'd, groupBitmapState(u) GROUP BY d',
      '--structure',
      'd Date, u UInt64, n String',
    ],
  ]) {
    const { code, said } = await muster(['load', 'daily', ...words]);
    expect({ code, said }, said).toMatchObject({ code: 0 });
    expect(said).toMatch(/2 rows became 2 rows/);
    expect(await sql(counted)).toBe('2026-01-01\t1\n2026-01-02\t1\n');
    await sql('TRUNCATE TABLE daily');
  }
});

test('bitmap columns take lists and ids', async () => {
  await sql(`CREATE TABLE tags (tag String, users AggregateFunction(groupBitmap, UInt64))
             ENGINE = AggregatingMergeTree ORDER BY tag`);
  await muster(['load', 'tags', '-'], 'tag,users\na,"[1,2]"\nb,"[2]"\n');
  await muster(['load', 'tags', '-'], 'a,3\nb,3\n');
  expect(await sql('SELECT tag, groupBitmapMerge(users) FROM tags GROUP BY tag ORDER BY tag')).toBe(
    'a\t3\nb\t2\n',
  );
});

test('in process, another database, names with dots', async () => {
  const own = ['--data', 'own'];
  mkdirSync(join(cwd, 'own'));
  const statements =
    'CREATE DATABASE d; CREATE TABLE d.t (day Date, uid UInt64, name String) ENGINE = MergeTree ORDER BY day';
  await run(['sql', ...own, statements], { cwd });
  expect(await run(['load', 'd.t', 'f/a.csv', ...own], { cwd })).toMatchObject({ code: 0 });
  const words = ['load', 't', 'f/a.csv', '--database', 'd', ...own];
  expect(await run(words, { cwd })).toMatchObject({ code: 0 });
  expect((await run(['sql', ...own, 'SELECT count() FROM d.t'], { cwd })).out).toBe('4\n');
});

test('what can be known before anything is loaded is said before', async () => {
  const table = await freshTable();
  for (const [words, code, sentence] of [
    [['load', table, 'f/a.csv', 'f/none'], 2, /^muster: There is no file f\/none\.\n$/],
    [['load', table, 'https://x/a.csv'], 2, /no file https:.*curl \.\.\. \| muster load/],
    [['load', table, 'f'], 2, /f is a directory/],
    [['load', 'nope', 'f/a.csv'], 1, /^muster: .*nope does not exist.*\(UNKNOWN_TABLE, 60\)\n$/],
    [['load', table, 'f/a.csv', '--structure', 'a Int8'], 2, /give both/],
    [['load', table, 'f/a.csv', '--header', 'maybe'], 2, /one of auto, yes, no/],
  ] as const) {
    const ran = await muster(words);
    expect(ran.code, ran.said).toBe(code);
    expect(ran.said).toMatch(sentence);
  }
  expect(await sql(`SELECT count() FROM ${table}`)).toBe('0\n');
});
