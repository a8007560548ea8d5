// Parquet, both ways: what ClickHouse, DuckDB and pyarrow write is read, and what is written here
// opens in ClickHouse, DuckDB and parquetjs-lite, with the same values everywhere.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { queryAsync } from 'chdb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { named, readFile, structureOf, writeFile } from '../engine/formats/parquet-sample.ts';
import { answerOf } from './format-oracle.ts';

interface OldReader {
  getCursor(): { next(): Promise<unknown> };
  close(): Promise<void>;
}
const { ParquetReader } = createRequire(import.meta.url)('parquetjs-lite') as {
  readonly ParquetReader: { openFile(path: string): Promise<OldReader> };
};

const folder = mkdtempSync(join(tmpdir(), 'muster-parquet-'));
/** What others make their files of. */
const source = join(folder, 'source.parquet');
const python = fileURLToPath(new URL('../.cache/pyarrow-venv/bin/python', import.meta.url));

/** Every type, its edges, NULLs; lists of 0 to 9 items; more rows than fit one block. */
const rows = 70_000;
/** One row of so many is compared. */
const step = 13;
const types = {
  u8: 'UInt8',
  u16: 'UInt16',
  u32: 'UInt32',
  u64: 'UInt64',
  i8: 'Int8',
  i16: 'Int16',
  i32: 'Int32',
  i64: 'Int64',
  f32: 'Float32',
  f64: 'Float64',
  s: 'String',
  d: 'Date',
  n: 'Nullable(UInt64)',
  ns: 'Nullable(String)',
  l: 'Array(UInt64)',
  ls: 'Array(String)',
  u: 'UUID',
} as const;
const select = `SELECT number::UInt8 u8, (65535 - number)::UInt16 u16,
  (4294967295 - number)::UInt32 u32, (18446744073709551615 - number)::UInt64 u64,
  (-number)::Int8 i8, (-number)::Int16 i16, (-number)::Int32 i32,
  (-9223372036854775808 + number::Int64)::Int64 i64, (number / 3)::Float32 f32, number / 7 f64,
  concat('ä', toString(number % 1000)) s, toDate(number % 65536) d,
  if(number % 3 = 0, NULL, sipHash64(number)) n, if(number % 5 = 0, NULL, toString(number)) ns,
  arrayMap(x -> sipHash64(number, x), range(number % 10)) l,
  arrayMap(x -> toString(number + x), range(number % 3)) ls,
  reinterpretAsUUID(sipHash128(number)) u
  FROM numbers(${rows}) ORDER BY number`;
const columns = named(types);

let expected: unknown[][] = [];

async function viaClickHouse(path: string): Promise<unknown[][]> {
  const fields = columns.map(({ name }, i) => `${name}::${Object.values(types)[i]} ${name}`);
  const answer = await answerOf(
    `SELECT ${fields.join(', ')} FROM file('${path}', Parquet)`,
    columns,
  );
  return await rowsOf(answer);
}

async function rowsOf(answer: Awaited<ReturnType<typeof answerOf>>): Promise<unknown[][]> {
  // Through a file of our own: the same values as plain JavaScript ones.
  return await readFile(writeFile(columns, answer.block.columns), columns);
}

beforeAll(async () => {
  const sampled = select.replace('ORDER BY', `WHERE number % ${step} = 0 ORDER BY`);
  expected = await rowsOf(await answerOf(sampled, columns));
  await queryAsync(`INSERT INTO FUNCTION file('${source}', Parquet) ${select}`);
});

afterAll(() => rmSync(folder, { recursive: true }));

async function same(bytes: Uint8Array, settings: Readonly<Record<string, string>> = {}) {
  expect(await readFile(bytes, columns, settings, step)).toEqual(expected);
}

async function duckdb(sql: string): Promise<void> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(sql);
  connection.closeSync();
  instance.closeSync();
}

/** Numbers as texts: 64-bit ones are BigInt here and numbers in JSON. */
function inTexts(values: unknown): unknown {
  return JSON.parse(
    JSON.stringify(values, (_, value: unknown) =>
      typeof value === 'bigint' || typeof value === 'number' ? String(value) : value,
    ),
  );
}

