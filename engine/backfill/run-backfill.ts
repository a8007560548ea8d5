// One worker of a backfill: takes files that nobody has finished, a few at a time, until none is left.
// Any number of workers may run it at once, here or elsewhere, and may be killed at any time: what
// is finished is in the catalog, committed with its rows. Workers don't talk to each other. Files come
// in runs that are cut alike by all of them (file-runs.ts); where two load the same run, one of the two
// commits is refused and its rows are dropped.

import { MusterError } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { FinishedFileRow } from '../../catalog/row.ts';
import { fileDigest } from '../../catalog/token-lookup.ts';
import type { Engine } from '../engine.ts';
import type { QueryContext } from '../query-context.ts';
import type { BackfillJob } from './backfill-job.ts';
import { type FileRun, firstRun, nextRun, runsOf, withoutFiles } from './file-runs.ts';
import { type Amount, type FileProblem, loadFiles, requireTarget } from './load-files.ts';
import { byteString, type FileSource, type SourceFile } from './source-files.ts';

export type BackfillEvent =
  | { readonly kind: 'listed'; readonly files: number; readonly bytes: number }
  /** Read, but not yet committed; `Amount`s of attempts that fail are counted all the same. */
  | ({ readonly kind: 'read' } & Amount)
  /** By this worker; `bytes` of the files. */
  | ({ readonly kind: 'loaded'; readonly files: number; readonly bytes: number } & Amount)
  /** Neither finished nor refused, as far as this worker knows. */
  | { readonly kind: 'left'; readonly files: number; readonly bytes: number }
  /** Before this worker, or by others meanwhile. */
  | { readonly kind: 'known'; readonly files: number; readonly bytes: number }
  | { readonly kind: 'problem'; readonly problem: FileProblem };

interface BackfillOptions {
  readonly engine: Engine;
  readonly source: FileSource;
  readonly job: BackfillJob;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Of the workers that are started together, which one this is. */
  readonly share: WorkerShare;
  readonly onEvent: (event: BackfillEvent) => void;
}

export interface WorkerShare {
  readonly index: number;
  readonly of: number;
}

/** With `onError` 'stop' the first refused file is thrown, as INCORRECT_DATA with its place. */
export async function runBackfill(options: BackfillOptions): Promise<void> {
  const { source, signal, onEvent } = options;
  const files = await source.list(signal);
  onEvent({ kind: 'listed', files: files.length, bytes: bytesOf(files) });
  await new BackfillWorker(options, files).run();
}

class BackfillWorker {
  readonly #options: BackfillOptions;
  /** Neither finished nor refused; empty runs are gone. */
  #runs: readonly FileRun[];
  #hasBegun = false;
  /** The run that was taken last, unless somebody else had it too. */
  #last: number | undefined;

  constructor(options: BackfillOptions, files: readonly SourceFile[]) {
    this.#options = options;
    this.#runs = runsOf(files);
  }

  get #left(): readonly SourceFile[] {
    return this.#runs.flatMap(({ files }) => files);
  }

  async run(): Promise<void> {
    for (;;) {
      await this.#dropFinished();
      if (this.#runs.length === 0) return;
      await this.#load(this.#next());
    }
  }

  async #dropFinished(): Promise<void> {
    const { job, onEvent } = this.#options;
    const finished = await this.#within(async (context) => {
      const snapshot = await context.snapshot(job.database);
      const table = requireTarget(job, snapshot.tables);
      return await snapshot.finishedFiles(table.id, byteString(job.name));
    });
    const known = this.#left.filter((file) => isFinished(file, finished, job));
    if (known.length > 0) {
      this.#drop(known);
      onEvent({ kind: 'known', files: known.length, bytes: bytesOf(known) });
    }
    onEvent({ kind: 'left', files: this.#left.length, bytes: bytesOf(this.#left) });
  }

  #next(): readonly SourceFile[] {
    const { clock, share } = this.#options;
    const run = this.#hasBegun
      ? nextRun(this.#runs, this.#last, clock.random())
      : firstRun(this.#runs, share, clock.random());
    this.#hasBegun = true;
    this.#last = run.index;
    return run.files;
  }

  async #load(files: readonly SourceFile[]): Promise<void> {
    const { job, onEvent } = this.#options;
    let batch = files;
    while (batch.length > 0) {
      const outcome = await this.#within((context) => {
        const onRead = (read: Amount): void => onEvent({ kind: 'read', ...read });
        return loadFiles(batch, { job, context, onRead });
      });
      if (outcome.kind === 'taken') {
        this.#last = undefined;
        return;
      }
      if (outcome.kind === 'committed') {
        const { loaded, problems } = outcome;
        for (const problem of problems) onEvent({ kind: 'problem', problem });
        onEvent({ kind: 'loaded', files: batch.length, bytes: bytesOf(batch), ...loaded });
        this.#drop(batch);
        return;
      }
      const { file, problem } = outcome;
      onEvent({ kind: 'problem', problem });
      if (job.onError === 'stop') throw refused(problem);
      this.#drop([file]);
      batch = batch.filter((other) => other !== file);
    }
  }

  #drop(files: readonly SourceFile[]): void {
    this.#runs = withoutFiles(this.#runs, files);
  }

  #within<T>(work: (context: QueryContext) => Promise<T>): Promise<T> {
    const { engine, job, clock, signal } = this.#options;
    const settings = new Map(Object.entries(job.settings));
    const request = {
      queryId: clock.randomId(),
      text: job.select ?? '',
      database: job.database,
      parameters: new Map<string, string>(),
      settings,
      signal,
    };
    return engine.within(request, work);
  }
}

/** A file of the name that was finished with another size is another file: that is refused. */
function isFinished(
  file: SourceFile,
  finished: ReadonlyMap<string, FinishedFileRow>,
  { name }: BackfillJob,
): boolean {
  const known = finished.get(fileDigest(file.name));
  if (known === undefined) return false;
  if (known.bytes === file.bytes) return true;
  throw new MusterError(
    'BAD_ARGUMENTS',
    `${file.name} was loaded by job '${name}' when it had ${known.bytes} bytes, and has ${file.bytes} now: give another job's name to load it again`,
  );
}

function refused({ file, row, column, reason }: FileProblem): MusterError {
  const place =
    row === undefined ? {} : { place: { row, ...(column === undefined ? {} : { column }) } };
  const where = row === undefined ? file : `${file}, row ${row}`;
  const named = column === undefined ? where : `${where}, column ${column}`;
  return new MusterError('INCORRECT_DATA', `${named}: ${reason}`, place);
}

function bytesOf(files: readonly SourceFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
