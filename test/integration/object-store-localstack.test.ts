// The contract suite and the start-up probe against LocalStack's S3, through the real SDK.
// `npm test` starts LocalStack and names its endpoint; without one these tests fail.

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { openStore } from '../../object-store/open-store.ts';
import { S3Store } from '../../object-store/s3-store.ts';
import { describeObjectStore } from '../object-store/contract.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

function endpointOfLocalStack(): string {
  const endpoint = process.env['MUSTER_TEST_S3_ENDPOINT'];
  if (endpoint === undefined) {
    throw new Error('MUSTER_TEST_S3_ENDPOINT is not set: run these tests by `npm test`');
  }
  return endpoint;
}

/** LocalStack takes unsigned requests, so no second door to the SDK is needed. */
async function newBucket(): Promise<string> {
  const bucket = `muster-${randomUUID()}`;
  const reply = await fetch(`${endpointOfLocalStack()}/${bucket}`, { method: 'PUT' });
  expect(reply.status).toBe(200);
  return bucket;
}

async function enableVersioning(bucket: string): Promise<void> {
  const reply = await fetch(`${endpointOfLocalStack()}/${bucket}?versioning`, {
    method: 'PUT',
    body: '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
  });
  expect(reply.status).toBe(200);
}

for (const profile of ['aws', 'compatible'] as const) {
  describeObjectStore(`S3 on LocalStack, profile ${profile}`, async () => {
    const endpoint = endpointOfLocalStack();
    const prefix = profile === 'aws' ? '' : 'some/root';
    const bucket = await newBucket();
    const store = new S3Store({ bucket, prefix, endpoint, credentials, profile });
    return { store, close: async () => {} };
  });
}

it('opens and probes a bucket, and refuses one that keeps versions', async () => {
  const bucket = await newBucket();
  const options = { clock: systemClock, endpoint: endpointOfLocalStack(), credentials };
  const store = await openStore(`s3://${bucket}/root`, options);
  expect((await store.list({ prefix: '', max: 9 })).objects).toEqual([]);
  await enableVersioning(bucket);
  await expect(openStore(`s3://${bucket}/root`, options)).rejects.toThrow('keeps old versions');
});

it('says which bucket is missing', async () => {
  const options = { clock: systemClock, endpoint: endpointOfLocalStack(), credentials };
  await expect(openStore('s3://no-such-bucket/root', options)).rejects.toThrow(/NoSuchBucket/);
});