describe('what others write is read', () => {
  it.each([
    ['zstd', ''],
    ['snappy', ', output_format_parquet_data_page_size = 20000'],
    ['lz4', ', output_format_parquet_row_group_size = 40000'],
    ['gzip', ', output_format_parquet_max_dictionary_size = 0'],
    ['brotli', ", output_format_parquet_version = '1.0'"],
    ['none', ', output_format_parquet_write_page_index = 0'],
  ])('ClickHouse, %s%s', async (compression, settings) => {
    const path = join(folder, `clickhouse-${compression}.parquet`);
    await queryAsync(`INSERT INTO FUNCTION file('${path}', Parquet) ${select} SETTINGS
      output_format_parquet_compression_method = '${compression}'${settings}`);
    const bytes = readFileSync(path);
    await same(bytes);
    const structure = await structureOf(bytes);
    expect(structure).toMatchObject({
      u64: 'UInt64',
      i8: 'Int8',
      n: 'Nullable(UInt64)',
      u: 'UUID',
    });
    expect(structure).toMatchObject({ s: 'String', d: 'Date', l: 'Array(UInt64)', f32: 'Float32' });
  });

  it.each(['snappy', 'zstd', 'uncompressed', 'v2'])('DuckDB, %s', async (codec) => {
    const path = join(folder, `duckdb-${codec}.parquet`);
    const options = codec === 'v2' ? 'PARQUET_VERSION V2' : `CODEC '${codec}'`;
    await duckdb(`COPY (FROM '${source}') TO '${path}' (FORMAT parquet, ${options})`);
    await same(readFileSync(path));
  });

  it.runIf(existsSync(python))('pyarrow, by its defaults and as it can be', async () => {
    const script = `
import sys, pyarrow.parquet as pq
t = pq.read_table(sys.argv[1])
pq.write_table(t, sys.argv[2] + '/arrow-1.parquet')
pq.write_table(t, sys.argv[2] + '/arrow-2.parquet', use_dictionary=False, compression='lz4',
  data_page_version='2.0', version='2.6', row_group_size=50001, write_page_index=True)
pq.write_table(t, sys.argv[2] + '/arrow-3.parquet', use_compliant_nested_type=False,
  use_dictionary=False, column_encoding={'i64': 'DELTA_BINARY_PACKED', 's': 'DELTA_BYTE_ARRAY',
  'f64': 'BYTE_STREAM_SPLIT', 'ns': 'DELTA_LENGTH_BYTE_ARRAY'})`;
    execFileSync(python, ['-c', script, source, folder]);
    for (const n of [1, 2, 3]) await same(readFileSync(join(folder, `arrow-${n}.parquet`)));
  });

  it('lists of lists, structs, lists of structs and structs with lists', async () => {
    const path = join(folder, 'nested.parquet');
    const nested = `SELECT number AS id,
      arrayMap(i -> arrayMap(j -> if(j % 3 = 1, NULL, toInt64(number * 10 + j)),
        range((number + i) % 4)), range(number % 5)) AS ll,
      (number, toString(number))::Tuple(a UInt64, b String) AS s,
      arrayMap(i -> (toUInt8(i), toString(i)), range(number % 3))::Array(Tuple(x UInt8, y String)) AS ls,
      (number, [number, 1], (2, 'z'))::Tuple(n UInt64, l Array(UInt64), t Tuple(UInt8, String)) AS sl
      FROM numbers(${rows})`;
    await queryAsync(`INSERT INTO FUNCTION file('${path}', Parquet) SELECT *, map('k', id) AS m
      FROM (${nested}) SETTINGS output_format_parquet_row_group_size = 30000`);
    const answer = await queryAsync(
      `SELECT * FROM (${nested}) WHERE id % ${step} = 0
        SETTINGS output_format_json_named_tuples_as_objects = 0`,
      { format: 'JSONCompactEachRow' },
    );
    const lines = Buffer.from(answer.bytes()).toString('utf8').trim().split('\n');
    const wanted = inTexts(lines.map((line): unknown => JSON.parse(line)));
    const bytes = readFileSync(path);
    const structure = await structureOf(bytes);
    expect(structure).toMatchObject({
      ll: 'Array(Array(Nullable(Int64)))',
      s: 'Tuple(a UInt64, b String)',
      ls: 'Array(Tuple(x UInt8, y String))',
      m: 'Nothing',
    });
    const read = async (from: Uint8Array) => {
      const { m: _, ...held } = await structureOf(from);
      return inTexts(await readFile(from, named(held), {}, step));
    };
    expect(await read(bytes)).toEqual(wanted);
    await expect(readFile(bytes, named({ m: 'UInt64' }))).rejects.toThrow(
      /Column 'm' of the Parquet file is a Map\(String, UInt64\)/,
    );
    const other = join(folder, 'nested-duckdb.parquet');
    await duckdb(`COPY (SELECT * EXCLUDE (m) FROM '${path}') TO '${other}' (FORMAT parquet)`);
    expect(await read(readFileSync(other))).toEqual(wanted);
    const empty = join(folder, 'nested-nulls.parquet');
    await duckdb(`COPY (SELECT CASE WHEN i % 2 = 0 THEN NULL ELSE {'a': i, 'l': [[i], NULL, []]} END s
      FROM range(4) t(i)) TO '${empty}' (FORMAT parquet)`);
    expect(
      await readFile(readFileSync(empty), named(await structureOf(readFileSync(empty)))),
    ).toEqual([[[null, []]], [[1n, [[1n], [], []]]], [[null, []]], [[3n, [[3n], [], []]]]]);
  });

  it('sets: from lists of ids, and from states in binary columns', async () => {
    const path = join(folder, 'sets.parquet');
    await queryAsync(`INSERT INTO FUNCTION file('${path}', Parquet)
      SELECT number % 100 k, groupArray(toUInt64(sipHash64(number))) l,
        CAST(groupBitmapState(sipHash64(number)), 'String') s,
        arrayMap(x -> toString(x), l) t, arrayMap(x -> toUInt32(x % 1000), l) small
      FROM numbers(1000) GROUP BY k ORDER BY k`);
    const bytes = readFileSync(path);
    const ids = 'AggregateFunction(groupBitmap, UInt64)';
    const asked = named({
      l: ids,
      s: ids,
      t: 'AggregateFunction(groupBitmap, String)',
      small: ids,
    });
    const [lists, states, texts] = await Promise.all(
      ['l', 's', 't'].map((name) => readFile(bytes, [asked.find((one) => one.name === name)!])),
    );
    expect(lists).toHaveLength(100);
    expect(states).toEqual(lists);
    const strings = lists!.map(([set]) => [(set as bigint[]).map(String).sort()]);
    expect(texts).toEqual(strings);
  });
});

