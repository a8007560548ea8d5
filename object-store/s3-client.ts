// The only door to the AWS SDK: S3's requests as plain calls, one attempt each.
//
// What the SDK would do by itself is switched off: its retries (after a lost reply they turn our own
// success into "412 exists"), its region redirects, `Expect: 100-continue`. Every reply's Date
// header is kept; a reply without one is malformed. Failures are `S3Failure`s. Deadlines, retries
// and the checking of ranges are the callers' work.

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { assert } from '../base/assert.ts';
import { S3Failure, s3FailureOf } from './s3-failure.ts';

/** `compatible`: no checksum headers that other makers' stores reject. */
export type S3Profile = 'aws' | 'compatible';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

interface S3ClientOptions {
  readonly bucket: string;
  readonly region: string;
  readonly endpoint?: string | undefined;
  /** Without them the SDK looks where AWS's tools look. */
  readonly credentials?: S3Credentials | undefined;
  readonly profile: S3Profile;
  readonly socketsMax: number;
}

interface S3Body extends AsyncIterable<Uint8Array> {
  destroy(): void;
}

export interface S3GetReply {
  readonly status: number;
  readonly contentLength: number | undefined;
  readonly contentRange: string | undefined;
  readonly etag: string | undefined;
  readonly date: number;
  readonly body: S3Body;
}

export interface S3ListReply {
  readonly objects: readonly {
    readonly key: string;
    readonly bytes: number;
    readonly modified: number;
  }[];
  readonly more: boolean;
  readonly date: number;
}

export interface S3Part {
  readonly number: number;
  readonly etag: string;
}

interface Reply {
  readonly $metadata: { readonly httpStatusCode?: number | undefined };
}

const dates = new WeakMap<object, number>();

export class S3Requests {
  readonly bucket: string;
  readonly #client: S3Client;

