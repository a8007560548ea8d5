// Edges of the store: full disks at every write, names that try to leave their prefix, stores of a
// newer format or of somebody else, two servers' ports.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { MusterError } from '../../base/errors.ts';
import { MusterProcess } from '../../bench/muster-process.ts';
import { MemoryStore } from '../../object-store/memory-store.ts';
import { Session } from '../engine/queries/session.ts';
import { type Fault, FaultyStore, writingCalls } from '../object-store/faulty-store.ts';
import { builtMain, ensureTestBucket, s3Arguments, s3Endpoint, testBucket } from './places.ts';

const root = mkdtempSync(join(tmpdir(), 'muster-store-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('a full disk', () => {
  const setUp = [
    'CREATE DATABASE bm',
    'CREATE TABLE t (tag UInt32, users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY tag',
    'INSERT INTO t SELECT number % 3, groupBitmapState(number) FROM numbers(30) GROUP BY 1',
  ];
  const statements = {
    'a small insert':
      'INSERT INTO t SELECT number % 5, groupBitmapState(number + 20) FROM numbers(500) GROUP BY 1',
    'a large insert, codes first':
      'INSERT INTO t SELECT number % 900, groupBitmapState(toUInt64(number * 7)) FROM numbers(20000) GROUP BY 1 SETTINGS max_memory_usage = 4000000',
    'an insert of large parts':
      'INSERT INTO t SELECT number % 40000, groupBitmapState(toUInt64(number * 7919 % 200003)) FROM numbers(1000000) GROUP BY 1',
    'CREATE TABLE': 'CREATE TABLE t2 AS_COLUMNS',
    'TRUNCATE TABLE': 'TRUNCATE TABLE t',
    'CREATE DATABASE': 'CREATE DATABASE other',
  } as const;
  const sum = 'SELECT count(), sum(bitmapCardinality(users)), groupBitmapMerge(users) FROM t';

  async function prepared(fault: Fault) {
    const memory = new MemoryStore({ id: `full:${Math.random()}` });
    const before = await Session.open({ store: memory });
    for (const sql of setUp) await before.ask(sql);
    const faulty = new FaultyStore(memory, fault);
    const session = await Session.open({ store: faulty });
    return { memory, faulty, session };
  }

  for (const [name, written] of Object.entries(statements)) {
    it(`at each write of ${name}: a clear error, nothing lost, the next try succeeds`, async () => {
      const sql = written.replace('AS_COLUMNS', '(n UInt32) ENGINE = MergeTree ORDER BY n');
      const calls = writingCalls;
      const never = await prepared({ at: 1e9, moment: 'before', kind: 'full', calls });
      const before = (await never.session.ask(sum)).text;
      const quiet = never.faulty.count;
      await never.session.ask(sql);
      const writes = never.faulty.count - quiet;
      const after = (await never.session.ask(sum)).text;
      expect(writes).toBeGreaterThan(0);
      for (let at = 0; at < writes; at += 1) {
        const { memory, session } = await prepared({
          at: quiet + at,
          moment: 'before',
          kind: 'full',
          calls,
        });
        const error = await session.ask(sql).catch((cause: unknown) => cause);
        if (!(error instanceof MusterError) && name === 'CREATE DATABASE') {
          // The name is given with the first write; the rest can be made up for later.
          await session.ask('CREATE TABLE other.t (n UInt32) ENGINE = MergeTree ORDER BY n');
          continue;
        }
        expect(error, `write ${at} of ${writes}`).toBeInstanceOf(MusterError);
        expect((error as MusterError).errorName).toBe('NOT_ENOUGH_SPACE');
        const fresh = await Session.open({ store: memory });
        for (const eyes of [session, fresh]) expect((await eyes.ask(sum)).text).toBe(before);
        await session.ask(sql);
        for (const eyes of [session, fresh]) expect((await eyes.ask(sum)).text).toBe(after);
      }
    });
  }

  it('a disk that stays full says so each time, and questions go on', async () => {
    const { session } = await prepared({
      at: 0,
      everyLater: true,
      moment: 'before',
      kind: 'full',
      calls: writingCalls,
    });
    for (let i = 0; i < 3; i++) {
      const error = await session
        .ask(statements['a small insert'])
        .catch((cause: unknown) => cause);
      expect((error as MusterError).errorName).toBe('NOT_ENOUGH_SPACE');
      expect((await session.ask(sum)).text).toBe('3\t30\t30');
    }
  });
});

