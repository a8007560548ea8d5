// A decorator that makes the k-th call of a store go wrong, for tests of what stands above it.
//
// Every call of the port counts, a writer's `write` and `finish` too. `before` means that the call
// never reached the store, `after` that it did and the reply was lost.

import type { ByteRange } from '../../base/byte-range.ts';
import { MusterError } from '../../base/errors.ts';
import type {
  CallOptions,
  CreateOutcome,
  ListOptions,
  ListReply,
  ObjectKey,
  ObjectStore,
  ObjectWriter,
  ReadReply,
} from '../../object-store/port.ts';

type FaultCall = 'read' | 'create' | 'put' | 'write' | 'finish' | 'list' | 'remove';

export interface Fault {
  /** Which call, from 0, counting only `calls`; `everyLater` makes all after it fail as well. */
  readonly at: number;
  readonly everyLater?: boolean;
  readonly moment: 'before' | 'after';
  /** `fail`: a NETWORK_ERROR, or `unknown` from a create. `kill`: SIGKILL to this process. */
  readonly kind: 'fail' | 'full' | 'kill';
  /** By default every kind of call. */
  readonly calls?: readonly FaultCall[];
}

export const writingCalls: readonly FaultCall[] = ['create', 'put', 'write', 'finish'];

export class FaultyStore implements ObjectStore {
  readonly #inner: ObjectStore;
  readonly #fault: Fault;
  #count = 0;

  constructor(inner: ObjectStore, fault: Fault) {
    this.#inner = inner;
    this.#fault = fault;
  }

  get id(): string {
    return this.#inner.id;
  }

  /** How many calls have counted: run once without faults to learn the range of `at`. */
  get count(): number {
    return this.#count;
  }

  async read(
    key: ObjectKey,
    range?: ByteRange,
    options?: CallOptions,
  ): Promise<ReadReply | undefined> {
    return await this.#call('read', () => this.#inner.read(key, range, options));
  }

  async create(key: ObjectKey, body: Uint8Array, options?: CallOptions): Promise<CreateOutcome> {
    try {
      return await this.#call('create', () => this.#inner.create(key, body, options));
    } catch (error) {
      if (error instanceof InjectedError) return { outcome: 'unknown', cause: error };
      throw error;
    }
  }

  async put(
    key: ObjectKey,
    body: Uint8Array,
    options?: CallOptions,
  ): Promise<{ readonly date: number }> {
    return await this.#call('put', () => this.#inner.put(key, body, options));
  }

  async writer(key: ObjectKey, options?: CallOptions): Promise<ObjectWriter> {
    const inner = await this.#inner.writer(key, options);
    return {
      write: (bytes) => this.#call('write', () => inner.write(bytes)),
      finish: () => this.#call('finish', () => inner.finish()),
      abort: () => inner.abort(),
    };
  }

  async list(options: ListOptions): Promise<ListReply> {
    return await this.#call('list', () => this.#inner.list(options));
  }

  async remove(keys: readonly ObjectKey[], options?: CallOptions): Promise<void> {
    await this.#call('remove', () => this.#inner.remove(keys, options));
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  async #call<T>(call: FaultCall, work: () => Promise<T>): Promise<T> {
    const fault = this.#faultOf(call);
    if (fault?.moment === 'before') strike(fault, call);
    const reply = await work();
    if (fault?.moment === 'after') strike(fault, call);
    return reply;
  }

  #faultOf(call: FaultCall): Fault | undefined {
    if (this.#fault.calls !== undefined && !this.#fault.calls.includes(call)) return undefined;
    const place = this.#count++;
    const struck = place === this.#fault.at || (this.#fault.everyLater && place > this.#fault.at);
    return struck ? this.#fault : undefined;
  }
}

class InjectedError extends MusterError {}

function strike(fault: Fault, call: FaultCall): void {
  if (fault.kind === 'kill') {
    process.kill(process.pid, 'SIGKILL');
    return;
  }
  if (fault.kind === 'full') {
    throw new MusterError('NOT_ENOUGH_SPACE', `injected: the disk is full at a ${call}`);
  }
  throw new InjectedError('NETWORK_ERROR', `injected: a ${call} failed ${fault.moment} it ran`);
}
