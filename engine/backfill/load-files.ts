// A few files into the table, in one commit that also says that they are finished: all of it happens
// or nothing. A file that is refused takes the whole attempt with it; the caller tries the others
// again without it.

import type { FinishedFile } from '../../catalog/commit.ts';
import type { TableSchema } from '../../catalog/schema.ts';
import { fileDigest } from '../../catalog/token-lookup.ts';
import { MusterError } from '../../base/errors.ts';
import type { InsertBlock } from '../ingest/insert-block.ts';
import { InsertWriter } from '../ingest/insert-writer.ts';
import { checkRunning, type QueryContext } from '../query-context.ts';
import type { BackfillJob } from './backfill-job.ts';
import type { BadRow } from './decoded-sets.ts';
import { readFile } from './file-rows.ts';
import { FinishingCatalog } from './finishing-catalog.ts';
import { byteString, type SourceFile } from './source-files.ts';

export interface FileProblem {
  readonly file: string;
  /** From 1; absent: the file as a whole. */
  readonly row?: number;
  readonly column?: string;
  readonly reason: string;
}

/** Rows and memberships that were read; of an attempt that may still fail. */
export interface Amount {
  readonly rows: number;
  readonly members: number;
}

type LoadOutcome =
  | {
      readonly kind: 'committed';
      readonly loaded: Amount;
      /** Rows that were left out. */
      readonly problems: readonly FileProblem[];
    }
  /** Somebody else finished one of the files meanwhile. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly file: SourceFile; readonly problem: FileProblem };

interface LoadOptions {
  readonly job: BackfillJob;
  readonly context: QueryContext;
  readonly onRead: (read: Amount) => void;
}

/** Throws what is no file's fault: the store, the table, the signal. */
export async function loadFiles(
  files: readonly SourceFile[],
  { job, context, onRead }: LoadOptions,
): Promise<LoadOutcome> {
  const snapshot = await context.snapshot(job.database);
  const table = requireTarget(job, snapshot.tables);
  const finished: FinishedFile[] = [];
  const catalog = new FinishingCatalog(context.catalog, () => finished);
  const writer = new InsertWriter({
    context: { ...context, catalog: catalog.catalog },
    database: job.database,
    namespace: snapshot.namespace,
    table,
    codesFirst: true,
  });
  const problems: FileProblem[] = [];
  let loaded: Amount = { rows: 0, members: 0 };
  for (const file of files) {
    const onBad = job.onError === 'stop' ? undefined : reportedRows(file, problems);
    const reading = readFile(file, { job, table, context, onBad });
    let rows = 0;
    try {
      for (;;) {
        checkRunning(context);
        const next = await nextBlock(reading, file);
        if ('problem' in next) return { kind: 'refused', file, problem: next.problem };
        if (next.done) break;
        const read = { rows: next.block.rows, members: membersOf(next.block) };
        rows += read.rows;
        loaded = { rows: loaded.rows + read.rows, members: loaded.members + read.members };
        onRead(read);
        await writer.add(next.block);
      }
    } finally {
      await reading.return(undefined);
    }
    finished.push({
      table: table.id,
      job: byteString(job.name),
      digest: fileDigest(file.name),
      bytes: file.bytes,
      rows,
    });
  }
  await writer.commit();
  const { deadline, signal } = context;
  if (catalog.outcome === undefined) await catalog.commitFiles(job.database, { deadline, signal });
  return catalog.outcome === 'taken' ? { kind: 'taken' } : { kind: 'committed', loaded, problems };
}

export function requireTarget(
  { database, table }: BackfillJob,
  tables: ReadonlyMap<string, TableSchema>,
): TableSchema {
  const found = tables.get(table);
  if (found !== undefined) return found;
  throw new MusterError('UNKNOWN_TABLE', `Table ${database}.${table} does not exist`);
}

/** With more bad rows a file is not what somebody believes it to be: it is refused as a whole. */
const badRowsMax = 10_000;

/** Takes bad rows of a file down, to be left out. */
export function reportedRows(
  file: SourceFile,
  problems: FileProblem[],
): (bad: readonly BadRow[]) => void {
  let count = 0;
  return (bad) => {
    count += bad.length;
    const last = bad.at(-1);
    if (count > badRowsMax && last !== undefined) {
      const { reason, ...place } = last;
      const message = `more than ${badRowsMax} bad rows, the last one: ${reason}`;
      throw new MusterError('INCORRECT_DATA', message, { place });
    }
    problems.push(...bad.map((row) => ({ file: file.name, ...row })));
  };
}

/** What reading throws is the file's fault, unless it is one of the store's that may pass. */
export function problemOf(error: unknown, file: SourceFile): FileProblem {
  // Bytes that promise more than memory holds.
  if (error instanceof RangeError) return { file: file.name, reason: error.message };
  if (!(error instanceof MusterError) || isPassing(error)) throw error;
  const { place, message } = error;
  return { file: file.name, ...place, reason: message };
}

type NextBlock =
  | { readonly done: true }
  | { readonly done: false; readonly block: InsertBlock }
  | { readonly problem: FileProblem };

async function nextBlock(
  reading: AsyncIterator<InsertBlock>,
  file: SourceFile,
): Promise<NextBlock> {
  try {
    const next = await reading.next();
    return next.done === true ? { done: true } : { done: false, block: next.value };
  } catch (error) {
    return { problem: problemOf(error, file) };
  }
}

function isPassing({ action }: MusterError): boolean {
  return action === 'retry' || action === 'alarm' || action === 'redo';
}

function membersOfColumn(column: InsertBlock['columns'][number]): number {
  if (column.kind === 'lists') return column.lists.ids.values.length;
  return column.kind === 'ids' ? column.ids.ordinals.length : 0;
}

function membersOf({ columns }: InsertBlock): number {
  return columns.reduce((sum, column) => sum + membersOfColumn(column), 0);
}
