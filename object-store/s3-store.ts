// The object store in S3, or in a store that speaks its protocol.
//
// A create is one conditional PUT and one attempt: its outcome is told apart here, and doubt is the
// caller's to resolve. Everything else is retried within a time budget. A put goes to a name that
// nobody else uses, so after a lost reply an object of the right size is our own.

import type { ByteRange } from '../base/byte-range.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { MusterError } from '../base/errors.ts';
import { isObjectKey } from './object-key.ts';
import type {
  CallOptions,
  CreateOutcome,
  ListedObject,
  ListOptions,
  ListReply,
  ObjectKey,
  ObjectStore,
  ObjectWriter,
  ReadReply,
} from './port.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import type { RetryPolicy } from './retry.ts';
import { type S3Place, storeError } from './s3-advice.ts';
import { RangeChecksums } from './s3-checksum.ts';
import {
  type S3Credentials,
  type S3CredentialsProvider,
  type S3ListReply,
  type S3Profile,
  S3Requests,
} from './s3-client.ts';
import { S3Failure } from './s3-failure.ts';
import type { SocketCounts } from './s3-sockets.ts';
import { readVerified } from './s3-read.ts';
import { glance, oneAttempt, repeatedly, type S3Session, sizeIfPresent } from './s3-session.ts';
import { S3Writer } from './s3-writer.ts';
import { nameTaken } from './store-errors.ts';

export interface S3StoreOptions {
  readonly bucket: string;
  /** Key prefix of the root, without slashes at its ends; '' for the bucket's root. */
  readonly prefix: string;
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly credentials?: S3Credentials | S3CredentialsProvider | undefined;
  /** Requests are not signed. */
  readonly anonymous?: boolean | undefined;
  /** By default `compatible` for an endpoint of one's own, else `aws`. */
  readonly profile?: S3Profile | undefined;
  readonly clock?: Clock | undefined;
  /** Requests under way at once, and connections for them. */
  readonly socketsMax?: number | undefined;
  readonly requestTimeoutMs?: number | undefined;
  readonly retry?: RetryPolicy | undefined;
}

const listPageMax = 1000;
const removePageMax = 1000;
/** An upload's date may be this old; an older one only makes garbage collection more careful. */
const dateAgeMsMax = 60_000;
const defaultRetry: RetryPolicy = {
  budgetMs: 20_000,
  throttledBudgetMs: 300_000,
  firstDelayMs: 50,
  delayMsMax: 2_000,
};

export class S3Store implements ObjectStore {
  readonly id: string;
  readonly #session: S3Session;
  #seen: { readonly date: number; readonly at: number } | undefined;

  constructor(options: S3StoreOptions) {
    const root = options.prefix === '' ? '' : `/${options.prefix}`;
    this.id = `s3://${options.bucket}${root}`;
    this.#session = newSession(options);
  }