  constructor(options: S3ClientOptions) {
    this.bucket = options.bucket;
    this.#client = new S3Client(clientConfig(options));
    keepDates(this.#client);
  }

  /** `range` is an HTTP Range value. The caller must read the body to its end or destroy it. */
  async get(
    key: string,
    condition: { readonly range?: string | undefined; readonly ifMatch?: string | undefined },
    signal: AbortSignal,
  ): Promise<S3GetReply> {
    const input = { Key: key, Range: condition.range, IfMatch: condition.ifMatch };
    const command = new GetObjectCommand({ Bucket: this.bucket, ...input });
    const { output, date } = await this.#send('GET', key, {
      signal,
      send: (options) => this.#client.send(command, options),
    });
    return {
      status: output.$metadata.httpStatusCode ?? 0,
      contentLength: output.ContentLength,
      contentRange: output.ContentRange,
      etag: output.ETag,
      date,
      body: asBody(output.Body),
    };
  }

  async head(key: string, signal: AbortSignal): Promise<{ bytes: number; date: number }> {
    const command = new HeadObjectCommand({ Bucket: this.bucket, Key: key });
    const { output, date } = await this.#send('HEAD', key, {
      signal,
      send: (options) => this.#client.send(command, options),
    });
    return { bytes: output.ContentLength ?? -1, date };
  }

  /** Fails with `precondition` if the key exists. */
  async putIfAbsent(key: string, body: Uint8Array, signal: AbortSignal): Promise<number> {
    const input = { Key: key, Body: body, ContentLength: body.length, IfNoneMatch: '*' };
    const command = new PutObjectCommand({ Bucket: this.bucket, ...input });
    const { date } = await this.#send('PUT', key, {
      signal,
      send: (options) => this.#client.send(command, options),
    });
    return date;
  }

  async list(
    page: { readonly prefix: string; readonly after: string; readonly max: number },
    signal: AbortSignal,
  ): Promise<S3ListReply> {
    const startAfter = page.after === '' ? {} : { StartAfter: page.after };
    const input = { Bucket: this.bucket, Prefix: page.prefix, MaxKeys: page.max, ...startAfter };
    const command = new ListObjectsV2Command(input);
    const { output, date } = await this.#send('LIST', page.prefix, {
      signal,
      send: (options) => this.#client.send(command, options),
    });
    const objects = (output.Contents ?? []).map((object) => ({
      key: object.Key ?? '',
      bytes: object.Size ?? -1,
      modified: object.LastModified?.getTime() ?? Number.NaN,
    }));
    return { objects, more: output.IsTruncated === true, date };
  }

  /** At most 1,000 keys. Gives the keys that were not removed, with S3's reason. */
  async remove(
    keys: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly { readonly key: string; readonly code: string }[]> {
    const objects = keys.map((key) => ({ Key: key }));
    const input = { Bucket: this.bucket, Delete: { Objects: objects, Quiet: true } };
    const command = new DeleteObjectsCommand(input);
    const { output } = await this.#send('DELETE', keys[0] ?? '', {
      signal,
      send: (options) => this.#client.send(command, options),
    });
    const failures = (output.Errors ?? []).filter((failure) => failure.Code !== 'NoSuchKey');
    return failures.map((one) => ({ key: one.Key ?? '', code: one.Code ?? 'Unknown' }));
  }

  async createUpload(
    key: string,
    signal: AbortSignal,
  ): Promise<{ readonly uploadId: string; readonly date: number }> {
    const command = new CreateMultipartUploadCommand({ Bucket: this.bucket, Key: key });
    const { output, date } = await this.#send('CREATE UPLOAD', key, {
      signal,
      send: (options) => this.#client.send(command, options),
    });
    return { uploadId: output.UploadId ?? '', date };
  }

  async uploadPart(
    target: { readonly key: string; readonly uploadId: string; readonly number: number },
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<S3Part> {
    const command = new UploadPartCommand({
      Bucket: this.bucket,
      Key: target.key,
      UploadId: target.uploadId,
      PartNumber: target.number,
      Body: body,
      ContentLength: body.length,
    });
    const { output } = await this.#send('PUT PART', target.key, {
      signal,
      send: (options) => this.#client.send(command, options),
    });
    return { number: target.number, etag: output.ETag ?? '' };
  }

  /** Fails with `precondition` if the key exists, with `absent` if the upload is gone. */
  async completeUpload(
    target: { readonly key: string; readonly uploadId: string },
    parts: readonly S3Part[],
    signal: AbortSignal,
  ): Promise<void> {
    const command = new CompleteMultipartUploadCommand({
      Bucket: this.bucket,
      Key: target.key,
      UploadId: target.uploadId,
      IfNoneMatch: '*',
      MultipartUpload: {
        Parts: parts.map((part) => ({ PartNumber: part.number, ETag: part.etag })),
      },
    });
    await this.#send('COMPLETE UPLOAD', target.key, {
      signal,
      send: (options) => this.#client.send(command, options),
    });
  }

  async abortUpload(
    target: { readonly key: string; readonly uploadId: string },
    signal: AbortSignal,
  ): Promise<void> {
    const input = { Bucket: this.bucket, Key: target.key, UploadId: target.uploadId };
    const command = new AbortMultipartUploadCommand(input);
    await this.#send('ABORT UPLOAD', target.key, {
      signal,
      send: (options) => this.#client.send(command, options),
    });
  }

  async versioningEnabled(signal: AbortSignal): Promise<boolean> {
    const command = new GetBucketVersioningCommand({ Bucket: this.bucket });
    const { output } = await this.#send('GET VERSIONING', '', {
      signal,
      send: (options) => this.#client.send(command, options),
    });
    return output.Status === 'Enabled';
  }

  /** Ends all connections. */
  close(): void {
    this.#client.destroy();
  }

  async #send<Output extends Reply>(
    verb: string,
    key: string,
    call: {
      readonly signal: AbortSignal;
      readonly send: (options: { readonly abortSignal: AbortSignal }) => Promise<Output>;
    },
  ): Promise<{ readonly output: Output; readonly date: number }> {
    const request = `${verb} s3://${this.bucket}/${key}`;
    let output: Output;
    try {
      output = await call.send({ abortSignal: call.signal });
    } catch (error) {
      throw s3FailureOf(error, request, failureDate(error));
    }
    const date = dates.get(output);
    if (date !== undefined) return { output, date };
    throw new S3Failure({ kind: 'malformed', request, code: 'the reply has no Date header' });
  }
}

function clientConfig(options: S3ClientOptions): S3ClientConfig {
  const sockets = { keepAlive: true, maxSockets: options.socketsMax };
  const checksums = options.profile === 'aws' ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED';
  return {
    region: options.region,
    maxAttempts: 1,
    followRegionRedirects: false,
    expectContinueHeader: false,
    requestChecksumCalculation: checksums,
    responseChecksumValidation: checksums,
    requestHandler: new NodeHttpHandler({
      httpAgent: new HttpAgent(sockets),
      httpsAgent: new HttpsAgent(sockets),
      connectionTimeout: 2_000,
    }),
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint, forcePathStyle: true }),
    ...(options.credentials === undefined ? {} : { credentials: options.credentials }),
  };
}

/** Outermost in the SDK's "deserialize" step: sees the raw reply and the parsed output together. */
function keepDates(client: S3Client): void {
  client.middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request);
      const date = dateOf(result.response);
      const { output } = result;
      if (date !== undefined && output !== undefined) dates.set(output, date);
      return result;
    },
    { step: 'deserialize', name: 'musterKeepDates', priority: 'high' },
  );
}

function failureDate(error: unknown): number | undefined {
  return dateOf(property(error, '$response'));
}

function dateOf(response: unknown): number | undefined {
  const text = property(property(response, 'headers'), 'date');
  const date = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** On Node a body is a Readable, which the SDK's types don't promise. */
function asBody(body: unknown): S3Body {
  assert(isBody(body), 'the SDK gives bodies that can be iterated and destroyed');
  return body;
}

function isBody(body: unknown): body is S3Body {
  return typeof property(body, 'destroy') === 'function';
}
