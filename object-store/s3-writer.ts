// A streamed upload to S3: parts of 8 MiB, a few in flight; an object that fits one part is a
// single PUT. Nothing is visible before `finish`.
//
// A failed or abandoned upload is aborted. If the abort fails as well, or the process dies, S3 keeps
// the parts (and bills them) until the bucket's AbortIncompleteMultipartUpload rule removes them.

import { assert, defined } from '../base/assert.ts';
import type { CallOptions, ObjectKey, ObjectWriter } from './port.ts';
import type { S3Part } from './s3-client.ts';
import { storeError } from './s3-advice.ts';
import { S3Failure } from './s3-failure.ts';
import { repeatedly, type S3Session, sizeIfPresent } from './s3-session.ts';
import { nameTaken } from './store-errors.ts';

const partBytes = 8 * 1024 * 1024;
const partsInFlightMax = 3;

interface S3WriterTarget {
  readonly key: ObjectKey;
  readonly options: CallOptions;
  /** Uploads a small object whole. */
  readonly put: (body: Uint8Array) => Promise<{ readonly date: number }>;
}

interface Upload {
  readonly uploadId: string;
  readonly date: number;
}

export class S3Writer implements ObjectWriter {
  readonly #session: S3Session;
  readonly #target: S3WriterTarget;
  #buffer = new Uint8Array(64 * 1024);
  #buffered = 0;
  #bytes = 0;
  #upload: Upload | undefined;
  #state: 'open' | 'finished' | 'failed' = 'open';
  readonly #parts: S3Part[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  #partFailure: { readonly error: unknown } | undefined;
  #partNumber = 0;

  constructor(session: S3Session, target: S3WriterTarget) {
    this.#session = session;
    this.#target = target;
  }

  async write(bytes: Uint8Array): Promise<void> {
    assert(this.#state === 'open', `write to a closed writer of ${this.#target.key}`);
    await this.#guarded(async () => {
      let taken = 0;
      while (taken < bytes.length) {
        if (this.#buffered === partBytes) await this.#sendPart();
        const count = Math.min(bytes.length - taken, partBytes - this.#buffered);
        this.#append(bytes.subarray(taken, taken + count));
        taken += count;
      }
      this.#bytes += bytes.length;
    });
  }

  async finish(): Promise<{ readonly bytes: number; readonly date: number }> {
    assert(this.#state === 'open', `second finish of ${this.#target.key}`);
    return await this.#guarded(async () => {
      const date = await this.#publish();
      this.#state = 'finished';
      return { bytes: this.#bytes, date };
    });
  }

  async abort(): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'failed';
    await this.#abortUpload();
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#state = 'failed';
      await this.#abortUpload();
      throw storeError(error, this.#session.place);
    }
  }

  #append(bytes: Uint8Array): void {
    const needed = this.#buffered + bytes.length;
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.min(partBytes, Math.max(needed, 2 * this.#buffer.length)));
      larger.set(this.#buffer.subarray(0, this.#buffered));
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#buffered);
    this.#buffered += bytes.length;
  }

  /** Starts the upload of what is buffered; waits while too many parts are in flight. */
  async #sendPart(): Promise<void> {
    this.#upload ??= await this.#request(0, (signal) =>
      this.#session.requests.createUpload(this.#path(), signal),
    );
    const body = this.#buffer.subarray(0, this.#buffered);
    this.#buffer = new Uint8Array(partBytes);
    this.#buffered = 0;
    const number = ++this.#partNumber;
    const sending = this.#uploadPart(number, body).finally(() => this.#inFlight.delete(sending));
    this.#inFlight.add(sending);
    while (this.#inFlight.size >= partsInFlightMax) await Promise.race(this.#inFlight);
    this.#throwPartFailure();
  }

  /** Never rejects: a failure is kept and thrown by the next call. */
  async #uploadPart(number: number, body: Uint8Array): Promise<void> {
    const { uploadId } = defined(this.#upload, 'an upload');
    const target = { key: this.#path(), uploadId, number };
    try {
      const part = await this.#request(body.length, (signal) =>
        this.#session.requests.uploadPart(target, body, signal),
      );
      this.#parts.push(part);
    } catch (error) {
      this.#partFailure ??= { error };
    }
  }

  #throwPartFailure(): void {
    if (this.#partFailure !== undefined) throw this.#partFailure.error;
  }

  /** The date of the upload. */
  async #publish(): Promise<number> {
    if (this.#upload === undefined) {
      return (await this.#target.put(this.#buffer.subarray(0, this.#buffered))).date;
    }
    await this.#sendPart();
    await Promise.all(this.#inFlight);
    this.#throwPartFailure();
    await this.#complete(this.#upload);
    return this.#upload.date;
  }

  /**
   * A lost reply shows as "the key exists" or "no such upload", and an error, also one inside a 200,
   * may be of a completion that was done: then the object's size decides.
   */
  async #complete(upload: Upload): Promise<void> {
    const parts = this.#parts.sort((a, b) => a.number - b.number);
    const target = { key: this.#path(), uploadId: upload.uploadId };
    try {
      await this.#request(0, (signal) =>
        this.#session.requests.completeUpload(target, parts, signal),
      );
    } catch (error) {
      if (!(error instanceof S3Failure) || error.kind === 'refused') throw error;
      const isLost = error.kind === 'precondition' || error.kind === 'absent';
      if (!isLost && (await this.#size()) === undefined) throw error;
    }
    if ((await this.#size()) !== this.#bytes) throw nameTaken(this.#target.key);
  }

  async #size(): Promise<number | undefined> {
    return await sizeIfPresent(this.#session, this.#target.key, this.#target.options);
  }

  async #abortUpload(): Promise<void> {
    await Promise.all(this.#inFlight);
    const upload = this.#upload;
    if (upload === undefined) return;
    const target = { key: this.#path(), uploadId: upload.uploadId };
    try {
      await repeatedly(this.#session, { request: 'remove', bytes: 0 }, (signal) =>
        this.#session.requests.abortUpload(target, signal),
      );
    } catch {
      // See the file's header: the bucket's rule cleans up.
    }
  }

  async #request<T>(bytes: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limits = { request: 'write', bytes, ...this.#target.options } as const;
    return await repeatedly(this.#session, limits, work);
  }

  #path(): string {
    return this.#session.prefix + this.#target.key;
  }
}
