// s3(): objects of any bucket, by `s3://bucket/key` or by the address of an object over HTTP, of AWS or
// of a store of one's own (then by path: `http://host:9000/bucket/key`).

import { MusterError } from '../../base/errors.ts';
import type { S3Bucket, S3BucketAddress } from '../../object-store/s3-bucket.ts';
import { type FileCredentials, withoutSecrets } from './file-request.ts';
import type { FileServices } from './file-services.ts';
import { expandBraces, fixedPrefix, globMatcher, hasStars } from './glob.ts';
import { type FileTarget, type FoundFile, lastPart, streamOf } from './open-file.ts';
import type { RandomAccess } from './random-access.ts';

export interface BucketPlace {
  readonly address: S3BucketAddress;
  readonly key: string;
}

const objectsMax = 100_000;
const pieceBytes = 8 * 1024 * 1024;

export class BucketFiles {
  readonly #bucket: S3Bucket;
  readonly #place: BucketPlace;
  readonly #signal: AbortSignal;

  private constructor(bucket: S3Bucket, place: BucketPlace, signal: AbortSignal) {
    this.#bucket = bucket;
    this.#place = place;
    this.#signal = signal;
  }

  static async open(
    url: string,
    credentials: FileCredentials | undefined,
    { services, signal }: { readonly services: FileServices; readonly signal: AbortSignal },
  ): Promise<BucketFiles> {
    const { openBucket } = services;
    if (openBucket === undefined) {
      throw new MusterError('SUPPORT_IS_DISABLED', 'Table function s3() is off in this process');
    }
    const place = parseBucketUrl(url);
    const { endpoint } = place.address;
    const isKnown = endpoint === undefined || endpoint === services.bucketDefaults?.endpoint;
    if (!isKnown && services.urls !== 'all') {
      throw new MusterError(
        'SUPPORT_IS_DISABLED',
        "Table function s3() asks AWS and this server's own endpoint: start it with --private-urls to allow others",
      );
    }
    if (credentials === undefined && services.ownCredentials !== true) {
      throw new MusterError(
        'BAD_ARGUMENTS',
        "Table function s3() needs an access key and its secret, or NOSIGN: this server doesn't lend its own",
      );
    }
    const defaults = endpoint === undefined ? services.bucketDefaults : undefined;
    const address = { ...defaults, ...withoutUndefined(place.address), credentials };
    return new BucketFiles(await openBucket(address), place, signal);
  }

  async find(): Promise<readonly FoundFile[]> {
    const keys: string[] = [];
    for (const pattern of expandBraces(this.#place.key)) {
      if (!hasStars(pattern)) {
        keys.push(pattern);
        continue;
      }
      const matcher = globMatcher(pattern);
      const options = { signal: this.#signal };
      for await (const { key } of this.#bucket.list(fixedPrefix(pattern), options)) {
        if (matcher.test(key)) keys.push(key);
        if (keys.length > objectsMax) {
          throw new MusterError('TOO_MANY_ROWS', `The pattern names over ${objectsMax} objects`);
        }
      }
    }
    return keys.map((key) => this.#file(key));
  }

  target(): FileTarget {
    const { key } = this.#place;
    if (hasStars(key) || key.includes('{')) {
      throw new MusterError('BAD_ARGUMENTS', `Can't write to a pattern: '${key}'`);
    }
    const writer = this.#bucket.writer(key, { signal: this.#signal });
    return {
      write: (bytes) => writer.write(bytes),
      finish: async () => {
        await writer.finish();
      },
      abort: () => writer.abort(),
    };
  }

  close(): void {
    this.#bucket.close();
  }

  #file(key: string): FoundFile {
    const access = async (): Promise<RandomAccess> => await this.#access(key);
    return {
      path: `${this.#place.address.bucket}/${key}`,
      name: lastPart(key),
      access,
      stream: () => streamOf(access, pieceBytes),
    };
  }

  async #access(key: string): Promise<RandomAccess> {
    const options = { signal: this.#signal };
    const bytes = await this.#bucket.size(key, options);
    if (bytes === undefined) throw absent(key);
    return {
      bytes,
      read: async (range) => {
        const read = await this.#bucket.read(key, range, options);
        if (read === undefined) throw absent(key);
        return read;
      },
      close: async () => {},
    };
  }
}

function absent(key: string): MusterError {
  return new MusterError('FILE_DOESNT_EXIST', `Object '${key}' doesn't exist`);
}

const amazon =
  /^(?:(?<bucket>[^/]+)\.)?s3(?:[.-](?<region>[a-z]{2}(?:-[a-z]+)+-\d))?\.amazonaws\.com(?:\.cn)?$/;

function parseBucketUrl(url: string): BucketPlace {
  const plain = /^s3:\/\/([^/?#]+)\/(.+)$/s.exec(url);
  if (plain !== null) return { address: { bucket: plain[1]! }, key: plain[2]! };
  const http = /^(https?):\/\/([^/?#@]+)\/(.+)$/s.exec(url);
  if (http === null) throw badAddress(url);
  const [scheme, host, path] = http.slice(1) as [string, string, string];
  const aws = amazon.exec(host)?.groups;
  const inHost = aws?.['bucket'];
  if (aws !== undefined && inHost !== undefined) {
    return { address: { bucket: inHost, region: aws['region'] }, key: path };
  }
  const slash = path.indexOf('/');
  if (slash < 1 || slash === path.length - 1) throw badAddress(url);
  const bucket = path.slice(0, slash);
  const key = path.slice(slash + 1);
  if (aws !== undefined) return { address: { bucket, region: aws['region'] }, key };
  return { address: { bucket, endpoint: `${scheme}://${host}` }, key };
}

function withoutUndefined(address: S3BucketAddress): S3BucketAddress {
  const given = Object.entries(address).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as unknown as S3BucketAddress;
}

function badAddress(url: string): MusterError {
  return new MusterError(
    'BAD_ARGUMENTS',
    `'${withoutSecrets(url)}' is no address of objects: expected s3://bucket/key or https://host/bucket/key`,
  );
}
