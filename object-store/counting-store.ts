// A decorator, outermost in the stack, that keeps a log of every call: tests assert rounds, bytes
// and writes with it. What a statement cost is counted by metered-store.ts.
//
// A call's round is one more than the greatest round among the calls that were settled before it
// began: calls in parallel share a round, calls that could depend on one another don't. It counts
// calls of the port; S3's own parts and retries are below it.

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
} from './port.ts';

type StoreCallKind = 'read' | 'create' | 'put' | 'write' | 'list' | 'remove';

interface StoreCall {
  readonly kind: StoreCallKind;
  /** Key or prefix. */
  readonly key: string;
  readonly range?: ByteRange;
  /** From 1. */
  readonly round: number;
  /** Bytes of the body, either way; of a listing its number of objects. */
  readonly bytes: number;
  readonly found: boolean;
}

interface StoreCounts {
  readonly reads: number;
  /** Reads that found nothing; they are among `reads` too. */
  readonly absentReads: number;
  readonly creates: number;
  /** Puts and finished writers. */
  readonly puts: number;
  readonly lists: number;
  readonly removes: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Dependent rounds. */
  readonly rounds: number;
}

interface Outcome {
  readonly bytes: number;
  readonly found: boolean;
}

export class CountingStore implements ObjectStore {
  readonly #inner: ObjectStore;
  #calls: StoreCall[] = [];
  #settledRound = 0;

  constructor(inner: ObjectStore) {
    this.#inner = inner;
  }

  get id(): string {
    return this.#inner.id;
  }

  /** Settled calls since the last `reset`, in the order in which they settled. */
  get calls(): readonly StoreCall[] {
    return this.#calls;
  }

  reset(): void {
    this.#calls = [];
    this.#settledRound = 0;
  }

  counts(): StoreCounts {
    const of = (...kinds: readonly StoreCallKind[]) =>
      this.#calls.filter((call) => kinds.includes(call.kind));
    const reads = of('read');
    return {
      reads: reads.length,
      absentReads: reads.filter((call) => !call.found).length,
      creates: of('create').length,
      puts: of('put', 'write').length,
      lists: of('list').length,
      removes: of('remove').length,
      bytesRead: bytesOf(reads),
      bytesWritten: bytesOf(of('create', 'put', 'write')),
      rounds: this.#settledRound,
    };
  }

  async read(
    key: ObjectKey,
    range?: ByteRange,
    options?: CallOptions,
  ): Promise<ReadReply | undefined> {
    const call = { kind: 'read', key, ...(range === undefined ? {} : { range }) } as const;
    return await this.#counted(
      call,
      () => this.#inner.read(key, range, options),
      (reply) => ({ bytes: reply?.bytes.length ?? 0, found: reply !== undefined }),
    );
  }

  async create(key: ObjectKey, body: Uint8Array, options?: CallOptions): Promise<CreateOutcome> {
    return await this.#counted(
      { kind: 'create', key },
      () => this.#inner.create(key, body, options),
      (reply) => ({ bytes: body.length, found: reply.outcome === 'exists' }),
    );
  }

  async put(
    key: ObjectKey,
    body: Uint8Array,
    options?: CallOptions,
  ): Promise<{ readonly date: number }> {
    return await this.#counted(
      { kind: 'put', key },
      () => this.#inner.put(key, body, options),
      () => ({ bytes: body.length, found: true }),
    );
  }

  async writer(key: ObjectKey, options?: CallOptions): Promise<ObjectWriter> {
    const inner = await this.#inner.writer(key, options);
    return {
      write: (bytes) => inner.write(bytes),
      finish: () =>
        this.#counted(
          { kind: 'write', key },
          () => inner.finish(),
          ({ bytes }) => ({ bytes, found: true }),
        ),
      abort: () => inner.abort(),
    };
  }

  async list(options: ListOptions): Promise<ListReply> {
    return await this.#counted(
      { kind: 'list', key: options.prefix },
      () => this.#inner.list(options),
      ({ objects }) => ({ bytes: objects.length, found: objects.length > 0 }),
    );
  }

  async remove(keys: readonly ObjectKey[], options?: CallOptions): Promise<void> {
    await this.#counted(
      { kind: 'remove', key: keys[0] ?? '' },
      () => this.#inner.remove(keys, options),
      () => ({ bytes: 0, found: true }),
    );
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  /** A call that throws is logged as one that found nothing. */
  async #counted<T>(
    call: Pick<StoreCall, 'kind' | 'key' | 'range'>,
    work: () => Promise<T>,
    outcomeOf: (reply: T) => Outcome,
  ): Promise<T> {
    const round = this.#settledRound + 1;
    let outcome: Outcome = { bytes: 0, found: false };
    try {
      const reply = await work();
      outcome = outcomeOf(reply);
      return reply;
    } finally {
      this.#settledRound = Math.max(this.#settledRound, round);
      this.#calls.push({ ...call, ...outcome, round });
    }
  }
}

function bytesOf(calls: readonly StoreCall[]): number {
  return calls.reduce((sum, call) => sum + call.bytes, 0);
}
