// Backfills of sets that others built: ClickHouse (chdb) in every width and format, CRoaring through
// pyroaring; then processes that are killed, started again and run side by side, and files in a bucket.

import { execFileSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { ClickHouseOracle } from '../../bench/clickhouse-oracle.ts';
import { type BackfillJob, parseSetWish } from '../../engine/backfill/backfill-job.ts';
import { directorySource } from '../../engine/backfill/directory-source.ts';
import { runBackfill } from '../../engine/backfill/run-backfill.ts';
import { S3Bucket } from '../../object-store/s3-bucket.ts';
import { Session } from '../engine/queries/session.ts';
import { run, start } from './command-line.ts';
import { ensureTestBucket, repository, s3Endpoint, testBucket, testPackage } from './places.ts';

const root = mkdtempSync(join(tmpdir(), 'muster-backfill-'));
const oracle = ClickHouseOracle.open(testPackage);
afterAll(() => {
  oracle.close();
  rmSync(root, { recursive: true, force: true });
});

const widths = ['8', '16', '32', '64'].flatMap((bits) => [`UInt${bits}`, `Int${bits}`]);

/** Small sets, large ones, runs, and values at both ends of the type. */
function setsOf(type: string): string {
  const set = (values: string): string =>
    `SELECT groupBitmapState(to${type}(${values})) AS ids FROM numbers(60000)`;
  const queries = [
    ['empty', `SELECT groupBitmapState(to${type}(0)) AS ids FROM numbers(0)`],
    ['few', set('number % 5 * 3')],
    ['many', set('number % 90')],
    ['spread', set('sipHash64(number % 5000)')],
    ['ends', set(`(if(number % 2 = 0, -1, 1)) * toInt64(number % 3)`)],
  ];
  return queries
    .map(([name, query]) => `SELECT '${name}' AS name, ids FROM (${query})`)
    .join(' UNION ALL ');
}

async function table(type: string): Promise<Session> {
  const bm = await Session.open();
  await bm.run('CREATE DATABASE bm');
  await bm.run(
    `CREATE TABLE s (name String, ids AggregateFunction(groupBitmap, ${type})) ENGINE = MergeTree ORDER BY name`,
  );
  return bm;
}

async function load(bm: Session, path: string, changes: Partial<BackfillJob> = {}): Promise<void> {
  await runBackfill({
    engine: bm.engine,
    source: directorySource(path),
    job: {
      name: path,
      database: 'bm',
      table: 's',
      sets: {},
      onError: 'stop',
      settings: {},
      ...changes,
    },
    clock: systemClock,
    signal: new AbortController().signal,
    share: { index: 0, of: 1 },
    onEvent: () => {},
  });
}

const asked = 'SELECT name, arraySort(bitmapToArray(ids)) FROM s ORDER BY name';

describe('sets of ClickHouse', () => {
  it.each(widths)('of %s, in every form', async (type) => {
    const query = setsOf(type);
    const state = `AggregateFunction(groupBitmap, ${type})`;
    const forms: readonly (readonly [string, string, string, Partial<BackfillJob>?])[] = [
      ['a.native', 'Native', `name String, ids ${state}`],
      ['b.rowbinary', 'RowBinary', `name String, ids ${state}`],
      ['c.csv', 'CSV', 'name String, ids String'],
      ['d.tsv.zst', 'TabSeparated', 'name String, ids String'],
      ['e.jsonl.lz4', 'JSONEachRow', 'name String, ids String'],
      ['f.parquet', 'Parquet', 'name String, ids String'],
      ['g.native.gz', 'Native', `name LowCardinality(Nullable(String)), ids ${state}`],
      ['h.arrow', 'Arrow', 'name String, ids String'],
      ['i.arrows', 'ArrowStream', 'name LowCardinality(String), ids Array(Nullable(LIST))'],
    ];
    const expected = oracle
      .query(`SELECT name, arraySort(bitmapToArray(ids)) FROM (${query}) ORDER BY name`)
      .trimEnd();
    for (const [name, format, structure] of forms) {
      const folder = join(root, `${type}-${format}-${name}`);
      mkdirSync(folder);
      const isList = structure.includes('LIST');
      const ids = isList
        ? 'bitmapToArray(ids)'
        : structure.includes('AggregateFunction')
          ? 'ids'
          : format === 'CSV'
            ? 'hex(ids::String)'
            : format === 'Parquet'
              ? 'ids::String'
              : 'base64Encode(ids::String)';
      const columns = structure.replace('LIST', type);
      const target = `file('${join(folder, name)}', '${format}', '${columns}')`;
      oracle.query(`INSERT INTO FUNCTION ${target} SELECT name, ${ids} FROM (${query})`);
      const bm = await table(type);
      await load(bm, folder);
      expect((await bm.ask(asked)).text, name).toBe(expected);
    }
  });

  it('of a narrower type go into a wider one; others are refused with their row', async () => {
    const write = (type: string): string => {
      const path = join(root, `narrow-${type}.native`);
      const structure = `name String, ids AggregateFunction(groupBitmap, ${type})`;
      oracle.query(
        `INSERT INTO FUNCTION file('${path}', 'Native', '${structure}') SELECT 'a', groupBitmapState(to${type}(number - 3)) FROM numbers(100)`,
      );
      return path;
    };
    const bm = await table('Int64');
    await load(bm, write('Int16'));
    const found = await bm.ask(
      'SELECT arrayMin(bitmapToArray(ids)), bitmapCardinality(ids) FROM s',
    );
    expect(found.text).toBe('-3\t100');
    await expect(load(await table('UInt64'), write('Int8'))).rejects.toThrow(
      /row 1, column ids: the set has -\d, which is no UInt64/,
    );
  });

  it('cut off anywhere are refused, in whole files', async () => {
    const path = join(root, 'whole.native');
    const structure = 'name String, ids AggregateFunction(groupBitmap, UInt32)';
    oracle.query(
      `INSERT INTO FUNCTION file('${path}', 'Native', '${structure}') SELECT 'a', groupBitmapState(toUInt32(number * 7)) FROM numbers(50)`,
    );
    const whole = readFileSync(path);
    const bm = await table('UInt32');
    for (let length = 1; length < whole.length; length++) {
      const cut = join(root, 'cut.native');
      writeFileSync(cut, whole.subarray(0, length));
      await expect(load(bm, cut), `${length} bytes`).rejects.toMatchObject({ name: 'MusterError' });
    }
    expect((await bm.ask('SELECT count() FROM s')).text).toBe('0');
  });
});

it('sets of pyroaring, 32 and 64 bits', async () => {
  const environment = join(repository, 'test/.cache/pyroaring-venv');
  const requirements = join(repository, 'test/pyroaring-requirements.txt');
  const stamp = join(environment, 'installed.txt');
  const wanted = readFileSync(requirements, 'utf8');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    mkdirSync(join(repository, 'test/.cache'), { recursive: true });
    execFileSync('python3', ['-m', 'venv', environment], { stdio: 'pipe' });
    const pip = ['-m', 'pip', 'install', '--quiet', '-r', requirements];
    execFileSync(join(environment, 'bin/python'), pip, { stdio: 'pipe' });
    writeFileSync(stamp, wanted);
  }
  const numbers = (count: number, step: number) =>
    Array.from({ length: count }, (_, i) => i * step);
  const sets = [
    { name: 'a', ids: [], bits: 32 },
    { name: 'b', ids: numbers(33, 5), bits: 32 },
    { name: 'c', ids: numbers(4097, 3), bits: 32 },
    { name: 'd', ids: numbers(70_000, 1), bits: 32, runs: true },
    { name: 'e', ids: numbers(5000, 2 ** 20), bits: 64 },
    { name: 'f', ids: ['18446744073709551615', '0'], bits: 64 },
  ];
  const writer = join(repository, 'test/storage-format/foreign/pyroaring-writer.py');
  const lines = execFileSync(join(environment, 'bin/python'), [writer], {
    input: sets.map((set) => JSON.stringify(set)).join('\n'),
    maxBuffer: 2 ** 28,
  });
  const written = lines
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const bits of [32, 64]) {
    const rows = written.filter((set: { bits: number }) => set.bits === bits);
    writeFileSync(
      join(root, `pyroaring-${bits}.csv`),
      rows.map((set: { name: string; bytes: string }) => `${set.name},${set.bytes}\n`).join(''),
    );
  }
  const bm = await table('UInt64');
  await load(bm, join(root, 'pyroaring-32.csv'));
  const sets64 = Object.fromEntries([parseSetWish('ids=roaring64:base64')]);
  await load(bm, join(root, 'pyroaring-64.csv'), { sets: sets64 });
  const found = await bm.ask(
    'SELECT name, bitmapCardinality(ids), bitmapMax(ids) FROM s ORDER BY name',
  );
  expect(found.text.split('\n')).toEqual([
    'a\t0\t0',
    'b\t33\t160',
    'c\t4097\t12288',
    'd\t70000\t69999',
    `e\t5000\t${4999 * 2 ** 20}`,
    'f\t2\t18446744073709551615',
  ]);
});

