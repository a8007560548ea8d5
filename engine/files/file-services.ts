// What a process lets statements do with files: where bodies may be spooled, which folder file()
// reads and writes, which addresses url() may ask, how s3() reaches a bucket. Nothing of it is
// allowed unless the process was told so.

import type { S3Bucket, S3BucketAddress } from '../../object-store/s3-bucket.ts';
import type { Spool } from './spooled-body.ts';

export interface FileServices {
  readonly spool?: Spool | undefined;
  /** What file() may read and write lies below it. Absent: file() is refused. */
  readonly folder?: string | undefined;
  /** Absent: url() is refused. `public`: not machines of private networks, nor this one. */
  readonly urls?: 'public' | 'all' | undefined;
  /** Absent: s3() is refused. */
  readonly openBucket?: ((address: S3BucketAddress) => Promise<S3Bucket>) | undefined;
  /** Whether s3() without keys uses the process's own. */
  readonly ownCredentials?: boolean | undefined;
  /** Of buckets whose address names no endpoint. */
  readonly bucketDefaults?: Pick<S3BucketAddress, 'endpoint' | 'region'> | undefined;
}
