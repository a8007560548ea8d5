import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { readOptions } from '../../infra/deploy.mjs';
import { planFunctions } from '../../infra/functions.mjs';
import { zipOf } from '../../infra/zip.mjs';

const role = 'arn:aws:iam::123456789012:role/muster';
const needed = ['--store', 's3://acme/prod', '--role', role];
const withUser = { MUSTER_PASSWORD: 'secret' };

function options(more: readonly string[] = [], environment: object = withUser) {
  const read = readOptions([...needed, ...more], environment);
  if (read === undefined) throw new Error('no options');
  return read;
}

describe('what a deployment is told', () => {
  it.each([
    [[], /Give --store s3:\/\/bucket\/prefix/],
    [['--store', 's3://acme/prod'], /Give --role ARN/],
    [['--store', './here', '--role', role], /\.\/here is no s3:\/\/bucket\/prefix/],
    [['--store', 's3://acme', '--role', 'muster'], /muster is no ARN of a role/],
    [[...needed, '--memory', '64'], /--memory is a whole number from 128 to 10240, and not 64/],
    [[...needed, '--auth', 'open'], /--auth is iam or none/],
    [[...needed, '--auth', 'none'], /would answer everybody on the internet/],
    [[...needed, '--speed', '9'], /Unknown option '--speed'.*--help/],
  ])('%j is refused', (given, message) => {
    expect(() => readOptions(given, {})).toThrow(message);
  });

  it('lets AWS sign callers in where there are no users', () => {
    expect(options([], {}).auth).toBe('iam');
    expect(options().auth).toBe('none');
    expect(options(['--auth', 'iam']).auth).toBe('iam');
  });

  it('may be open to everybody on this machine alone', () => {
    const local = ['--auth', 'none', '--endpoint', 'http://127.0.0.1:4566'];
    expect(options(local, {}).auth).toBe('none');
    expect(() =>
      options(['--auth', 'none', '--endpoint', 'https://lambda.acme.example'], {}),
    ).toThrow(/everybody/);
  });
});

describe('the functions of a deployment', () => {
  const zip = zipOf({ 'index.mjs': Buffer.from('export {}') });
  const zips = { root: zip, worker: zip, branch: zip, ingest: zip, backfill: zip };
  const plan = (more: readonly string[] = []) => planFunctions(options(more), zips);

  it('are made workers first, so that the root can be told their version', () => {
    const names = plan(['--name', 'sets']).map(({ name }) => name);
    expect(names).toEqual([
      'sets-worker',
      'sets-branch',
      'sets-backfill',
      'sets-ingest',
      'sets-root',
    ]);
  });

  it('hold the job of new objects, where there is one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-deploy-'));
    const file = join(folder, 'job.json');
    writeFileSync(file, '{ "place": "s3://lake/sets",\n "table": "audiences" }\n');
    const variable = (more: readonly string[]) =>
      plan(more).find(({ kind }) => kind === 'backfill')?.environment['MUSTER_BACKFILL'];
    expect(variable(['--backfill-job', file])).toBe(
      '{"place":"s3://lake/sets","table":"audiences"}',
    );
    expect(variable([])).toBeUndefined();
    writeFileSync(file, 'place: lake');
    expect(() => plan(['--backfill-job', file])).toThrow(/can't be read as JSON/);
    rmSync(folder, { recursive: true });
  });

  it('keep ingest and inner nodes apart from questions', () => {
    const reserved = plan(['--worker-concurrency', '200', '--ingest-concurrency', '0']).map(
      ({ kind, reserved: environments }) => [kind, environments],
    );
    expect(Object.fromEntries(reserved)).toEqual({
      worker: 200,
      branch: 16,
      backfill: 16,
      ingest: undefined,
      root: undefined,
    });
  });

  it('never hold a password: users lie beside the code, as hashes', () => {
    const all = plan();
    const variables = JSON.stringify(all.map(({ environment }) => environment));
    expect(variables).not.toContain('secret');
    const hash = '2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b';
    const users = JSON.stringify({ users: [{ name: 'default', passwordSha256: hash }] });
    for (const { zip: code, kind } of all) {
      const file = unzipSync(code)['muster.json'];
      const expected = kind === 'root' || kind === 'ingest' ? users : undefined;
      expect(file === undefined ? undefined : Buffer.from(file).toString()).toBe(expected);
    }
  });
});
