// The only door to the AWS SDK: S3's requests as plain calls, one attempt each.
//
// What the SDK would do by itself is switched off: its retries (after a lost reply they turn our own
// success into "412 exists"), its region redirects, `Expect: 100-continue`, its checks of replies'
// checksums (they fail on ranges that come with the whole object's). Its correction of a wrong clock
// stays: each refused request moves it, and the caller's next attempt is signed right.
//
// Every reply's Date header is kept; a reply without one, or without what S3 always says, is
// malformed. Failures are `S3Failure`s. Deadlines, retries and the checking of bytes are the
// callers' work.

import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { assert } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import { unlessAborted } from '../base/unless-aborted.ts';
import { isExpired, S3Failure } from './s3-failure.ts';
import {
  asBody,
  discardBody,
  refuseForeignReply,
  replyDate,
  replyFailure,
  type S3Body,
} from './s3-replies.ts';
import { type SocketCounts, S3Sockets } from './s3-sockets.ts';

/** `compatible`: no checksum headers that other makers' stores reject. */
export type S3Profile = 'aws' | 'compatible';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Asked again when what it gave has expired, or when the store says so. */
export type S3CredentialsProvider = () => Promise<S3Credentials & { readonly expiration?: Date }>;

interface S3ClientOptions {
  readonly bucket: string;
  readonly region: string;
  readonly endpoint?: string | undefined;
  /** Without them the SDK looks where AWS's tools look. */
  readonly credentials?: S3Credentials | S3CredentialsProvider | undefined;
  /** Requests are not signed. */
  readonly anonymous?: boolean | undefined;
  readonly profile: S3Profile;
  readonly socketsMax: number;
  readonly clock: Clock;
}

export interface S3GetReply {
  readonly status: number;
  readonly contentLength: number | undefined;
  readonly contentRange: string | undefined;
  readonly etag: string;
  /** CRC-32 of the whole object or, some say, of these bytes; base64. */
  readonly crc32: string | undefined;
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
  readonly #sockets: S3Sockets;
  readonly #asksChecksums: boolean;
  #renewing: Promise<void> | undefined;
  #renewals = 0;

  constructor(options: S3ClientOptions) {
    this.bucket = options.bucket;
    this.#sockets = new S3Sockets(options.socketsMax, options.clock);
    this.#client = new S3Client(clientConfig(options, this.#sockets));
    this.#asksChecksums = options.profile === 'aws';
    watchReplies(this.#client);
  }

  /** `range` is an HTTP Range value. The caller must read the body to its end or destroy it. */
  async get(
    key: string,
    condition: { readonly range?: string | undefined; readonly ifMatch?: string | undefined },
    signal: AbortSignal,
  ): Promise<S3GetReply> {
    const input = { Key: key, Range: condition.range, IfMatch: condition.ifMatch };
    const command = new GetObjectCommand({ Bucket: this.bucket, ...input });
    if (this.#asksChecksums && condition.range === undefined) askForChecksum(command);
    const { output, date } = await this.#send('GET', key, {
      signal,
      send: (options) => this.#client.send(command, options),
    });
    const body = asBody(output.Body);
    if (output.ETag === undefined) {
      body.destroy();
      throw this.#malformed('GET', key, 'ETag');
    }
    return {
      status: output.$metadata.httpStatusCode ?? 0,
      contentLength: output.ContentLength,
      contentRange: output.ContentRange,
      etag: output.ETag,
      crc32: output.ChecksumType === 'COMPOSITE' ? undefined : output.ChecksumCRC32,
      date,
      body,
    };
  }

