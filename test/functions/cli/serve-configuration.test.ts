import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import { Configuration } from '../../../functions/cli/configuration.ts';
import { UsageError } from '../../../functions/cli/exit-codes.ts';
import type { OptionName } from '../../../functions/cli/options.ts';
import { serveOptionsOf } from '../../../functions/cli/serve-configuration.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-serve-configuration-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Flags = Partial<Record<OptionName, string>>;

const options = (flags: Flags, environment: Record<string, string> = {}, file?: object) => {
  const config = join(folder, 'muster.json');
  writeFileSync(config, JSON.stringify(file ?? {}));
  const read = Configuration.read({ config, ...flags }, environment);
  return serveOptionsOf(read, { logLevel: 'info' });
};
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('defaults', () => {
  expect(options({ workers: '0' })).toEqual({
    host: '127.0.0.1',
    port: 8123,
    store: './muster-data',
    endpoint: undefined,
    region: undefined,
    workers: { kind: 'in-process' },
    users: [],
    tls: undefined,
    queriesMax: 100,
    logLevel: 'info',
  });
  const { workers } = options({});
  expect(workers).toMatchObject({ kind: 'threads' });
});

test('a store is named once in the place that decides', () => {
  expect(options({ store: 's3://b/p' }, { MUSTER_DATA: 'x' }).store).toBe('s3://b/p');
  expect(options({ data: 'x' }, { MUSTER_STORE: 's3://b/p' }).store).toBe('x');
  expect(() => options({ data: 'x', store: 's3://b' })).toThrow(/--data and --store name two/);
  expect(() => options({ store: 'bucket/p' })).toThrow(/--store is s3:\/\/bucket\/prefix, not/);
});

describe('workers', () => {
  it('are of one kind, by the first place that says it', () => {
    expect(options({ workers: '3' }).workers).toEqual({ kind: 'threads', count: 3 });
    expect(options({ workerProcesses: '2' }, { MUSTER_WORKERS: '3' }).workers).toEqual({
      kind: 'processes',
      count: 2,
    });
    const file = { lambdaFunctions: ['a', 'b'], lambdaBranchFunction: 'c', lambdaConcurrency: 9 };
    expect(options({}, {}, file).workers).toEqual({
      kind: 'lambda',
      functions: ['a', 'b'],
      branchFunction: 'c',
      concurrency: 9,
      invocationMsMin: 40,
    });
    expect(() => options({ workers: '1', workerProcesses: '1' })).toThrow(/two places/);
  });

  it('over HTTP have addresses and a secret', () => {
    const secret = 'sixteen letters!';
    const given = { workerUrls: 'http://a:8124,dns:workers:8124' };
    expect(options(given, { MUSTER_WORKER_SECRET: secret }).workers).toEqual({
      kind: 'http',
      addresses: ['http://a:8124', 'dns:workers:8124'],
      secret,
    });
    expect(() => options(given)).toThrow(/need a secret.*MUSTER_WORKER_SECRET/);
    const short = () => options(given, { MUSTER_WORKER_SECRET: 'short' });
    expect(short).toThrow(/fewer than 16 characters/);
    expect(short).not.toThrow(/short/);
    const bad = () => options({ workerUrls: 'a:8124' }, { MUSTER_WORKER_SECRET: secret });
    expect(bad).toThrow(/'a:8124' is no address of a worker/);
  });
});

describe('users', () => {
  it('come from the file and from the environment, which wins', () => {
    const users = [
      { name: 'ann', passwordSha256: sha256('a').toUpperCase() },
      { name: 'bob', password: 'b' },
    ];
    const environment = { MUSTER_USER: 'bob', MUSTER_PASSWORD: 'new' };
    expect(options({}, {}, { users }).users).toEqual([
      { name: 'ann', sha256: sha256('a') },
      { name: 'bob', sha256: sha256('b') },
    ]);
    expect(options({}, environment, { users }).users).toEqual([
      { name: 'ann', sha256: sha256('a') },
      { name: 'bob', sha256: sha256('new') },
    ]);
    expect(options({}, { MUSTER_PASSWORD: 'é' }).users).toEqual([
      { name: 'default', sha256: sha256('é') },
    ]);
  });

  it.each<[string, unknown]>([
    ['no list', {}],
    ['no password', [{ name: 'a' }]],
    ['an empty password', [{ name: 'a', password: '' }]],
    ['two passwords', [{ name: 'a', password: 'hunter2', passwordSha256: sha256('x') }]],
    ['no digest', [{ name: 'a', passwordSha256: 'hunter2' }]],
    ['no name', [{ password: 'hunter2' }]],
    ['a typo', [{ name: 'a', pasword: 'hunter2' }]],
    ['the same twice', [1, 2].map(() => ({ name: 'a', password: 'hunter2' }))],
  ])('%s is refused, and no password is printed', (_, users) => {
    expect(() => options({}, {}, { users })).toThrow(UsageError);
    expect(() => options({}, {}, { users })).toThrow(/"users"/);
    expect(() => options({}, {}, { users })).not.toThrow(/hunter2/);
  });

  it('any address but loopback needs them', () => {
    for (const host of ['0.0.0.0', '::', 'example.com', '10.0.0.1', '127.0.0.1.example.com']) {
      expect(() => options({ host })).toThrow(/refused without users.*MUSTER_USER/);
      expect(options({ host }, { MUSTER_PASSWORD: 'p' }).host).toBe(host);
    }
    for (const host of ['localhost', '127.3.2.1', '::1']) expect(options({ host }).host).toBe(host);
    expect(() => options({ user: 'ann' })).toThrow(/--user names a user without a password/);
  });
});

test('TLS takes a certificate and a key', () => {
  expect(options({ tlsCert: 'c', tlsKey: 'k' }).tls).toEqual({ certificate: 'c', key: 'k' });
  expect(() => options({ tlsCert: 'c' })).toThrow(/certificate only: give --tls-key/);
  expect(() => options({ tlsKey: 'k' })).toThrow(/key only: give --tls-cert/);
});