describe('processes', () => {
  const files = 48;
  const folder = join(root, 'many');
  const create =
    'CREATE TABLE s (dt Date, name String, ids AggregateFunction(groupBitmap, UInt64)) ENGINE = MergeTree ORDER BY (dt, name)';
  const check =
    'SELECT count(), sum(bitmapCardinality(ids)), uniqExact(name), sum(bitmapMax(ids)) FROM s';
  const expected = `${files * 20}\t${files * 20 * 50}\t${files * 20}\t`;

  beforeAll(() => {
    for (let file = 0; file < files; file++) {
      const day = join(folder, `dt=2026-01-0${1 + (file % 3)}`);
      mkdirSync(day, { recursive: true });
      const lines = Array.from({ length: 20 }, (_, row) => {
        const ids = Array.from(
          { length: 50 },
          (_x, i) => (row * 977 + i * 131 + file * 7) * 1e7 + i,
        );
        return `"${file}-${row}","[${ids.join(',')}]"\n`;
      });
      writeFileSync(join(day, `part-${file}.csv`), `name,ids\n${lines.join('')}`);
    }
  });

  it('killed at any time, started again and run two at once load everything once', async () => {
    const cwd = mkdtempSync(join(root, 'killed-'));
    const store = ['--data', 'store'];
    mkdirSync(join(cwd, 'store'));
    await run(['sql', ...store, create], { cwd });
    const words = ['backfill', 's', folder, ...store, '--job', 'once'];
    const heads = (): number => readdirSync(join(cwd, 'store', 'catalog', '1', 'heads')).length;
    let kept = 0;
    for (const [i, afterMs] of [0, 20, 50].entries()) {
      const before = heads();
      const running: ChildProcess[] = [start([...words, '--workers', `${1 + (i % 2)}`], { cwd })];
      if (i > 1) running.push(start(words, { cwd }));
      const closed = running.map((child) => once(child, 'close'));
      // In the middle of its work: codes are committed, of the first one rows too, and more is on its way.
      const wanted = before + (i === 0 ? 2 : 1);
      while (heads() < wanted && running.every(({ exitCode }) => exitCode === null)) {
        await delay(1);
      }
      kept += heads() - before;
      await delay(afterMs);
      for (const child of running) child.kill('SIGKILL');
      await Promise.all(closed);
    }
    expect(kept).toBeGreaterThanOrEqual(2);
    const partly = await run(['sql', ...store, 'SELECT count() FROM s'], { cwd });
    expect(Number(partly.out)).toBeGreaterThan(0);
    const both = await Promise.all([run(words, { cwd }), run(words, { cwd })]);
    expect(both.map(({ code, said }) => (code === 0 ? 0 : said))).toEqual([0, 0]);
    const { out } = await run(['sql', ...store, check], { cwd });
    expect(out.startsWith(expected)).toBe(true);
    const again = await run(words, { cwd });
    expect(again.said).toContain(`0 files loaded (0 B)`);
  });

  it('over a bucket: the files and the store, with a bad file left out and reported', async () => {
    await ensureTestBucket();
    const prefix = `backfill-${randomBytes(6).toString('hex')}`;
    const address = { bucket: testBucket, endpoint: s3Endpoint() };
    const bucket = new S3Bucket(address, systemClock);
    const put = async (name: string, content: string): Promise<void> => {
      const writer = bucket.writer(`${prefix}/in/${name}`);
      await writer.write(Buffer.from(content));
      await writer.finish();
    };
    await put('dt=2026-01-01/a.csv', 'name,ids\nx,"[1,2]"\n');
    await put('dt=2026-01-02/b.csv', 'name,ids\ny,"[3]"\nz,"[4,nonsense]"\n');
    await put('dt=2026-01-02/c.csv', 'name,ids,\n"');
    bucket.close();
    const cwd = mkdtempSync(join(root, 'bucket-'));
    const env = {
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_REGION: 'us-east-1',
    };
    const store = ['--store', `s3://${testBucket}/${prefix}/store`, '--endpoint', s3Endpoint()];
    await run(['sql', ...store, create], { cwd, env });
    const place = `s3://${testBucket}/${prefix}/in`;
    const words = ['backfill', 's', place, ...store, '--on-error', 'skip', '--report', 'bad.jsonl'];
    const { code, said } = await run(words, { cwd, env });
    expect([code, said]).toEqual([4, expect.stringContaining('2 files loaded')]);
    const reported = readFileSync(join(cwd, 'bad.jsonl'), 'utf8').trim().split('\n');
    const places = reported
      .map((line) => JSON.parse(line))
      .map(({ file, row, column }) => [file, row, column]);
    expect(places).toContainEqual(['dt=2026-01-02/b.csv', 2, 'ids']);
    expect(places).toHaveLength(2);
    const { out } = await run(['sql', ...store, 'SELECT dt, name FROM s ORDER BY name'], {
      cwd,
      env,
    });
    expect(out).toBe('2026-01-01\tx\n2026-01-02\ty\n');
  });
});
