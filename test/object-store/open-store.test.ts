import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { openStore, parseS3Address } from '../../object-store/open-store.ts';

it('opens a directory, made if it is missing, by either form of address', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'muster-open-'));
  const directory = path.join(root, 'deep', 'er');
  for (const url of [directory, `dir:${directory}`]) {
    expect((await openStore(url, { clock: systemClock })).id).toBe(`dir:${directory}`);
  }
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  expect(names.filter((entry) => entry.isFile())).toEqual([]);
  await writeFile(path.join(root, 'file'), '');
  const refused = { errorName: 'S3_ERROR' };
  const open = openStore(path.join(root, 'file'), { clock: systemClock });
  await expect(open).rejects.toMatchObject(refused);
  await rm(root, { recursive: true });
});

it('reads S3 addresses, and refuses what could be read two ways', () => {
  expect(parseS3Address('s3://bucket')).toEqual({ bucket: 'bucket', prefix: '' });
  expect(parseS3Address('s3://bucket/')).toEqual({ bucket: 'bucket', prefix: '' });
  expect(parseS3Address('s3://bucket/a/b/')).toEqual({ bucket: 'bucket', prefix: 'a/b' });
  for (const url of [
    's3:bucket',
    's3://',
    's3://b',
    's3://bucket/../x',
    's3://bucket/a//b',
    's3://UP/x',
  ]) {
    expect(() => parseS3Address(url)).toThrow('is not a store');
  }
});
