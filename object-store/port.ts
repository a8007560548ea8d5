// The object store port: the little that Muster needs of S3 or of a directory.
//
// Contract, for every implementation (test/object-store/contract.ts checks it):
// - Keys are immutable once created; nothing is ever overwritten. `create` is atomic: of any number
//   of racing creates exactly one answers `created`, and a reader sees the whole body or nothing.
// - Strong consistency: what a settled `create` wrote is seen by every later `get` and `list`.
// - `list` is in ascending order of key bytes.
// - Every reply carries the store's own Date (ms since the epoch). S3's is its Date header, in whole
//   seconds. A directory is on this machine's file system: what is written there is dated by the
//   file's mtime, reads and lists by the wall clock.
// - Definite failures (no such bucket, credentials, a full disk) are thrown, by creates too.
// - A range must not be empty; one that reaches past the object's end is CORRUPTED_DATA.
// - Reads are retried inside, within a time budget; a create never is: its caller resolves doubt.
//   (One that was refused for its signature, which leaves no doubt, is signed anew and sent again.)
// - Lengths and ranges of replies are verified; a short or ignored range is an error, never data.

import type { Brand } from '../base/brand.ts';
import type { ByteRange } from '../base/byte-range.ts';

/** A relative key below the store's root: segments of [A-Za-z0-9._-], joined by '/'; no '.' or '..'. */
export type ObjectKey = Brand<string, 'ObjectKey'>;

export interface ReadReply {
  readonly bytes: Uint8Array;
  /** Size of the whole object. */
  readonly objectBytes: number;
  readonly date: number;
}

/**
 * `created`: ours, durable. `exists`: somebody's object is there (perhaps our own earlier attempt:
 * read it back). `conflict`: nothing landed, send the same again. `unknown`: it may have landed.
 */
export type CreateOutcome =
  | { readonly outcome: 'created'; readonly date: number }
  | { readonly outcome: 'exists'; readonly date: number }
  | { readonly outcome: 'conflict'; readonly date: number }
  | { readonly outcome: 'unknown'; readonly cause: unknown };

export interface ListedObject {
  readonly key: ObjectKey;
  readonly bytes: number;
  /** LastModified, ms since the epoch. */
  readonly modified: number;
}

export interface ListReply {
  readonly objects: readonly ListedObject[];
  /** More keys follow the last one. */
  readonly more: boolean;
  readonly date: number;
}

/** As stores charge for them: `read` is GET and HEAD, `write` is PUT and all of an upload in parts. */
export type StoreRequest = 'read' | 'write' | 'list' | 'remove';

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Told the Date of the reply to a `read`, also where there is no such object. */
  readonly onDate?: (date: number) => void;
  /** Told of each request as it is sent, a writer's parts and every retry too. Must not throw. */
  readonly onRequest?: (request: StoreRequest) => void;
}

export interface ListOptions extends CallOptions {
  readonly prefix: string;
  /** Only keys greater than this. */
  readonly after?: string;
  readonly max: number;
}

/** An upload whose size is not known yet. Nothing is visible before `finish` resolves. */
export interface ObjectWriter {
  /** Takes the bytes over; may wait for back-pressure. */
  write(bytes: Uint8Array): Promise<void>;
  finish(): Promise<{ readonly bytes: number; readonly date: number }>;
  /** Gives up; leaves nothing visible. Never throws. */
  abort(): Promise<void>;
}

export interface ObjectStore {
  /** Names this store and root, for cache keys and messages: `dir:/path`, `s3://bucket/prefix`. */
  readonly id: string;
  /** The whole object or one range of it; undefined when there is no such object. */
  read(key: ObjectKey, range?: ByteRange, options?: CallOptions): Promise<ReadReply | undefined>;
  /** Create-if-absent, one attempt. The only way a head is written. */
  create(key: ObjectKey, body: Uint8Array, options?: CallOptions): Promise<CreateOutcome>;
  /**
   * Uploads under a name that nobody else uses (it holds a fresh random id). Retries inside; an
   * object found there afterwards with the same size is this upload. `date`: the store's Date in a
   * reply received before the first request was sent (the upload's age for garbage collection).
   */
  put(key: ObjectKey, body: Uint8Array, options?: CallOptions): Promise<{ readonly date: number }>;
  /** The same, streamed. */
  writer(key: ObjectKey, options?: CallOptions): Promise<ObjectWriter>;
  list(options: ListOptions): Promise<ListReply>;
  /** Absent keys are not an error. */
  remove(keys: readonly ObjectKey[], options?: CallOptions): Promise<void>;
  /** Lets go of connections, once all calls have settled. No call may follow. */
  close(): Promise<void>;
}
