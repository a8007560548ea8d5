// Exports against what was put in: whole, sorted, as bytes, and what changed since a version.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExportJob } from '../../../engine/export/export-job.ts';
import { runExport } from '../../../engine/export/run-export.ts';
import { decodeWholeState } from '../../../storage-format/clickhouse-state.ts';
import { decodeForeignSet } from '../../../storage-format/foreign/foreign-set.ts';
import { Session } from '../queries/session.ts';

const spool = mkdtempSync(join(tmpdir(), 'muster-export-'));
afterAll(() => rmSync(spool, { recursive: true }));

let bm: Session;
const versions: number[] = [];

/** Ids that are far apart and out of order: 1,000 of them, then some more, then one less. */
const idOf = (n: number) => (BigInt(n) * 0x9e37_79b9_7f4a_7c15n) & 0xffff_ffff_ffff_ffffn;
const ids = Array.from({ length: 1000 }, (_, n) => idOf(n));

beforeAll(async () => {
  bm = await Session.open({ rangesPerGroup: 2 });
  await bm.run('CREATE DATABASE bm');
  await bm.run(
    'CREATE TABLE s (name String, ids AggregateFunction(groupBitmap, UInt64)) ENGINE = MergeTree ORDER BY name SETTINGS muster_groups = 3',
  );
  await bm.run(
    'CREATE TABLE w (name String, words AggregateFunction(groupBitmap, String), small AggregateFunction(groupBitmap, Int16)) ENGINE = MergeTree ORDER BY name',
  );
  await insert('all', ids);
  versions.push(await version());
  await insert('all', [idOf(2000), idOf(2001)]);
  versions.push(await version());
  await bm.run("INSERT INTO w VALUES ('a', ['x', 'y,', 'é'], [-3, 5, -1])");
});

async function insert(name: string, values: readonly bigint[]): Promise<void> {
  await bm.run(`INSERT INTO s VALUES ('${name}', [${values.join(',')}])`, {
    settings: { aggregate_function_input_format: 'array' },
  });
}

async function version(): Promise<number> {
  return await within(async (context) => (await context.snapshot('bm')).version);
}

type Context = Parameters<Parameters<Session['engine']['within']>[1]>[0];

async function within<T>(work: (context: Context) => Promise<T>): Promise<T> {
  const request = {
    queryId: 'export',
    text: '',
    database: 'bm',
    parameters: new Map<string, string>(),
    settings: new Map<string, string>(),
  };
  return await bm.engine.within(request, (context) =>
    work({ ...context, files: { spool: { folder: spool, bytesMax: 2 ** 30 } } }),
  );
}

async function exported(changes: Partial<ExportJob> & { readonly select: string }) {
  const job: ExportJob = { format: 'CSV', as: 'ids', encoding: 'raw', sorted: false, ...changes };
  const chunks: Uint8Array[] = [];
  let count = 0;
  await within(async (context) => {
    for await (const chunk of runExport(job, context, (more) => (count += more))) {
      chunks.push(Buffer.from(chunk));
    }
  });
  return { bytes: Buffer.concat(chunks), count };
}

const whole = 'SELECT groupBitmapMergeState(ids) AS id FROM s';
const lines = (bytes: Buffer) => bytes.toString('latin1').trimEnd().split('\n');
const ascending = (values: readonly bigint[]) => values.toSorted((a, b) => (a < b ? -1 : 1));

