// Files of an S3 bucket below a prefix. Read in ranges, so that a broken connection costs one of
// them, and so that a stream that is not read asks for nothing.

import { MusterError } from '../../base/errors.ts';
import type { BucketObject, S3Bucket } from '../../object-store/s3-bucket.ts';
import type { RandomAccess } from '../files/random-access.ts';
import { type FileSource, inNameOrder, isData, type SourceFile } from './source-files.ts';

interface BucketPlace {
  /** `s3://bucket/prefix`, for people. */
  readonly place: string;
  /** Empty, or what comes before the files' names, with its slash. */
  readonly prefix: string;
}

const rangeBytes = 8 * 1024 * 1024;

/** `names`: only these, as a manifest lists them; absent: all. */
export function bucketSource(
  bucket: S3Bucket,
  { place, prefix }: BucketPlace,
  names?: readonly string[],
): FileSource {
  const fileOf = ({ key, bytes }: BucketObject): SourceFile => ({
    name: key.slice(prefix.length),
    bytes,
    read: (signal) => ranges(bucket, { key, bytes }, signal),
    open: async (signal) => accessOf(bucket, { key, bytes }, signal),
  });
  return {
    place,
    list: async (signal) => {
      const files: SourceFile[] = [];
      if (names === undefined) {
        for await (const object of bucket.list(prefix, { signal })) {
          if (isData(object.key.slice(prefix.length))) files.push(fileOf(object));
        }
        return inNameOrder(files);
      }
      for (const name of names) {
        const key = prefix + name;
        const bytes = await bucket.size(key, { signal });
        if (bytes === undefined) throw gone(key);
        files.push(fileOf({ key, bytes }));
      }
      return inNameOrder(files);
    },
    close: async () => bucket.close(),
  };
}

async function* ranges(
  bucket: S3Bucket,
  { key, bytes }: BucketObject,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes; start += rangeBytes) {
    const end = Math.min(bytes, start + rangeBytes);
    yield await rangeOf(bucket, key, { start, end, signal });
  }
}

function accessOf(
  bucket: S3Bucket,
  { key, bytes }: BucketObject,
  signal: AbortSignal,
): RandomAccess {
  return {
    bytes,
    read: ({ start, end }) => rangeOf(bucket, key, { start, end, signal }),
    close: async () => {},
  };
}

async function rangeOf(
  bucket: S3Bucket,
  key: string,
  range: { readonly start: number; readonly end: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const { start, end, signal } = range;
  const bytes = await bucket.read(key, { start, end }, { signal });
  if (bytes === undefined) throw gone(key);
  return bytes;
}

function gone(key: string): MusterError {
  return new MusterError('CANNOT_OPEN_FILE', `There is no object ${key} any more`);
}
