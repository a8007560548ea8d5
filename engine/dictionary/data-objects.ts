// Ranged reads of one namespace's data objects, a bounded number side by side. What is missing is
// reported as damage: an object that a snapshot reaches exists.

import type { ByteRange } from '../../base/byte-range.ts';
import { MusterError } from '../../base/errors.ts';
import { dataKey } from '../../catalog/keys.ts';
import type { NamespaceId } from '../../catalog/schema.ts';
import type { ObjectKey, ObjectStore } from '../../object-store/port.ts';

/** How many reads one process has on the way at once; more only queue in the network. */
const readsAtOnce = 16;

export class DataObjects {
  readonly store: ObjectStore;
  readonly namespace: number;
  readonly #signal: AbortSignal | undefined;

  constructor(store: ObjectStore, namespace: number, signal?: AbortSignal) {
    this.store = store;
    this.namespace = namespace;
    this.#signal = signal;
  }

  key(object: string): ObjectKey {
    return dataKey(this.namespace as NamespaceId, object);
  }

  /** Names the store too: two stores in one process share caches. */
  cacheName(object: string): string {
    return `${this.store.id}|${this.namespace}/${object}`;
  }

  /** `range` is of the object. CORRUPTED_DATA where the object is missing. */
  async read(object: string, range: ByteRange): Promise<Uint8Array> {
    return await this.#read(object, range, this.#signal);
  }

  /** For what several queries wait for together: no single one's cancelling ends it. */
  async readForAll(object: string, range: ByteRange): Promise<Uint8Array> {
    return await this.#read(object, range, undefined);
  }

  async #read(object: string, range: ByteRange, signal?: AbortSignal): Promise<Uint8Array> {
    const key = this.key(object);
    const options = signal === undefined ? {} : { signal };
    const reply = await reads.run(() => this.store.read(key, range, options));
    if (reply !== undefined) return reply.bytes;
    throw new MusterError('CORRUPTED_DATA', `corrupt part ${key}: the object is missing`);
  }
}

class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

const reads = new Gate(readsAtOnce);