describe('what is written here opens', () => {
  const path = join(folder, 'ours.parquet');

  it.each(['gzip', 'brotli'])('in ClickHouse and DuckDB, %s', async (codec) => {
    const answer = await answerOf(`${select} LIMIT 20000`, columns);
    const settings = { output_format_parquet_compression_method: codec };
    writeFileSync(path, writeFile(columns, answer.block.columns, settings));
    const back = await viaClickHouse(path);
    const sampled = back.filter((_, i) => i % step === 0);
    expect(sampled).toEqual(expected.slice(0, sampled.length));
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const difference = await connection.runAndReadAll(
      `SELECT count(*) FROM ((FROM '${path}') EXCEPT (FROM '${source}'))`,
    );
    expect(difference.getRows()).toEqual([[0n]]);
    connection.closeSync();
    instance.closeSync();
  });

  it('in parquetjs-lite', async () => {
    const plain = ['u32', 'i64', 's', 'f64', 'n', 'l'] as const;
    const chosen = named(Object.fromEntries(plain.map((name) => [name, types[name]])));
    const answer = await answerOf(`SELECT ${plain.join(', ')} FROM (${select}) LIMIT 1000`, chosen);
    writeFileSync(path, writeFile(chosen, answer.block.columns));
    const reader = await ParquetReader.openFile(path);
    const cursor = reader.getCursor();
    const read: unknown[] = [];
    for (let row = await cursor.next(); row !== null; row = await cursor.next()) read.push(row);
    await reader.close();
    expect(read).toHaveLength(1000);
    expect(read[999]).toMatchObject({ s: 'ä999', f64: 999 / 7 });
  });
});
