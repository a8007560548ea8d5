// What scans keep between queries: opened part indexes, scalar columns and the row order of merged
// tables. All of it is derived from immutable objects, so an entry is never stale; the cache is
// bounded in bytes and nothing correct depends on what it holds.

import { ByteLru } from '../../base/lru.ts';

export class ScanCache {
  readonly #entries: ByteLru<unknown>;

  constructor(bytesMax: number) {
    this.#entries = new ByteLru(bytesMax);
  }

  /** `kind` names the type of the value: a kind holds values of one type only. */
  get<T>(kind: string, key: string): T | undefined {
    return this.#entries.get(`${kind}:${key}`) as T | undefined;
  }

  set(kind: string, key: string, value: unknown, bytes: number): void {
    this.#entries.set(`${kind}:${key}`, value, bytes);
  }
}
