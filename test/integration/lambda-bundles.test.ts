// The zips of `npm run bundle` and the script that deploys them, as a person runs it: to a MiniStack of
// its own whose functions run on this Node, from the zips for it.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleFunction, functionNames, runtimes, zipPath } from '../../infra/bundle.mjs';
import { sha256 } from '../../infra/zip.mjs';
import { startMiniStack } from '../../localstack/start-ministack.mjs';
import { repository } from './places.ts';

describe.each(runtimes)('zips for %s', (runtime) => {
  it.each(functionNames)(
    '%s: one program and one compiled file (the root: its page), within 1 MB',
    (name) => {
      const zip = readFileSync(zipPath(name, runtime));
      expect(zip.length).toBeLessThanOrEqual(1024 * 1024);
      const page = name === 'root' ? ['page.html'] : [];
      expect(Object.keys(unzipSync(zip))).toEqual(['index.mjs', ...page, 'roaring.node']);
    },
  );

  it('are the same whenever they are made', async () => {
    const [one, other] = [
      await bundleFunction('worker', { runtime }),
      await bundleFunction('worker', { runtime }),
    ];
    expect(sha256(one)).toBe(sha256(other));
  });
});

describe('deploying by hand', () => {
  let miniStack: Awaited<ReturnType<typeof startMiniStack>>;

  beforeAll(async () => {
    miniStack = await startMiniStack();
    await fetch(`${miniStack.endpoint}/by-hand`, { method: 'PUT' });
  });

  afterAll(async () => miniStack?.stop());

  function deployed(...flags: readonly string[]) {
    const role = 'arn:aws:iam::000000000000:role/muster';
    const given = [
      '--store',
      's3://by-hand/tables',
      '--role',
      role,
      '--runtime',
      'local',
      ...flags,
    ];
    const result = spawnSync(process.execPath, [`${repository}infra/deploy.mjs`, ...given], {
      encoding: 'utf8',
      env: {
        ...process.env,
        AWS_ENDPOINT_URL: miniStack.endpoint,
        AWS_ENDPOINT_URL_S3: miniStack.endpoint,
        AWS_REGION: 'us-east-1',
        MUSTER_PASSWORD: 'secret',
      },
    });
    return { status: result.status, output: result.stdout, error: result.stderr };
  }

  it('prints where questions go, and does nothing the second time', async () => {
    const first = deployed();
    expect(first.error).toBe('');
    expect(first.output).toMatch(/^muster-worker:1 +created, \d+ KB$/m);
    expect(first.output).not.toContain('secret');
    const url = /^Queries +(\S+)$/m.exec(first.output)?.[1] ?? '';
    const ask = async (body: string, password = 'secret') => {
      const authorization = `Basic ${btoa(`default:${password}`)}`;
      const reply = await fetch(url, { method: 'POST', body, headers: { authorization } });
      return await reply.text();
    };
    expect(await ask('SELECT 40 + 2')).toBe('42\n');
    expect(await ask('SELECT 1', 'guess')).toContain('Code: 516');
    const [made, asked] = [
      'CREATE TABLE t (users AggregateFunction(groupBitmap, UInt64)) ENGINE=AggregatingMergeTree ORDER BY tuple()',
      'SELECT groupBitmapMerge(users) FROM t',
    ];
    expect(await ask(made)).toBe('');
    expect(await ask('INSERT INTO t SELECT groupBitmapState(number) FROM numbers(1000)')).toBe('');
    expect(await ask(asked)).toBe('1000\n');

    const second = deployed();
    expect(second.output).toContain(`Queries  ${url}`);
    expect(second.output.match(/ (created|updated|unchanged),/g)).toEqual(
      Array.from({ length: 5 }, () => ' unchanged,'),
    );
    const changed = deployed('--timeout', '30');
    expect(changed.output).toMatch(/^muster-worker:2 +updated/m);
    expect(await ask(asked)).toBe('1000\n');
  });

  it('says in a sentence what is missing', () => {
    const refused = deployed('--store', 's3://no-such-bucket/tables');
    expect(refused.status).toBe(1);
    expect(refused.error).toContain('there is no bucket no-such-bucket');
    expect(refused.error.trimEnd().split('\n')).toHaveLength(1);
  });
});