describe('names', () => {
  const names = [
    '../x',
    '../../etc/passwd',
    'a/b',
    '/etc',
    '.',
    '..',
    'catalog',
    'x%2F..',
    '😀é',
    'a b',
    "q'uote",
    'back\\slash',
    'new\nline',
    'nul\0x',
    'n'.repeat(199),
    'DEFAULT',
  ];
  const quoted = (name: string) =>
    `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('\0', '\\0')}\``;
  const literal = (name: string) =>
    `'${name.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\0', '\\0')}'`;

  it('of databases, tables, columns and dictionaries never reach a key', async () => {
    const data = join(root, 'inner', 'data');
    mkdirSync(join(root, 'inner'));
    const muster = await MusterProcess.start(builtMain, ['--data', data]);
    try {
      for (const name of names) {
        const [q, u] = [quoted(name), quoted(`u${name}`)];
        await muster.query(`CREATE DATABASE ${q}`);
        await muster.query(
          `CREATE TABLE ${q}.${q} (${q} String, ${u} AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree PARTITION BY ${q} ORDER BY ${q} SETTINGS muster_dictionary = ${literal(name)}`,
        );
        await muster.query(
          `INSERT INTO ${q}.${q} SELECT ${literal(name)}, groupBitmapState(number) FROM numbers(5)`,
        );
        const found = await muster.query(
          `SELECT ${q} = ${literal(name)}, bitmapCardinality(${u}) FROM ${q}.${q}`,
        );
        expect(found, name).toBe('1\t5\n');
        expect(await muster.query(`EXISTS TABLE ${q}.${q}`)).toBe('1\n');
      }
      const databases = await muster.query('SHOW DATABASES FORMAT JSONCompactEachRow');
      const listed = databases
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as [string])[0]);
      expect(listed).toEqual(expect.arrayContaining(names));
    } finally {
      await muster.stop();
    }
    expect(readdirSync(join(root, 'inner'))).toEqual(['data']);
    const keys = readdirSync(data, { recursive: true }).map(String);
    for (const key of keys) expect(key).toMatch(/^[a-z0-9/_.-]+$/);
    const again = await MusterProcess.start(builtMain, ['--data', data]);
    for (const name of names) {
      await again.query(`DROP TABLE ${quoted(name)}.${quoted(name)}`);
      await again.query(`DROP DATABASE ${quoted(name)}`);
    }
    await again.stop();
  });

  it('that are empty, too long or taken are refused', async () => {
    const muster = await MusterProcess.start(builtMain, ['--data', join(root, 'names')]);
    const code = async (sql: string): Promise<number> =>
      muster.query(sql).then(
        () => 0,
        (error: unknown) => Number(/Code: (\d+)/.exec(String(error))?.[1]),
      );
    const long = 'n'.repeat(5000);
    const table = '(n UInt32) ENGINE = MergeTree ORDER BY n';
    try {
      expect(await code('CREATE DATABASE ``')).toBe(62);
      expect(await code(`CREATE DATABASE \`${long}\``)).toBe(36);
      expect(await code(`CREATE TABLE \`${long}\` ${table}`)).toBe(36);
      expect(
        await code(`CREATE TABLE t (\`${long}\` UInt32) ENGINE = MergeTree ORDER BY tuple()`),
      ).toBe(36);
      expect(await code('CREATE DATABASE system')).toBe(82);
      expect(await code('CREATE DATABASE IF NOT EXISTS system')).toBe(0);
      expect(await code(`CREATE TABLE system.t ${table}`)).not.toBe(0);
      expect(await code('DROP DATABASE system')).not.toBe(0);
      expect(await muster.query('SELECT count() > 0 FROM system.databases')).toBe('1\n');
    } finally {
      await muster.stop();
    }
  });
});

