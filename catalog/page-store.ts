// Reads pages through a cache and writes new ones. A page is read by its reference alone: what comes
// back must have the reference's digest, whoever stored it. The cache is keyed by store, key and
// digest, so that it may be shared by everything in a process and is never stale.

import { createHash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { MusterError } from '../base/errors.ts';
import { ByteLru } from '../base/lru.ts';
import { SingleFlight } from '../base/single-flight.ts';
import type { ObjectStore } from '../object-store/port.ts';
import { pageKey } from './keys.ts';
import { decodePage, type Page, type PageRef } from './page.ts';
import type { NamespaceId } from './schema.ts';

/** Decoded pages take about this many times their bytes. */
const decodedFactor = 4;

/** Decoded pages of any number of namespaces and stores. */
export class PageCache {
  readonly #pages: ByteLru<Page>;
  readonly #reads = new SingleFlight<Page>();

  constructor(bytesMax: number) {
    this.#pages = new ByteLru(bytesMax);
  }

  async get(key: string, pageBytes: number, read: () => Promise<Page>): Promise<Page> {
    const cached = this.#pages.get(key);
    if (cached !== undefined) return cached;
    const page = await this.#reads.run(key, read);
    this.#pages.set(key, page, pageBytes * decodedFactor);
    return page;
  }

  set(key: string, page: Page, pageBytes: number): void {
    this.#pages.set(key, page, pageBytes * decodedFactor);
  }
}

interface WrittenPage {
  readonly pageId: string;
  readonly pageBytes: number;
  readonly digest: string;
}

interface PageStoreParts {
  readonly store: ObjectStore;
  readonly cache: PageCache;
  readonly clock: Pick<Clock, 'randomId'>;
}

export class PageStore {
  readonly #parts: PageStoreParts;
  readonly #namespace: NamespaceId;

  constructor(parts: PageStoreParts, namespace: NamespaceId) {
    this.#parts = parts;
    this.#namespace = namespace;
  }

  /** The same pages and cache, read and written through another way to the store. */
  through(store: ObjectStore): PageStore {
    return new PageStore({ ...this.#parts, store }, this.#namespace);
  }

  /** One GET where the cache has not got it. CORRUPTED_DATA where the bytes are not the page's. */
  read(ref: PageRef): Promise<Page> {
    const { cache } = this.#parts;
    return cache.get(this.#cacheKey(ref), ref.pageBytes, () => this.#fetch(ref));
  }

  /** One PUT. `date` is the upload's, for the check against `sweptBefore`. */
  async write(page: Page, bytes: Uint8Array): Promise<WrittenPage & { readonly date: number }> {
    const { store, cache, clock } = this.#parts;
    const pageId = clock.randomId();
    const { date } = await store.put(pageKey(this.#namespace, pageId), bytes);
    const written = { pageId, pageBytes: bytes.length, digest: sha256(bytes) };
    cache.set(this.#cacheKey(written), page, bytes.length);
    return { ...written, date };
  }

  async #fetch(ref: PageRef): Promise<Page> {
    const key = pageKey(this.#namespace, ref.pageId);
    const reply = await this.#parts.store.read(key);
    if (reply === undefined) {
      throw new MusterError(
        'CORRUPTED_DATA',
        `corrupt catalog: page ${key} is referred to and gone`,
      );
    }
    if (sha256(reply.bytes) !== ref.digest) {
      throw new MusterError(
        'CORRUPTED_DATA',
        `corrupt page ${key}: it has not its reference's digest`,
      );
    }
    return decodePage(reply.bytes, `page ${key}`);
  }

  #cacheKey(page: WrittenPage): string {
    const key = pageKey(this.#namespace, page.pageId);
    return `${this.#parts.store.id} ${key} ${page.digest}`;
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
