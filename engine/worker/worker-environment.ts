// All that a worker has besides the bytes of an invocation: the store, and caches that nothing
// correct depends on. Nothing else is shared with a root, wherever the worker runs.

import { type Clock, systemClock } from '../../base/clock.ts';
import { ByteLru } from '../../base/lru.ts';
import { SingleFlight } from '../../base/single-flight.ts';
import type { ObjectStore } from '../../object-store/port.ts';
import type { Column } from '../../storage-format/column.ts';
import type { PartIndex } from '../../storage-format/part-index.ts';
import type { StoredSlices } from '../../storage-format/stored-slices.ts';
import type { GroupedRows } from './grouped-rows.ts';
import { createDictionaryCaches, type DictionaryCaches } from '../dictionary/dictionary-reader.ts';

export interface WorkerCaches {
  readonly parts: ByteLru<PartIndex>;
  readonly sets: ByteLru<StoredSlices>;
  /** Whole scalar columns of parts. */
  readonly columns: ByteLru<Column>;
  /** Sets that were made of rows, for the dispatches of a query that ask about them. */
  readonly groups: ByteLru<GroupedRows>;
  readonly dictionaries: DictionaryCaches;
  /** Parts being opened: slices that start together read an index once. */
  readonly opening: SingleFlight<PartIndex>;
}

/** Who works here, as usage and traces tell it. */
export interface WorkerIdentity {
  readonly name: string;
  /** Where memory is paid for by size, else 0. */
  readonly memoryMb: number;
}

export interface WorkerEnvironment {
  readonly identity: WorkerIdentity;
  readonly store: ObjectStore;
  readonly caches: WorkerCaches;
  readonly clock: Clock;
}

const defaultCacheBytes = 512 * 1024 * 1024;

/** `bytesMax` in sixteenths: stored sets five, sets made of rows one, dictionaries and columns four each, indexes two. */
export function createWorkerCaches(bytesMax: number = defaultCacheBytes): WorkerCaches {
  return {
    parts: new ByteLru(Math.floor(bytesMax / 8)),
    columns: new ByteLru(Math.floor(bytesMax / 4)),
    sets: new ByteLru(Math.floor((5 * bytesMax) / 16)),
    groups: new ByteLru(Math.floor(bytesMax / 16)),
    dictionaries: createDictionaryCaches(Math.floor(bytesMax / 4)),
    opening: new SingleFlight(),
  };
}

interface EnvironmentOptions {
  readonly cacheBytesMax?: number | undefined;
  readonly identity?: WorkerIdentity | undefined;
  readonly clock?: Clock;
}

export function createWorkerEnvironment(
  store: ObjectStore,
  options: EnvironmentOptions = {},
): WorkerEnvironment {
  return {
    identity: options.identity ?? { name: `process ${process.pid}`, memoryMb: 0 },
    store,
    caches: createWorkerCaches(options.cacheBytesMax),
    clock: options.clock ?? systemClock,
  };
}
