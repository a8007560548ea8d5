// An object store in this process's memory: the reference of the port's contract, for tests and
// simulations. Its Date is the clock it was given, so that a test can move the store's time without
// moving its own. Bodies are copied in and out: nobody can change what is stored.

import { assert, defined } from '../base/assert.ts';
import { type ByteRange, rangeLength } from '../base/byte-range.ts';
import { type Clock, systemClock } from '../base/clock.ts';
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
import { nameTaken, rangePastEnd } from './store-errors.ts';

interface StoredObject {
  readonly bytes: Uint8Array;
  readonly modified: number;
}

interface MemoryStoreOptions {
  readonly id?: string;
  /** The store's own clock; only `now` is asked. */
  readonly clock?: Pick<Clock, 'now'>;
}

export class MemoryStore implements ObjectStore {
  readonly id: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #objects = new Map<ObjectKey, StoredObject>();
  #sortedKeys: readonly ObjectKey[] | undefined = [];

  constructor(options: MemoryStoreOptions = {}) {
    this.id = options.id ?? 'memory:';
    this.#clock = options.clock ?? systemClock;
  }

  async read(
    key: ObjectKey,
    range?: ByteRange,
    options: CallOptions = {},
  ): Promise<ReadReply | undefined> {
    await settle(options, 'read');
    const date = this.#clock.now();
    options.onDate?.(date);
    const stored = this.#objects.get(key);
    if (stored === undefined) return undefined;
    const objectBytes = stored.bytes.length;
    const { start, end } = range ?? { start: 0, end: objectBytes };
    assert(range === undefined || rangeLength(range) > 0, `empty range of ${key}`);
    if (end > objectBytes) throw rangePastEnd(key, { start, end }, objectBytes);
    return { bytes: stored.bytes.slice(start, end), objectBytes, date };
  }

  async create(
    key: ObjectKey,
    body: Uint8Array,
    options: CallOptions = {},
  ): Promise<CreateOutcome> {
    await settle(options, 'write');
    const date = this.#clock.now();
    if (this.#objects.has(key)) return { outcome: 'exists', date };
    this.#store(key, body, date);
    return { outcome: 'created', date };
  }

  async put(
    key: ObjectKey,
    body: Uint8Array,
    options: CallOptions = {},
  ): Promise<{ readonly date: number }> {
    await settle(options, 'write');
    const date = this.#clock.now();
    const present = this.#objects.get(key);
    if (present === undefined) this.#store(key, body, date);
    else if (present.bytes.length !== body.length) throw nameTaken(key);
    return { date };
  }

  async writer(key: ObjectKey, options: CallOptions = {}): Promise<ObjectWriter> {
    options.signal?.throwIfAborted();
    await Promise.resolve();
    return new MemoryWriter((body) => this.put(key, body, options));
  }

  async list(options: ListOptions): Promise<ListReply> {
    await settle(options, 'list');
    const after = options.after ?? '';
    this.#sortedKeys ??= [...this.#objects.keys()].sort();
    const keys = this.#sortedKeys.filter((key) => key.startsWith(options.prefix) && key > after);
    const objects = keys.slice(0, options.max).map((key) => {
      const stored = defined(this.#objects.get(key), key);
      return { key, bytes: stored.bytes.length, modified: stored.modified };
    });
    return { objects, more: keys.length > objects.length, date: this.#clock.now() };
  }

  async remove(keys: readonly ObjectKey[], options: CallOptions = {}): Promise<void> {
    await settle(options, 'remove');
    for (const key of keys) this.#objects.delete(key);
    this.#sortedKeys = undefined;
  }

  async close(): Promise<void> {}

  #store(key: ObjectKey, body: Uint8Array, modified: number): void {
    // Not `body.slice()`, which for a Buffer would be a view of the caller's bytes.
    this.#objects.set(key, { bytes: new Uint8Array(body), modified });
    this.#sortedKeys = undefined;
  }
}

class MemoryWriter implements ObjectWriter {
  readonly #put: (body: Uint8Array) => Promise<{ readonly date: number }>;
  #chunks: Uint8Array[] | undefined = [];

  constructor(put: (body: Uint8Array) => Promise<{ readonly date: number }>) {
    this.#put = put;
  }

  async write(bytes: Uint8Array): Promise<void> {
    defined(this.#chunks, 'an open writer').push(bytes.slice());
  }

  async finish(): Promise<{ readonly bytes: number; readonly date: number }> {
    const body = Buffer.concat(defined(this.#chunks, 'an open writer'));
    this.#chunks = undefined;
    const { date } = await this.#put(body);
    return { bytes: body.length, date };
  }

  async abort(): Promise<void> {
    this.#chunks = undefined;
  }
}

/** No call answers in the same turn: callers that forget to wait are found out. */
async function settle(options: CallOptions, request: StoreRequest): Promise<void> {
  options.signal?.throwIfAborted();
  options.onRequest?.(request);
  await Promise.resolve();
}
