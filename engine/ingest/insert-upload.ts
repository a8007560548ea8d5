// Where an insert's parts go: small ones back to back into shared objects of up to 8 MB, across
// partitions and together with the dictionary's segments; large ones into objects of their own.
// Names are fresh random ids, so nothing is overwritten and a repeat never collides.

import type { Clock } from '../../base/clock.ts';
import type { PartPlace, SegmentEntry } from '../../catalog/entry.ts';
import { dataKey, dataName } from '../../catalog/keys.ts';
import type { NamespaceId } from '../../catalog/schema.ts';
import type { ObjectStore } from '../../object-store/port.ts';
import type { SegmentInPieces } from '../../storage-format/segment-writer.ts';

export const packedObjectBytesMax = 8 * 1024 * 1024;
/** Written at once, of what comes in small pieces. */
const writeBytesMin = 1024 * 1024;
/** Parts begin on this boundary, so that buffers inside keep their alignment. */
const partAlignment = 64;

/** A place that becomes final when the upload is finished. */
type PendingPlace = Omit<PartPlace, 'objectBytes' | 'shared'>;

interface UploadOptions {
  readonly store: ObjectStore;
  readonly namespace: NamespaceId;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

interface FinishedObject {
  readonly bytes: number;
  readonly parts: number;
}

/** One insert's uploads, or one attempt's. Nothing it wrote is reachable before a commit. */
export class InsertUpload {
  readonly #options: UploadOptions;
  readonly #finished = new Map<string, FinishedObject>();
  #chunks: Uint8Array[] = [];
  #chunkBytes = 0;
  #parts = 0;
  #object: string;
  #earliest = Number.POSITIVE_INFINITY;
  #bytesWritten = 0;
  /** The last large object, on its way. */
  #running: Promise<void> = Promise.resolve();

  constructor(options: UploadOptions) {
    this.#options = options;
    this.#object = dataName(options.clock.randomId());
  }

  /** The store's Date before the first upload; undefined when nothing was uploaded. */
  get uploadedAfter(): number | undefined {
    return Number.isFinite(this.#earliest) ? this.#earliest : undefined;
  }

  get bytesWritten(): number {
    return this.#bytesWritten;
  }

  /** Appends a part to the shared object; uploads that first when it is full. */
  async pack(part: Uint8Array): Promise<{ readonly object: string; readonly offset: number }> {
    if (this.#chunkBytes > 0 && this.#chunkBytes + part.length > packedObjectBytesMax) {
      await this.#uploadPacked();
    }
    const offset = Math.ceil(this.#chunkBytes / partAlignment) * partAlignment;
    if (offset > this.#chunkBytes) this.#chunks.push(new Uint8Array(offset - this.#chunkBytes));
    this.#chunks.push(part);
    this.#chunkBytes = offset + part.length;
    this.#parts++;
    return { object: this.#object, offset };
  }

  /**
   * A part in pieces. A large one gets an object of its own, and is on its way when this returns; the
   * next one waits for it. `free` is called when the pieces are not needed any more, however it went.
   */
  async packPieces(
    pieces: readonly Uint8Array[],
    length: number,
    free: () => void = () => {},
  ): Promise<{ readonly object: string; readonly offset: number }> {
    if (length <= packedObjectBytesMax) {
      const part = Buffer.concat(pieces, length);
      free();
      return await this.pack(part);
    }
    try {
      await this.#running;
    } catch (error) {
      free();
      throw error;
    }
    const object = dataName(this.#options.clock.randomId());
    this.#running = this.#writePieces(object, pieces).finally(free);
    // Whoever waits for it is told.
    this.#running.catch(() => {});
    return { object, offset: 0 };
  }

  /** A streamed object of its own; `object` names it. */
  async openObject(object: string): Promise<{
    write(bytes: Uint8Array): Promise<void>;
    finish(): Promise<void>;
    abort(): Promise<void>;
  }> {
    const { store, namespace, signal } = this.#options;
    const key = dataKey(namespace, object);
    const writer = await store.writer(key, signal === undefined ? {} : { signal });
    return {
      write: (bytes) => writer.write(bytes),
      abort: () => writer.abort(),
      finish: async () => {
        const { bytes, date } = await writer.finish();
        this.#record(object, { bytes, parts: 1 }, date);
      },
    };
  }

  /** Uploads what is left. After it every place is final. */
  async finish(): Promise<void> {
    await this.#running;
    if (this.#parts > 0) await this.#uploadPacked();
  }

  /** The final form of a place given before. */
  place(pending: PendingPlace): PartPlace {
    const object = this.#finished.get(pending.object);
    if (object === undefined) throw new Error(`object ${pending.object} is not uploaded yet`);
    return { ...pending, objectBytes: object.bytes, shared: object.parts > 1 };
  }

  async #writePieces(object: string, pieces: readonly Uint8Array[]): Promise<void> {
    const writer = await this.openObject(object);
    try {
      for (const bytes of joinedPieces(pieces)) await writer.write(bytes);
      await writer.finish();
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }

  async #uploadPacked(): Promise<void> {
    const { store, namespace, signal, clock } = this.#options;
    const object = this.#object;
    const [first] = this.#chunks;
    const isOne = first !== undefined && this.#chunks.length === 1;
    const body = isOne ? first : Buffer.concat(this.#chunks, this.#chunkBytes);
    const parts = this.#parts;
    this.#object = dataName(clock.randomId());
    this.#chunks = [];
    this.#chunkBytes = 0;
    this.#parts = 0;
    const key = dataKey(namespace, object);
    const { date } = await store.put(key, body, signal === undefined ? {} : { signal });
    this.#record(object, { bytes: body.length, parts }, date);
  }

  #record(object: string, finished: FinishedObject, date: number): void {
    this.#finished.set(object, finished);
    this.#earliest = Math.min(this.#earliest, date);
    this.#bytesWritten += finished.bytes;
  }
}

/** Small pieces put together, large ones as they are. */
function* joinedPieces(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  let small: Uint8Array[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    small.push(piece);
    bytes += piece.length;
    if (bytes < writeBytesMin) continue;
    yield small.length === 1 ? piece : Buffer.concat(small, bytes);
    small = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(small, bytes);
}

/** Gives the segment's entry; to be called after the upload is finished. */
export type PendingSegment = () => Omit<SegmentEntry, 'first'>;

interface SegmentTarget extends Pick<SegmentEntry, 'dictionary' | 'group' | 'base'> {
  /** Called when the pieces are not needed any more, however it went. */
  readonly free?: () => void;
}

/** Uploads a segment of these codes' group. */
export async function packSegment(
  written: SegmentInPieces,
  { dictionary, group, base, free }: SegmentTarget,
  upload: InsertUpload,
): Promise<PendingSegment> {
  const { pieces, length, checksum, index: within, count, hashMin, hashMax } = written;
  const { object, offset } = await upload.packPieces(pieces, length, free);
  const index = { start: offset + within.start, end: offset + within.end };
  const place = { object, offset, bytes: length, checksum, index };
  return () => ({
    dictionary,
    group,
    base,
    count,
    place: upload.place({ ...place, groupFirst: group, groupCount: 1 }),
    hashMin,
    hashMax,
  });
}
