// A decorator that adds up what a question costs in the store: requests by price and bytes, into a
// plain object that its owner reads and sums. Cheap enough to be made for each question or task.
//
// Requests are those that really go out, a writer's parts and retries included, since the store below
// tells each by `onRequest`; bytes are those of the calls that succeeded. `CountingStore` is for
// tests: it keeps a log.

import type { ByteRange } from '../base/byte-range.ts';
import type {
  CallOptions,
  CreateOutcome,
  ListOptions,
  ListReply,
  ObjectKey,
  ObjectStore,
  ObjectWriter,
  ReadReply,
  StoreRequest,
} from './port.ts';

/** Grows while its store is used. Plain numbers: it can be sent and added up. */
export interface StoreUsage {
  /** GET and HEAD. */
  reads: number;
  /** PUT, creates, and all that an upload in parts sends. */
  writes: number;
  lists: number;
  removes: number;
  bytesRead: number;
  bytesWritten: number;
}

export function emptyUsage(): StoreUsage {
  return { reads: 0, writes: 0, lists: 0, removes: 0, bytesRead: 0, bytesWritten: 0 };
}

const counters = { read: 'reads', write: 'writes', list: 'lists', remove: 'removes' } as const;

export class MeteredStore implements ObjectStore {
  readonly #inner: ObjectStore;
  readonly #usage: StoreUsage;
  readonly #plain: CallOptions;

  constructor(inner: ObjectStore, usage: StoreUsage) {
    this.#inner = inner;
    this.#usage = usage;
    this.#plain = { onRequest: (request) => this.#count(request) };
  }

  get id(): string {
    return this.#inner.id;
  }

  async read(
    key: ObjectKey,
    range?: ByteRange,
    options?: CallOptions,
  ): Promise<ReadReply | undefined> {
    const reply = await this.#inner.read(key, range, this.#metered(options));
    this.#usage.bytesRead += reply?.bytes.length ?? 0;
    return reply;
  }

  async create(key: ObjectKey, body: Uint8Array, options?: CallOptions): Promise<CreateOutcome> {
    const outcome = await this.#inner.create(key, body, this.#metered(options));
    if (outcome.outcome === 'created') this.#usage.bytesWritten += body.length;
    return outcome;
  }

  async put(
    key: ObjectKey,
    body: Uint8Array,
    options?: CallOptions,
  ): Promise<{ readonly date: number }> {
    const reply = await this.#inner.put(key, body, this.#metered(options));
    this.#usage.bytesWritten += body.length;
    return reply;
  }

  async writer(key: ObjectKey, options?: CallOptions): Promise<ObjectWriter> {
    const inner = await this.#inner.writer(key, this.#metered(options));
    return {
      write: (bytes) => inner.write(bytes),
      finish: async () => {
        const reply = await inner.finish();
        this.#usage.bytesWritten += reply.bytes;
        return reply;
      },
      abort: () => inner.abort(),
    };
  }

  async list(options: ListOptions): Promise<ListReply> {
    return await this.#inner.list({ ...options, ...this.#metered(options) });
  }

  async remove(keys: readonly ObjectKey[], options?: CallOptions): Promise<void> {
    await this.#inner.remove(keys, this.#metered(options));
  }

  /** The store below stays open: it serves others too. */
  async close(): Promise<void> {}

  #count(request: StoreRequest): void {
    this.#usage[counters[request]]++;
  }

  #metered(options: CallOptions | undefined): CallOptions {
    if (options === undefined) return this.#plain;
    const outer = options.onRequest;
    if (outer === undefined) return { ...options, ...this.#plain };
    return {
      ...options,
      onRequest: (request) => {
        this.#count(request);
        outer(request);
      },
    };
  }
}
