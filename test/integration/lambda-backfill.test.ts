// The backfill function as AWS would call it: batches of a Distributed Map, several at once and again, and
// what S3 tells of new objects. The function is a process of its own; files and store are in LocalStack.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { S3Bucket } from '../../object-store/s3-bucket.ts';
import { Deployment } from './lambda-functions.ts';
import { ensureTestBucket, s3Endpoint, testBucket } from './places.ts';

const prefix = `lambda-backfill-${systemClock.randomId().slice(0, 12)}`;
const place = `s3://${testBucket}/${prefix}`;
const folder = mkdtempSync(join(tmpdir(), 'muster-lambda-backfill-'));
const files = 12;
const keys = Array.from(
  { length: files },
  (_, i) => `${prefix}/dt=2026-01-0${1 + (i % 3)}/${i}.csv`,
);
const backfill = { place, table: 's', job: 'history' };

let functions: Deployment;

beforeAll(async () => {
  const configured = join(folder, 'job.json');
  writeFileSync(configured, JSON.stringify(backfill));
  await ensureTestBucket();
  const bucket = new S3Bucket({ bucket: testBucket, endpoint: s3Endpoint() }, systemClock);
  const put = async (key: string, i: number): Promise<void> => {
    const writer = bucket.writer(key);
    const ids = Array.from({ length: 50 }, (_, n) => n * 10_000_000 + 1000 * i);
    await writer.write(Buffer.from(`name,ids\n${i},"[${ids.join()}]"\n`));
    await writer.finish();
  };
  await Promise.all(keys.map(put));
  await put(`${prefix}/dt=2026-01-04/new one.csv`, files);
  bucket.close();
  functions = await Deployment.make('backfill', {
    s3Endpoint: s3Endpoint(),
    flags: ['--backfill-job', configured],
  });
  await functions.run(
    'CREATE TABLE s (dt Date, name String, ids AggregateFunction(groupBitmap, UInt64)) ENGINE = MergeTree ORDER BY (dt, name)',
  );
});

afterAll(async () => {
  await functions?.remove();
  rmSync(folder, { recursive: true });
});

async function invoke(event: unknown): Promise<Record<string, unknown>> {
  const name = functions.plans.find(({ kind }) => kind === 'backfill')?.name;
  const payload = Buffer.from(JSON.stringify(event));
  const reply = await functions.lambda.send(
    new InvokeCommand({ FunctionName: name, Payload: payload }),
  );
  const answer = JSON.parse(Buffer.from(reply.Payload ?? []).toString()) as Record<string, unknown>;
  if (reply.FunctionError !== undefined) throw new Error(String(answer['errorMessage']));
  return answer;
}

/** As Step Functions calls it, with ItemBatcher over a listing of S3. */
function batch(some: readonly string[]) {
  return { BatchInput: { muster: 1, backfill }, Items: some.map((Key) => ({ Key, Size: 1 })) };
}

const check = 'SELECT count(), uniqExact(name), sum(bitmapCardinality(ids)), max(dt) FROM s';

it('batches, twice at once and once more, are as if they ran once', async () => {
  const [first, second] = [batch(keys.slice(0, 7)), batch(keys.slice(5))];
  const replies = await Promise.all([first, first, second, second].map(invoke));
  expect(replies.map(({ done }) => done)).toEqual([true, true, true, true]);
  expect(replies.reduce((sum, reply) => sum + Number(reply['files']), 0)).toBe(files);
  const again = await invoke({ muster: 1, backfill: { ...backfill, items: keys } });
  expect(again).toMatchObject({ done: true, files: 0, known: files });
  expect(await functions.run(check)).toBe(`${files}\t${files}\t${50 * files}\t2026-01-03\n`);
});

it('a new object that S3 tells of, twice, is loaded once', async () => {
  const object = { key: `${prefix}/dt%3D2026-01-04/new+one.csv`, size: 1 };
  const record = { eventSource: 'aws:s3', s3: { bucket: { name: testBucket }, object } };
  expect(await invoke({ Records: [record] })).toMatchObject({ files: 1, rows: 1, memberships: 50 });
  expect(await invoke({ Records: [record] })).toMatchObject({ files: 0, known: 1 });
  expect(await functions.run(check)).toBe(
    `${files + 1}\t${files + 1}\t${50 * (files + 1)}\t2026-01-04\n`,
  );
});

it('what is wrong is said: a file elsewhere, a table that is not there', async () => {
  await expect(invoke(batch(['elsewhere/a.csv']))).rejects.toThrow(/is not below s3:/);
  const job = { ...backfill, table: 'nowhere' };
  await expect(invoke({ muster: 1, backfill: job })).rejects.toThrow(/nowhere does not exist/);
});
