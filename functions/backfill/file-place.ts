// Where a backfill's files are, as plain data, and how to get at them: a directory of this machine, a
// file, or a bucket below a prefix; all of it or what a manifest lists.

import { systemClock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { bucketSource } from '../../engine/backfill/bucket-source.ts';
import { directorySource, listedFiles } from '../../engine/backfill/directory-source.ts';
import type { FileSource } from '../../engine/backfill/source-files.ts';
import { S3Bucket } from '../../object-store/s3-bucket.ts';

export interface FilePlace {
  /** A path, or s3://bucket/prefix. */
  readonly place: string;
  /** Names within it; absent: all files. */
  readonly names?: readonly string[] | undefined;
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
}

/** Asks nothing yet. BAD_ARGUMENTS for an address of S3 that is none. */
export function openFiles({ place, names, endpoint, region }: FilePlace): FileSource {
  const address = parseBucketPlace(place);
  if (address === undefined) {
    return names === undefined ? directorySource(place) : listedFiles(place, names);
  }
  const { bucket, key } = address;
  const prefix = key === '' || key.endsWith('/') ? key : `${key}/`;
  const opened = new S3Bucket({ bucket, endpoint, region }, systemClock);
  return bucketSource(opened, { place, prefix }, names);
}

/** Undefined for what is no address of S3. */
export function parseBucketPlace(
  place: string,
): { readonly bucket: string; readonly key: string } | undefined {
  if (!place.startsWith('s3:')) return undefined;
  const [, bucket, key = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]*)(?:\/(.*))?$/.exec(place) ?? [];
  if (bucket !== undefined) return { bucket, key };
  throw new MusterError('BAD_ARGUMENTS', `${place} is not s3://bucket/prefix`);
}

/** Lines of names; empty ones and those that begin with # are left out. */
export function parseManifest(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const names = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const outside = names.find((name) => name.startsWith('/') || name.split('/').includes('..'));
  if (outside === undefined) return names;
  throw new MusterError(
    'BAD_ARGUMENTS',
    `The manifest lists ${outside}: names are relative to the place of the files, and stay in it`,
  );
}
