// A store that gives one byte of one object otherwise than it was written, and remembers what was read
// of which object. Nothing is copied but what is read, so that a large object can be damaged in many
// places.

import type { ByteRange } from '../../base/byte-range.ts';
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

interface Damage {
  readonly key: ObjectKey;
  readonly at: number;
  /** XORed to the byte. */
  readonly bits: number;
}

export class DamagedStore implements ObjectStore {
  readonly id: string;
  readonly reads: { readonly key: ObjectKey; readonly range: ByteRange }[] = [];
  readonly #inner: ObjectStore;
  readonly #damage: Damage | undefined;

  constructor(inner: ObjectStore, damage?: Damage) {
    this.id = inner.id;
    this.#inner = inner;
    this.#damage = damage;
  }

  async read(
    key: ObjectKey,
    range?: ByteRange,
    options?: CallOptions,
  ): Promise<ReadReply | undefined> {
    const reply = await this.#inner.read(key, range, options);
    if (reply === undefined) return undefined;
    const start = range?.start ?? 0;
    this.reads.push({ key, range: { start, end: start + reply.bytes.length } });
    if (this.#damage?.key !== key) return reply;
    const at = this.#damage.at - start;
    if (at < 0 || at >= reply.bytes.length) return reply;
    const bytes = new Uint8Array(reply.bytes);
    bytes[at] = bytes[at]! ^ this.#damage.bits;
    return { ...reply, bytes };
  }

  async create(key: ObjectKey, body: Uint8Array, options?: CallOptions): Promise<CreateOutcome> {
    return await this.#inner.create(key, body, options);
  }

  async put(
    key: ObjectKey,
    body: Uint8Array,
    options?: CallOptions,
  ): Promise<{ readonly date: number }> {
    return await this.#inner.put(key, body, options);
  }

  async writer(key: ObjectKey, options?: CallOptions): Promise<ObjectWriter> {
    return await this.#inner.writer(key, options);
  }

  async list(options: ListOptions): Promise<ListReply> {
    return await this.#inner.list(options);
  }

  async remove(keys: readonly ObjectKey[], options?: CallOptions): Promise<void> {
    await this.#inner.remove(keys, options);
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }
}