describe('an export', () => {
  const all = ascending([...ids, idOf(2000), idOf(2001)]);

  it('of ids holds each once, sorted where asked', async () => {
    const { bytes, count } = await exported({ select: whole });
    expect(ascending(lines(bytes).map(BigInt))).toEqual(all);
    expect(count).toBe(all.length);
    const sorted = await exported({ select: whole, sorted: true, format: 'TSV' });
    expect(lines(sorted.bytes).map(BigInt)).toEqual(all);
  });

  it('repeats the other columns, with names where the format has them', async () => {
    const { bytes } = await exported({
      select: 'SELECT name, ids FROM s ORDER BY name',
      format: 'CSVWithNames',
    });
    const [header, ...rows] = lines(bytes);
    expect(header).toBe('"name","ids"');
    expect(rows).toHaveLength(1002);
    expect(rows.every((row) => row.startsWith('"all",'))).toBe(true);
  });

  it('of nothing is an empty file of its format', async () => {
    const none = "SELECT groupBitmapMergeState(ids) AS id FROM s WHERE name = 'nobody'";
    expect((await exported({ select: none })).bytes.length).toBe(0);
    const named = await exported({ select: none, format: 'TabSeparatedWithNames' });
    expect(named.bytes.toString()).toBe('id\n');
    const rows = await exported({
      select: "SELECT ids FROM s WHERE name = 'nobody'",
      sorted: true,
    });
    expect(rows.bytes.length).toBe(0);
    const parquet = await exported({ select: none, format: 'Parquet' });
    expect(parquet.bytes.toString('latin1', 0, 4)).toBe('PAR1');
  });

  it('of strings and of small signed ids', async () => {
    const words = await exported({ select: 'SELECT words FROM w', sorted: true });
    expect(lines(words.bytes)).toEqual(['"x"', '"y,"', '"Ã©"']);
    const small = await exported({ select: 'SELECT small AS n FROM w', format: 'JSONEachRow' });
    expect(lines(small.bytes).sort()).toEqual(['{"n":-1}', '{"n":-3}', '{"n":5}']);
    const plain = await exported({ select: 'SELECT small AS n FROM w', format: 'TSV' });
    expect(lines(plain.bytes).sort()).toEqual(['-1', '-3', '5']);
  });

  it('as states and as roaring bitmaps', async () => {
    const state = await exported({ select: whole, as: 'state', encoding: 'hex', format: 'TSV' });
    const [hex = ''] = lines(state.bytes);
    expect([...decodeWholeState(Buffer.from(hex, 'hex'), 'UInt64')]).toEqual(all);
    const wide = await exported({
      select: whole,
      as: 'roaring64',
      encoding: 'base64',
      format: 'TSV',
    });
    const [base64 = ''] = lines(wide.bytes);
    expect([...decodeForeignSet(Buffer.from(base64, 'base64'), 'roaring64', 'UInt64')]).toEqual(
      all,
    );
    const small = await exported({
      select: 'SELECT small FROM w',
      as: 'roaring32',
      encoding: 'hex',
      format: 'TSV',
    });
    const bits = Buffer.from(lines(small.bytes)[0] ?? '', 'hex');
    const back = [...decodeForeignSet(bits, 'roaring32', 'Int16')].map((id) =>
      BigInt.asIntN(64, id),
    );
    expect(back).toEqual([5n, -3n, -1n]);
    await expect(exported({ select: whole, as: 'roaring32' })).rejects.toThrow(/more than 32 bits/);
    await expect(exported({ select: 'SELECT words FROM w', as: 'roaring64' })).rejects.toThrow(
      /of integers/,
    );
  });

  it('of what changed since a version', async () => {
    const since = async (sinceVersion: number, select = whole) =>
      lines((await exported({ select, sinceVersion, format: 'TSV' })).bytes)
        .filter((line) => line !== '')
        .sort();
    const added = [idOf(2000), idOf(2001)].map((id) => `${id}\tadded`).sort();
    expect(await since(versions[0]!)).toEqual(added);
    expect(await since(versions[1]!)).toEqual([]);
    const less = `SELECT bitmapAndnot(groupBitmapMergeState(ids), bitmapBuild([toUInt64(${idOf(5)})])) FROM s`;
    expect(await since(versions[0]!, less)).toEqual(added);
    await bm.run('TRUNCATE TABLE s');
    await insert('all', ids.slice(1));
    const gone = [`${idOf(0)}\tremoved`, `${idOf(2000)}\tremoved`, `${idOf(2001)}\tremoved`];
    expect(await since(versions[1]!)).toEqual(gone.sort());
    await insert('all', [idOf(0), idOf(2000), idOf(2001)]);
    await expect(since(10_000)).rejects.toThrow(/is not kept/);
    await expect(
      exported({ select: whole, sinceVersion: versions[0]!, as: 'state' }),
    ).rejects.toThrow(/as ids/);
  });

  it('of many sets, each sorted, and what changed in each', async () => {
    await bm.run(
      'CREATE TABLE tags (tag String, ids AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY tag SETTINGS muster_groups = 3',
    );
    const add = async (tag: string, numbers: readonly number[]): Promise<void> => {
      const values = `('${tag}', [${numbers.map(idOf).join(',')}])`;
      const settings = { aggregate_function_input_format: 'array' };
      await bm.run(`INSERT INTO tags VALUES ${values}`, { settings });
    };
    const range = (start: number, end: number) =>
      Array.from({ length: end - start }, (_, i) => start + i);
    await add('a', range(0, 300));
    await add('b', []);
    await add('c', [7]);
    await add('d', range(200, 500));
    const select = 'SELECT tag, ids AS id FROM tags ORDER BY tag';
    const sorted = await exported({ select, sorted: true, format: 'TSV' });
    const rows = (tag: string, numbers: readonly number[]) =>
      ascending(numbers.map(idOf)).map((id) => `${tag}\t${id}`);
    const expected = [
      ...rows('a', range(0, 300)),
      ...rows('c', [7]),
      ...rows('d', range(200, 500)),
    ];
    expect(lines(sorted.bytes)).toEqual(expected);
    const first = await version();
    await add('a', [1, 300]);
    await add('e', [7, 8]);
    await bm.run('ALTER TABLE tags DROP PARTITION tuple()');
    await add('a', range(5, 302));
    await add('d', range(200, 500));
    await add('e', [7]);
    const changes = await exported({ select, sinceVersion: first, format: 'TSV' });
    const said = (tag: string, numbers: readonly number[], change: string) =>
      numbers.map((n) => `${tag}\t${idOf(n)}\t${change}`);
    expect(lines(changes.bytes).sort()).toEqual(
      [
        ...said('a', [300, 301], 'added'),
        ...said('a', range(0, 5), 'removed'),
        ...said('c', [7], 'removed'),
        ...said('e', [7], 'added'),
      ].sort(),
    );
    const untold = exported({ select: 'SELECT ids FROM tags', sinceVersion: first });
    await expect(untold).rejects.toThrow(/told apart by no other column/);
  });

  it.each([
    ['SELECT 1', /gives 0/],
    ['SELECT ids, ids AS other FROM s', /gives 2/],
    ['DROP TABLE s', /is a SELECT/],
  ])('%s is none', async (select, why) => {
    await expect(exported({ select })).rejects.toThrow(why);
  });

  it('in a format that needs all rows at once is refused', async () => {
    for (const format of ['JSON', 'Pretty', 'Vertical']) {
      await expect(exported({ select: whole, format })).rejects.toThrow(/not exported as/);
    }
  });
});
