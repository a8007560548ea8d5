// Exports, as a person makes them, read by others: ClickHouse gets equal sets back, Parquet opens in
// ClickHouse, DuckDB and parquetjs-lite, and a change is exactly what came and went.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ClickHouseOracle } from '../../bench/clickhouse-oracle.ts';
import { run } from './command-line.ts';
import { testPackage } from './places.ts';

const cwd = mkdtempSync(join(tmpdir(), 'muster-cli-export-'));
const oracle = ClickHouseOracle.open(testPackage);
const oldTools = createRequire(pathToFileURL(testPackage));
const store = ['--data', 'store'];
const count = 100_000;
/** The same ids in both dialects. */
const idsOf = (from: number, to: number) =>
  `SELECT sipHash64(number) AS id FROM numbers(${from}, ${to - from})`;

beforeAll(async () => {
  mkdirSync(join(cwd, 'store'));
  const statements = [
    'CREATE TABLE s (name String, ids AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY name SETTINGS muster_groups = 2',
    `INSERT INTO s SELECT 'all', groupBitmapState(id) FROM (${idsOf(0, count)})`,
    "INSERT INTO s SELECT 'few', groupBitmapState(number) FROM numbers(20)",
  ];
  for (const statement of statements) {
    const { code, said } = await run(['sql', ...store, statement], { cwd });
    expect([code, said]).toEqual([0, '']);
  }
});
afterAll(() => {
  oracle.close();
  rmSync(cwd, { recursive: true, force: true });
});

async function exported(select: string, ...words: readonly string[]): Promise<string> {
  const { code, said } = await run(['export', select, ...store, ...words], { cwd });
  expect([code, said]).toEqual([0, expect.stringMatching(/^[\d,]+ rows? /)]);
  return said;
}

const all = "SELECT ids AS id FROM s WHERE name = 'all'";
const sums = (id: string) => `count(), min(${id}), max(${id}), sum(${id} % 1000003)`;

test('Parquet of ids opens everywhere', async () => {
  await exported(all, '--to', 'ids.parquet');
  const path = join(cwd, 'ids.parquet');
  const expected = oracle.query(`SELECT ${sums('id')} FROM (${idsOf(0, count)})`);
  expect(oracle.query(`SELECT ${sums('id')} FROM file('${path}', Parquet)`)).toBe(expected);

  const { DuckDBInstance } = oldTools('@duckdb/node-api') as {
    DuckDBInstance: { create(): Promise<{ connect(): Promise<DuckDb> }> };
  };
  const duckdb = await (await DuckDBInstance.create()).connect();
  const reader = await duckdb.runAndReadAll(`SELECT ${sums('id')} FROM '${path}'`);
  expect(reader.getRows()[0]?.map(String).join('\t')).toBe(expected.trimEnd());

  await exported("SELECT ids AS id FROM s WHERE name = 'few'", '--to', 'few.parquet');
  const { ParquetReader } = oldTools('parquetjs-lite') as {
    ParquetReader: { openFile(path: string): Promise<OldReader> };
  };
  const old = await ParquetReader.openFile(join(cwd, 'few.parquet'));
  const cursor = old.getCursor();
  const found: number[] = [];
  for (let row = await cursor.next(); row !== null; row = await cursor.next()) {
    found.push(Number(row['id']));
  }
  await old.close();
  expect(found.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
});

interface DuckDb {
  runAndReadAll(sql: string): Promise<{ getRows(): unknown[][] }>;
}

interface OldReader {
  getCursor(): { next(): Promise<Readonly<Record<string, unknown>> | null> };
  close(): Promise<void>;
}

test('CSV, JSON lines and Arrow hold the same ids; sorted ones ascend', async () => {
  const expected = oracle.query(`SELECT ${sums('id')} FROM (${idsOf(0, count)})`);
  for (const [name, format] of [
    ['ids.csv', 'CSVWithNames'],
    ['ids.jsonl', 'JSONEachRow'],
    ['ids.arrow', 'Arrow'],
  ]) {
    await exported(all, '--to', name ?? '');
    const file = `file('${join(cwd, name ?? '')}', ${format}, 'id UInt64')`;
    expect(oracle.query(`SELECT ${sums('id')} FROM ${file}`), name).toBe(expected);
  }
  await exported(all, '--to', 'sorted.txt', '--sorted');
  const ids = readFileSync(join(cwd, 'sorted.txt'), 'utf8').trimEnd().split('\n').map(BigInt);
  expect(ids).toHaveLength(count);
  expect(ids.every((id, i) => i === 0 || id > ids[i - 1]!)).toBe(true);
});

test('ClickHouse reads states back as equal sets', async () => {
  const structure = 'name String, ids AggregateFunction(groupBitmap, UInt64)';
  await exported('SELECT name, ids FROM s', '--as', 'state', '--to', 'states.rowbinary');
  const states = `file('${join(cwd, 'states.rowbinary')}', RowBinary, '${structure}')`;
  const equal = `SELECT bitmapXorCardinality(ids, (SELECT groupBitmapState(id) FROM (${idsOf(0, count)}))) FROM ${states} WHERE name = 'all'`;
  expect(oracle.query(equal)).toBe('0\n');
  await exported('SELECT name, ids FROM s', '--as', 'state', '--to', 'states.parquet');
  const binary = `file('${join(cwd, 'states.parquet')}', Parquet)`;
  const cast = `SELECT name, bitmapCardinality(CAST(ids, 'AggregateFunction(groupBitmap, UInt64)')) FROM ${binary} ORDER BY name`;
  expect(oracle.query(cast)).toBe(`all\t${count}\nfew\t20\n`);
});

test('what changed since a version, told by the export before', async () => {
  const before = await exported(all, '--to', 'before.csv');
  const version = /at version (\d+)/.exec(before)?.[1] ?? '';
  const more = `INSERT INTO s SELECT 'all', groupBitmapState(id) FROM (${idsOf(count, count + 300)})`;
  await run(['sql', ...store, more], { cwd });
  await exported(all, '--to', 'changes.csv', '--since-version', version);
  const file = `file('${join(cwd, 'changes.csv')}', CSVWithNames, 'id UInt64, change String')`;
  const expected = oracle.query(`SELECT ${sums('id')} FROM (${idsOf(count, count + 300)})`);
  expect(oracle.query(`SELECT ${sums('id')} FROM ${file} WHERE change = 'added'`)).toBe(expected);
  expect(oracle.query(`SELECT count() FROM ${file}`)).toBe('300\n');
});

test('what can’t be exported leaves no file behind', async () => {
  const { code, said } = await run(['export', 'SELECT 1', ...store, '--to', 'none.csv'], { cwd });
  expect([code, said]).toEqual([1, expect.stringContaining('the SELECT gives 0')]);
  expect(() => readFileSync(join(cwd, 'none.csv'))).toThrow();
});
