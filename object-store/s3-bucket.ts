// Somebody else's objects in a bucket: what s3() reads and writes. Unlike a store's own keys theirs
// may be any text, they may change while they are read (then the read fails), and a name that is
// taken is never written over.

import type { ByteRange } from '../base/byte-range.ts';
import type { Clock } from '../base/clock.ts';
import type { CallOptions, ObjectKey, ObjectWriter } from './port.ts';
import { storeError } from './s3-advice.ts';
import type { S3Credentials } from './s3-client.ts';
import { readVerified } from './s3-read.ts';
import { glance, repeatedly, type S3Session } from './s3-session.ts';
import { newSession } from './s3-store.ts';
import { S3Writer } from './s3-writer.ts';

export interface S3BucketAddress {
  readonly bucket: string;
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** Absent: the environment's. */
  readonly credentials?: S3Credentials | 'anonymous' | undefined;
}

export interface BucketObject {
  readonly key: string;
  readonly bytes: number;
}

const listPageMax = 1000;

export class S3Bucket {
  readonly #session: S3Session;

  constructor(address: S3BucketAddress, clock: Clock) {
    const { bucket, endpoint, region, credentials } = address;
    const keys = credentials === 'anonymous' ? { anonymous: true } : { credentials };
    this.#session = newSession({ bucket, prefix: '', endpoint, region, clock, ...keys });
  }

  /** Objects whose keys begin so, in order of key. */
  async *list(prefix: string, options: CallOptions = {}): AsyncGenerator<BucketObject> {
    let after = '';
    for (;;) {
      const page = { prefix, after, max: listPageMax };
      const limits = { request: 'list', bytes: 0, ...options } as const;
      const reply = await this.#attempt(() =>
        repeatedly(this.#session, limits, (signal) => this.#session.requests.list(page, signal)),
      );
      yield* reply.objects;
      const last = reply.objects.at(-1)?.key;
      if (!reply.more || last === undefined || last <= after) return;
      after = last;
    }
  }

  /** Bytes of an object; undefined if there is none. */
  async size(key: string, options: CallOptions = {}): Promise<number | undefined> {
    return await this.#attempt(async () => (await glance(this.#session, key, options)).bytes);
  }

  /** The range lies inside the object and is not empty. Undefined when the object is gone. */
  async read(
    key: string,
    range: ByteRange,
    options: CallOptions = {},
  ): Promise<Uint8Array | undefined> {
    const request = { ...options, key: key as ObjectKey, range, onDate: () => {} };
    const reply = await this.#attempt(() => readVerified(this.#session, request));
    return reply?.bytes;
  }

  /** Fails at its end where the key is taken. */
  writer(key: string, options: CallOptions = {}): ObjectWriter {
    const put = async (body: Uint8Array): Promise<{ readonly date: number }> => {
      const limits = { request: 'write', bytes: body.length, ...options } as const;
      const date = await this.#attempt(() =>
        repeatedly(this.#session, limits, (signal) =>
          this.#session.requests.putIfAbsent(key, body, signal),
        ),
      );
      return { date };
    };
    return new S3Writer(this.#session, { key: key as ObjectKey, options, put });
  }

  close(): void {
    this.#session.requests.close();
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw storeError(error, this.#session.place);
    }
  }
}