describe('stores that are not ours', () => {
  /** What `serve` says before it ends by itself. */
  async function refused(...args: string[]): Promise<string> {
    const child = spawn(process.execPath, [builtMain, 'serve', '--port', '0', ...args]);
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
    const [code] = (await once(child, 'close')) as [number | null];
    clearTimeout(timer);
    expect(code, said).toBeGreaterThan(0);
    const lines = said
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('muster:'));
    expect(lines.length, said).toBe(1);
    expect(said).not.toMatch(/^\s+at /m);
    return said;
  }

  async function made(name: string): Promise<string> {
    const data = join(root, name);
    const muster = await MusterProcess.start(builtMain, ['--data', data]);
    await muster.query('CREATE TABLE t (n UInt32) ENGINE = MergeTree ORDER BY n');
    await muster.query('INSERT INTO t VALUES (1)');
    await muster.stop();
    return data;
  }

  const headsOf = (data: string, namespace: string) => {
    const folder = join(data, 'catalog', namespace, 'heads');
    return readdirSync(folder)
      .sort()
      .map((name) => join(folder, name));
  };

  it('a directory of somebody else, a file, a place that cannot be', async () => {
    const theirs = join(root, 'theirs');
    mkdirSync(theirs);
    writeFileSync(join(theirs, 'thesis.txt'), 'mine');
    expect(await refused('--data', theirs)).toMatch(/not a Muster store.*thesis\.txt/);
    expect(readdirSync(theirs)).toEqual(['thesis.txt']);
    writeFileSync(join(root, 'file'), 'x');
    await refused('--data', join(root, 'file'));
    await refused('--data', join(root, 'file', 'sub'));
  });

  it('a newer format, a damaged head', async () => {
    const data = await made('newer');
    // Names of heads descend: the newest comes first.
    const [newest = ''] = headsOf(data, '0');
    const bytes = readFileSync(newest);
    const changed = async (change: (copy: Buffer) => void): Promise<string> => {
      const copy = Buffer.from(bytes);
      change(copy);
      writeFileSync(newest, copy);
      return refused('--data', data);
    };
    // After the magic: format, least reader, least writer (catalog/SPEC.md, Envelope).
    expect(await changed((copy) => copy.fill(99, 4, 7))).toMatch(
      /needs catalog format 99.*upgrade/,
    );
    expect(await changed((copy) => copy.fill(0, 0, 4))).toMatch(/not Muster's/);
    const middle = bytes.length >> 1;
    const flipped = (copy: Buffer) => copy.writeUInt8((copy[middle] ?? 0) ^ 0xff, middle);
    expect(await changed(flipped)).toMatch(/corrupt head/);
    writeFileSync(newest, bytes);
    const again = await MusterProcess.start(builtMain, ['--data', data]);
    expect(await again.query('SELECT n FROM t')).toBe('1\n');
    await again.stop();
  });

  it('a bucket of somebody else, no bucket, no server', async () => {
    await ensureTestBucket();
    const [, url = ''] = s3Arguments('foreign');
    const prefix = url.replace(`s3://${testBucket}/`, '');
    await fetch(`${s3Endpoint()}/${testBucket}/${prefix}/holiday.jpg`, {
      method: 'PUT',
      body: 'x',
    });
    expect(await refused('--store', url, '--endpoint', s3Endpoint())).toMatch(/holiday\.jpg/);
    await refused('--store', 's3://no-such-bucket-here/x', '--endpoint', s3Endpoint());
  });

  it('a busy port, an address that is not loopback', async () => {
    const data = await made('busy');
    const first = await MusterProcess.start(builtMain, ['--data', data]);
    const port = new URL(first.url).port;
    expect(await refused('--data', data, '--port', port)).toMatch(/is in use/);
    for (const host of ['0.0.0.0', '::', '192.168.0.1', 'example.com']) {
      expect(await refused('--data', data, '--host', host)).toMatch(/is refused without users/);
    }
    await first.stop();
  });
});

it('a copied directory is a store of its own', async () => {
  const data = join(root, 'copied');
  const first = await MusterProcess.start(builtMain, ['--data', data]);
  await first.query('CREATE TABLE t (n UInt32) ENGINE = MergeTree ORDER BY n');
  await first.query('INSERT INTO t VALUES (1)');
  cpSync(data, `${data}-2`, { recursive: true });
  const second = await MusterProcess.start(builtMain, ['--data', `${data}-2`]);
  await second.query('INSERT INTO t VALUES (2)');
  expect(await first.query('SELECT n FROM t ORDER BY n')).toBe('1\n');
  expect(await second.query('SELECT n FROM t ORDER BY n')).toBe('1\n2\n');
  await first.stop();
  await second.stop();
  expect(execFileSync('ls', [data], { encoding: 'utf8' })).not.toBe('');
});
