// `muster backfill`: files with rows or sets of other systems into a table, in several threads. What is
// finished is in the store, so that it can be stopped, killed and started again, here or elsewhere.

import { availableParallelism } from 'node:os';
import { systemClock } from '../../../base/clock.ts';
import { MusterError } from '../../../base/errors.ts';
import { refuseForeignStore } from '../../../catalog/catalog.ts';
import type { BackfillJob } from '../../../engine/backfill/backfill-job.ts';
import { dryRun } from '../../../engine/backfill/dry-run.ts';
import { forgetJob } from '../../../engine/backfill/forget-job.ts';
import { createDictionaryCaches } from '../../../engine/dictionary/dictionary-reader.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { QueryContext } from '../../../engine/query-context.ts';
import { openStore } from '../../../object-store/open-store.ts';
import { overStore } from '../../backfill/backfill-worker.ts';
import { runBackfillThreads } from '../../backfill/backfill-threads.ts';
import { type FilePlace, openFiles } from '../../backfill/file-place.ts';
import { refuseMissingDirectory } from '../connection/existing-directory.ts';
import { exitCodes, SilentExit } from '../exit-codes.ts';
import { bytesText, countText } from '../quantities.ts';
import { storeOptionsOf } from '../serve-configuration.ts';
import type { Call } from '../subcommands.ts';
import { say } from '../terminal.ts';
import { BackfillProgress } from './backfill-progress.ts';
import { filesOf, jobOf } from './job-options.ts';
import { ProblemReport } from './problem-report.ts';

/** Of all threads: twenty-seven bytes an id. Other ids are looked up on disk, which takes longer. */
const dictionaryBytesMax = 1024 * 1024 * 1024;

export async function backfill({ configuration, operands }: Call): Promise<number> {
  const store = storeOptionsOf(configuration);
  refuseMissingDirectory(store.store);
  const job = jobOf(configuration, operands);
  const files = filesOf(configuration, operands);
  const report = ProblemReport.open(configuration.text('report'));
  const isDry = configuration.switched('dryRun') === true;
  const isForgetting = configuration.switched('forget') === true;
  if (isDry || isForgetting) {
    return await withEngine(store, (engine) =>
      isDry ? tryOut(engine, { job, files, report }) : forget(engine, job),
    );
  }
  await withEngine(store, (engine) => checkTarget(engine, job));
  const threads = configuration.number('workers') ?? Math.min(8, availableParallelism());
  const progress = new BackfillProgress({ stream: process.stderr, clock: systemClock });
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt);
  try {
    await runBackfillThreads(
      { store, files, job, dictionaryBytesMax },
      {
        threads: Math.max(1, threads),
        signal: stop.signal,
        onEvent: (thread, event) => {
          if (event.kind === 'problem') report.add(event.problem);
          progress.on(thread, event);
        },
      },
    );
  } catch (error) {
    progress.clear();
    say(progress.summary());
    if (stop.signal.aborted) throw new SilentExit(exitCodes.interrupted);
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
    progress.clear();
    report.close();
  }
  say(progress.summary());
  if (report.count === 0) return exitCodes.ok;
  say(`${countText(report.count, 'row or file')} left out${report.where}.\n`);
  return exitCodes.incomplete;
}

interface StoreWish {
  readonly store: string;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
}

/** Over a store that is probed here. */
async function withEngine<T>(
  { store: url, endpoint, region }: StoreWish,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const clock = systemClock;
  const store = await openStore(url, { clock, endpoint, region, inspect: refuseForeignStore });
  try {
    return await overStore(store, createDictionaryCaches(dictionaryBytesMax), work);
  } finally {
    await store.close();
  }
}

async function within<T>(
  engine: Engine,
  { database, settings }: BackfillJob,
  work: (context: QueryContext) => Promise<T>,
): Promise<T> {
  const request = {
    queryId: systemClock.randomId(),
    text: '',
    database,
    parameters: new Map<string, string>(),
    settings: new Map(Object.entries(settings)),
  };
  return await engine.within(request, work);
}

/** Before threads are started: one sentence, where the table isn't there. */
async function checkTarget(engine: Engine, job: BackfillJob): Promise<void> {
  const { tables } = await within(engine, job, (context) => context.snapshot(job.database));
  if (tables.has(job.table)) return;
  throw new MusterError('UNKNOWN_TABLE', `Table ${job.database}.${job.table} does not exist`);
}

interface TryOut {
  readonly job: BackfillJob;
  readonly files: FilePlace;
  readonly report: ProblemReport;
}

async function tryOut(engine: Engine, { job, files, report }: TryOut): Promise<number> {
  const source = openFiles(files);
  try {
    const found = await within(engine, job, async (context) =>
      dryRun(await source.list(context.signal), job, context),
    );
    for (const problem of found.problems) report.add(problem);
    const fresh = found.newIds === undefined ? '' : `, ${countText(found.newIds, 'of them')} new`;
    say(
      `${countText(found.files, 'file')} to load (${bytesText(found.bytes)}), ${found.known} loaded before.\n` +
        `${countText(found.rows, 'row')}, ${countText(found.memberships, 'membership')}, ` +
        `${countText(found.ids, 'id')}${fresh.replace('of thems', 'of them')}.\n`,
    );
    if (report.count === 0) return exitCodes.ok;
    say(`${countText(report.count, 'row or file')} would be left out${report.where}.\n`);
    return exitCodes.incomplete;
  } finally {
    report.close();
    await source.close();
  }
}

async function forget(engine: Engine, job: BackfillJob): Promise<number> {
  const files = await within(engine, job, (context) => forgetJob(job, context));
  say(`Job '${job.name}': ${countText(files, 'file')} forgotten; their rows stay.\n`);
  return exitCodes.ok;
}