  async read(
    key: ObjectKey,
    range?: ByteRange,
    options: CallOptions = {},
  ): Promise<ReadReply | undefined> {
    try {
      const onDate = (date: number) => options.onDate?.(this.#saw(date));
      return await readVerified(this.#session, { ...options, key, range, onDate });
    } catch (error) {
      throw storeError(error, this.#session.place);
    }
  }

  async create(
    key: ObjectKey,
    body: Uint8Array,
    options: CallOptions = {},
  ): Promise<CreateOutcome> {
    options.signal?.throwIfAborted();
    try {
      return await this.#createOnce(key, body, options);
    } catch (error) {
      // Refused before anything was done, for what may be cured by now: no doubt can come of it.
      if (!(error instanceof S3Failure) || error.kind !== 'unsigned') return this.#failed(error);
    }
    return await this.#createOnce(key, body, options).catch((error) => this.#failed(error));
  }

  async put(
    key: ObjectKey,
    body: Uint8Array,
    options: CallOptions = {},
  ): Promise<{ readonly date: number }> {
    try {
      const date = await this.#recentDate(key, options);
      await this.#putWhole(key, body, options);
      return { date };
    } catch (error) {
      throw storeError(error, this.#session.place);
    }
  }

  async writer(key: ObjectKey, options: CallOptions = {}): Promise<ObjectWriter> {
    options.signal?.throwIfAborted();
    const put = (body: Uint8Array) => this.put(key, body, options);
    return new S3Writer(this.#session, { key, options, put });
  }

  async list(options: ListOptions): Promise<ListReply> {
    const objects: ListedObject[] = [];
    let after = options.after ?? '';
    for (;;) {
      const reply = await this.#listPage(options, after, options.max - objects.length);
      objects.push(...this.#ownObjects(reply, options, after));
      after = reply.objects.at(-1)?.key.slice(this.#session.prefix.length) ?? after;
      const { more, date } = reply;
      if (!more || objects.length >= options.max) return { objects, more, date };
    }
  }

  async remove(keys: readonly ObjectKey[], options: CallOptions = {}): Promise<void> {
    try {
      for (let start = 0; start < keys.length; start += removePageMax) {
        await this.#removePage(keys.slice(start, start + removePageMax), options);
      }
    } catch (error) {
      throw storeError(error, this.#session.place);
    }
  }

  sockets(): SocketCounts {
    return this.#session.requests.sockets();
  }

  /** Whether the bucket keeps old versions: then nothing that is removed would ever be gone. */
  async keepsVersions(options: CallOptions = {}): Promise<boolean> {
    try {
      const limits = { request: 'read', bytes: 0, ...options } as const;
      return await repeatedly(this.#session, limits, (signal) =>
        this.#session.requests.versioningEnabled(signal),
      );
    } catch (error) {
      throw storeError(error, this.#session.place);
    }
  }

  async close(): Promise<void> {
    this.#session.requests.close();
  }

  #path(key: string): string {
    return this.#session.prefix + key;
  }

  #saw(date: number): number {
    this.#seen = { date, at: this.#session.clock.monotonic() };
    return date;
  }

  async #createOnce(
    key: ObjectKey,
    body: Uint8Array,
    options: CallOptions,
  ): Promise<CreateOutcome> {
    const limits = { request: 'write', bytes: body.length, failures: 0, ...options } as const;
    const date = await oneAttempt(this.#session, limits, (signal) =>
      this.#session.requests.putIfAbsent(this.#path(key), body, signal),
    );
    return { outcome: 'created', date: this.#saw(date) };
  }

  #failed(error: unknown): CreateOutcome {
    if (!(error instanceof S3Failure)) return { outcome: 'unknown', cause: error };
    const { kind, date } = error;
    if (date !== undefined) this.#saw(date);
    if (kind === 'precondition' && date !== undefined) return { outcome: 'exists', date };
    if (kind === 'conflict' && date !== undefined) return { outcome: 'conflict', date };
    const cause = storeError(error, this.#session.place);
    if (kind === 'refused' || kind === 'absent' || kind === 'unsigned') throw cause;
    return { outcome: 'unknown', cause };
  }

  async #putWhole(key: ObjectKey, body: Uint8Array, options: CallOptions): Promise<void> {
    const limits = { request: 'write', bytes: body.length, ...options } as const;
    try {
      const date = await repeatedly(this.#session, limits, (signal) =>
        this.#session.requests.putIfAbsent(this.#path(key), body, signal),
      );
      this.#saw(date);
    } catch (error) {
      if (!(error instanceof S3Failure) || error.kind !== 'precondition') throw error;
      const present = await sizeIfPresent(this.#session, key, options);
      if (present !== body.length) throw nameTaken(key);
    }
  }

  /** A Date that the store told before now; asks for one only after a minute of silence. */
  async #recentDate(key: ObjectKey, options: CallOptions): Promise<number> {
    const seen = this.#seen;
    if (seen !== undefined && this.#session.clock.monotonic() - seen.at < dateAgeMsMax) {
      return seen.date;
    }
    return this.#saw((await glance(this.#session, key, options)).date);
  }

  async #listPage(options: ListOptions, after: string, missing: number): Promise<S3ListReply> {
    const page = {
      prefix: this.#path(options.prefix),
      after: after === '' ? '' : this.#path(after),
      max: Math.min(missing, listPageMax),
    };
    try {
      const limits = { request: 'list', bytes: 0, ...options } as const;
      const reply = await repeatedly(this.#session, limits, (signal) =>
        this.#session.requests.list(page, signal),
      );
      this.#saw(reply.date);
      return reply;
    } catch (error) {
      throw storeError(error, this.#session.place);
    }
  }

  /** Leaves out names that Muster never writes; throws on a listing that is not in key order. */
  #ownObjects(reply: S3ListReply, options: ListOptions, after: string): ListedObject[] {
    const own: ListedObject[] = [];
    let last = after;
    for (const object of reply.objects) {
      const key = object.key.slice(this.#session.prefix.length);
      if (key <= last || !object.key.startsWith(this.#path(options.prefix))) {
        throw new MusterError(
          'S3_ERROR',
          `${this.id} lists ${key} after ${last}: not in key order`,
        );
      }
      last = key;
      if (isObjectKey(key)) own.push({ ...object, key });
    }
    return own;
  }

  async #removePage(keys: readonly ObjectKey[], options: CallOptions): Promise<void> {
    let left: readonly string[] = keys.map((key) => this.#path(key));
    const limits = { request: 'remove', bytes: 0, ...options } as const;
    await repeatedly(this.#session, limits, async (signal) => {
      const failures = await this.#session.requests.remove(left, signal);
      left = failures.map((failure) => failure.key);
      const [first] = failures;
      if (first === undefined) return;
      const kind = first.code === 'AccessDenied' ? 'refused' : 'transient';
      const request = `DELETE s3://${this.#session.requests.bucket}/${first.key}`;
      throw new S3Failure({ kind, request, code: first.code });
    });
  }
}

export function newSession(options: S3StoreOptions): S3Session {
  const { bucket, endpoint, credentials, anonymous, region = 'us-east-1' } = options;
  const { clock = systemClock, socketsMax = 256 } = options;
  const profile = options.profile ?? (endpoint === undefined ? 'aws' : 'compatible');
  const place: S3Place = { bucket, region, endpoint, clock };
  return {
    requests: new S3Requests({ ...place, credentials, anonymous, profile, socketsMax, clock }),
    place,
    limit: new ConcurrencyLimit(socketsMax),
    rangeChecksums: new RangeChecksums(),
    prefix: options.prefix === '' ? '' : `${options.prefix}/`,
    clock,
    policy: options.retry ?? defaultRetry,
    requestTimeoutMs: options.requestTimeoutMs ?? 2_000,
  };
}
