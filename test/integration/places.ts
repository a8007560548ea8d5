// Where integration tests find what they need: the build, chdb, LocalStack. `npm test` provides all
// of it; a test that misses one fails and says so, it never skips.

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

export const testPackage = `${repository}test/package.json`;
export const builtMain = `${repository}dist/functions/main.js`;

if (!existsSync(builtMain)) throw new Error('integration tests need the build: npm run build');

/** LocalStack's address. */
export function s3Endpoint(): string {
  const endpoint = process.env.MUSTER_TEST_S3_ENDPOINT;
  if (endpoint !== undefined) return endpoint;
  throw new Error('MUSTER_TEST_S3_ENDPOINT is not set: npm test starts LocalStack and sets it');
}

export const testBucket = 'muster-test';

process.env.AWS_ACCESS_KEY_ID ??= 'test';
process.env.AWS_SECRET_ACCESS_KEY ??= 'test';

/** Makes the test bucket on LocalStack, if it isn't there. */
export async function ensureTestBucket(): Promise<void> {
  const reply = await fetch(`${s3Endpoint()}/${testBucket}`, { method: 'PUT' });
  if (!reply.ok && reply.status !== 409) throw new Error(`no bucket: ${await reply.text()}`);
}

/** Arguments of `muster serve` for a fresh prefix of the test bucket on LocalStack. */
export function s3Arguments(name: string): readonly string[] {
  const prefix = `${name}-${randomBytes(6).toString('hex')}`;
  return ['--store', `s3://${testBucket}/${prefix}`, '--endpoint', s3Endpoint()];
}