  /** Fails with `precondition` if the key exists. */
  async putIfAbsent(key: string, body: Uint8Array, signal: AbortSignal): Promise<number> {
    const input = { Key: key, Body: body, ContentLength: body.length, IfNoneMatch: '*' };
    const command = new PutObjectCommand({ Bucket: this.bucket, ...input });
    const { output, date } = await this.#send('PUT', key, {
      signal,
      send: (options) => this.#client.send(command, options),
    });
    if (output.ETag === undefined) throw this.#malformed('PUT', key, 'ETag');
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
    if (output.IsTruncated === undefined) throw this.#malformed('LIST', page.prefix, 'listing');
    const objects = (output.Contents ?? []).map((object) => ({
      key: object.Key ?? '',
      bytes: object.Size ?? -1,
      modified: object.LastModified?.getTime() ?? Number.NaN,
    }));
    return { objects, more: output.IsTruncated, date };
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
    const { UploadId: uploadId } = output;
    if (uploadId === undefined) throw this.#malformed('CREATE UPLOAD', key, 'id');
    return { uploadId, date };
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
    if (output.ETag === undefined) throw this.#malformed('PUT PART', target.key, 'ETag');
    return { number: target.number, etag: output.ETag };
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

  sockets(): SocketCounts {
    return this.#sockets.counts();
  }

  /** The next request makes a connection of its own. */
  dropIdleSockets(): void {
    this.#sockets.dropIdle();
  }

  /** Ends all connections. */
  close(): void {
    this.#sockets.close();
  }

  async #send<Output extends Reply>(
    verb: string,
    key: string,
    call: {
      readonly signal: AbortSignal;
      readonly send: (options: { readonly abortSignal: AbortSignal }) => Promise<Output>;
    },
  ): Promise<{ readonly output: Output; readonly date: number }> {
    const { signal } = call;
    const renewals = this.#renewals;
    this.#sockets.dropStale();
    let output: Output;
    try {
      // The SDK looks for credentials without heeding the signal.
      output = await unlessAborted(signal, call.send({ abortSignal: signal }), discardBody);
    } catch (error) {
      const cause: unknown = signal.aborted ? signal.reason : error;
      const failure = replyFailure(cause, `${verb} s3://${this.bucket}/${key}`);
      if (isExpired(failure)) await unlessAborted(signal, this.#renew(renewals), () => {});
      throw failure;
    }
    const date = dates.get(output);
    if (date === undefined) throw this.#malformed(verb, key, 'Date header');
    return { output, date };
  }

  /** Looks for credentials anew, once for all requests that were signed with the old ones. */
  async #renew(renewals: number): Promise<void> {
    if (renewals !== this.#renewals) return;
    // The provider's declared type doesn't tell of the option that the SDK itself uses.
    const provider: (options: { forceRefresh: boolean }) => Promise<unknown> =
      this.#client.config.credentials;
    this.#renewing ??= provider({ forceRefresh: true })
      .catch(() => {}) // Where none are found, the next attempt says so.
      .then(() => {
        this.#renewals++;
        this.#renewing = undefined;
      });
    await this.#renewing;
  }

  #malformed(verb: string, key: string, missing: string): S3Failure {
    const request = `${verb} s3://${this.bucket}/${key}`;
    const code = 'ForeignReply';
    const detail = `the reply has no ${missing}`;
    return new S3Failure({ kind: 'malformed', request, code, detail });
  }
}

function clientConfig(options: S3ClientOptions, sockets: S3Sockets): S3ClientConfig {
  const checksums = options.profile === 'aws' ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED';
  return {
    region: options.region,
    maxAttempts: 1,
    followRegionRedirects: false,
    expectContinueHeader: false,
    requestChecksumCalculation: checksums,
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: new NodeHttpHandler({
      httpAgent: sockets.http,
      httpsAgent: sockets.https,
      connectionTimeout: 2_000,
    }),
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint, forcePathStyle: true }),
    ...(options.credentials === undefined ? {} : { credentials: options.credentials }),
    ...(options.anonymous === true ? { signer: { sign: async (request) => request } } : {}),
  };
}

/** Innermost, web pages are refused; outermost, dates are kept, where raw and parsed meet. */
function watchReplies(client: S3Client): void {
  client.middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request);
      refuseForeignReply(result.response);
      return result;
    },
    { step: 'deserialize', name: 'musterRefuseForeign', priority: 'low' },
  );
  client.middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request);
      const date = replyDate(result.response);
      const { output } = result;
      if (date !== undefined && output !== undefined) dates.set(output, date);
      return result;
    },
    { step: 'deserialize', name: 'musterKeepDates', priority: 'high' },
  );
}

/** By the header: the SDK's own parameter would make the SDK check as well. */
function askForChecksum(command: GetObjectCommand): void {
  command.middlewareStack.add(
    (next) => async (call) => {
      const { request } = call;
      assert(isRequest(request), 'the SDK builds requests with headers');
      request.headers['x-amz-checksum-mode'] = 'ENABLED';
      return await next(call);
    },
    { step: 'build', name: 'musterAskForChecksum' },
  );
}

function isRequest(request: unknown): request is { headers: Record<string, string> } {
  return typeof request === 'object' && request !== null && 'headers' in request;
}
