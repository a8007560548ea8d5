// What the processes of this layer let statements do with files (engine/files/file-services.ts): a
// server spools to the machine's temporary folder and opens the folder that it was told; the command
// line's own engine works for whoever started it; a function has its memory, and no files.

import { tmpdir } from 'node:os';
import type { Clock } from '../base/clock.ts';
import type { FileServices } from '../engine/files/file-services.ts';

interface FileOptions {
  readonly clock: Clock;
  /** Of file(). */
  readonly folder?: string | undefined;
  readonly privateUrls?: boolean | undefined;
  /** Of the store: buckets that name no endpoint of their own are looked for there. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
}

const spoolBytesMax = 64 * 1024 ** 3;

export function fileServices(options: FileOptions): FileServices {
  return {
    ...functionFileServices(options),
    spool: { folder: tmpdir(), bytesMax: spoolBytesMax },
    folder: options.folder,
    urls: options.privateUrls === true ? 'all' : 'public',
  };
}

export function functionFileServices({ clock, endpoint, region }: FileOptions): FileServices {
  return {
    urls: 'public',
    openBucket: async (address) => {
      const { S3Bucket } = await import('../object-store/s3-bucket.ts');
      return new S3Bucket(address, clock);
    },
    ownCredentials: true,
    bucketDefaults: { endpoint, region },
  };
}
