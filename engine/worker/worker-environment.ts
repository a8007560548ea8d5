// All that a worker has besides the bytes of an invocation: the store, and caches that nothing
// correct depends on. Nothing else is shared with a root, wherever the worker runs.

import { type Clock, systemClock } from '../../base/clock.ts';
import { ByteLru } from '../../base/lru.ts';
import { SingleFlight } from '../../base/single-flight.ts';
import type { ObjectStore } from '../../object-store/port.ts';
import type { Column } from '../../storage-format/column.ts';
import { createDictionaryCaches, type DictionaryCaches } from '../dictionary/dictionary-reader.ts';
import type { RowSets } from './part-objects.ts';
import type { PartIndex } from '../../storage-format/part-index.ts';

/** Rows that a fragment's filter keeps, ascending; `columns` are those of the fragment. */
export type RowFilter = (filter: unknown, columns: readonly Column[]) => Uint32Array;

export interface WorkerCaches {
  readonly parts: ByteLru<PartIndex>;
  readonly sets: ByteLru<RowSets>;
  readonly dictionaries: DictionaryCaches;
  /** Parts being opened: slices that start together read an index once. */
  readonly opening: SingleFlight<PartIndex>;
}

export interface WorkerEnvironment {
  readonly store: ObjectStore;
  readonly caches: WorkerCaches;
  readonly clock: Clock;
  /** Evaluates Fragment.filter; without it a fragment with a filter is refused. */
  readonly filterRows?: RowFilter;
}

const defaultCacheBytes = 512 * 1024 * 1024;

/** `bytesMax` is shared out: indexes a quarter, sets a half, dictionaries a quarter. */
export function createWorkerCaches(bytesMax: number = defaultCacheBytes): WorkerCaches {
  return {
    parts: new ByteLru(Math.floor(bytesMax / 4)),
    sets: new ByteLru(Math.floor(bytesMax / 2)),
    dictionaries: createDictionaryCaches(Math.floor(bytesMax / 4)),
    opening: new SingleFlight(),
  };
}

export function createWorkerEnvironment(
  store: ObjectStore,
  options: { readonly filterRows?: RowFilter; readonly cacheBytesMax?: number } = {},
): WorkerEnvironment {
  const { filterRows, cacheBytesMax } = options;
  return {
    store,
    caches: createWorkerCaches(cacheBytesMax),
    clock: systemClock,
    ...(filterRows === undefined ? {} : { filterRows }),
  };
}
