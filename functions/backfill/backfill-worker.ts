// One worker of a backfill with its own connection to the store: what runs in each thread of the
// command line and in each function. Everything that it needs comes as plain data.

import { availableParallelism } from 'node:os';
import { systemClock } from '../../base/clock.ts';
import { openCatalog } from '../../catalog/catalog.ts';
import type { BackfillJob } from '../../engine/backfill/backfill-job.ts';
import {
  type BackfillEvent,
  runBackfill,
  type WorkerShare,
} from '../../engine/backfill/run-backfill.ts';
import { InProcessInvoker } from '../../engine/batch/in-process-invoker.ts';
import {
  createDictionaryCaches,
  type DictionaryCaches,
} from '../../engine/dictionary/dictionary-reader.ts';
import { Engine } from '../../engine/engine.ts';
import { createWorkerEnvironment } from '../../engine/worker/worker-environment.ts';
import { openStore } from '../../object-store/open-store.ts';
import type { ObjectStore } from '../../object-store/port.ts';
import { type FilePlace, openFiles } from './file-place.ts';

interface StorePlace {
  /** A directory or s3://bucket/prefix; probed by whoever starts workers. */
  readonly store: string;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
}

export interface BackfillWork {
  readonly store: StorePlace;
  readonly files: FilePlace;
  readonly job: BackfillJob;
  readonly share: WorkerShare;
  /** For the dictionaries of all workers that are started together. */
  readonly dictionaryBytesMax: number;
}

interface WorkerHooks {
  readonly signal: AbortSignal;
  readonly onEvent: (event: BackfillEvent) => void;
}

const cacheBytesMax = 64 * 1024 * 1024;

/** Over a store that is probed already. */
export async function runBackfillWorker(work: BackfillWork, hooks: WorkerHooks): Promise<void> {
  const clock = systemClock;
  const { store: url, endpoint, region } = work.store;
  const store = await openStore(url, { clock, endpoint, region, probe: false });
  const source = openFiles(work.files);
  try {
    const { job, share, dictionaryBytesMax } = work;
    const bytes = Math.floor(dictionaryBytesMax / share.of);
    // Workers that fill all cores need no other threads.
    const threads = share.of < availableParallelism() ? undefined : 1;
    const dictionaryCaches = createDictionaryCaches(bytes, threads);
    await overStore(store, dictionaryCaches, async (engine) => {
      await runBackfill({ engine, source, job, clock, share, ...hooks });
    });
  } finally {
    await source.close();
    await store.close();
  }
}

/** An engine in this thread. */
export async function overStore<T>(
  store: ObjectStore,
  dictionaryCaches: DictionaryCaches,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const clock = systemClock;
  const catalog = await openCatalog(store, { clock });
  const invoker = new InProcessInvoker(createWorkerEnvironment(store, { cacheBytesMax }));
  try {
    const options = { catalog, store, invoker, clock, cacheBytesMax, dictionaryCaches };
    return await work(new Engine(options));
  } finally {
    await invoker.close();
  }
}
