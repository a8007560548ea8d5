// What a backfill would do, without doing it: every file is read and its sets are decoded, the ids
// are looked up, nothing is written. Holds every distinct id in memory, some twenty bytes each.

import { fileDigest } from '../../catalog/token-lookup.ts';
import type { ColumnSchema, DictionaryId, TableSchema } from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { DataObjects } from '../dictionary/data-objects.ts';
import { DictionaryReader } from '../dictionary/dictionary-reader.ts';
import { dictionaryRef } from '../dictionary/dictionary-ref.ts';
import { createInternTable, type InternTable } from '../dictionary/intern-table.ts';
import type { InsertBlock } from '../ingest/insert-block.ts';
import { checkRunning, type QueryContext } from '../query-context.ts';
import type { BackfillJob } from './backfill-job.ts';
import { listsOf } from './decoded-sets.ts';
import { readFile } from './file-rows.ts';
import { type FileProblem, problemOf, reportedRows, requireTarget } from './load-files.ts';
import { byteString, type SourceFile } from './source-files.ts';

interface DryRun {
  readonly files: number;
  /** Finished by the job before: they would not be read. */
  readonly known: number;
  readonly bytes: number;
  readonly rows: number;
  /** Ids of all rows, each row's counted once. */
  readonly memberships: number;
  readonly ids: number;
  /** Undefined where ids are numbered by columns: then each group has its own. */
  readonly newIds: number | undefined;
  readonly problems: readonly FileProblem[];
}

/** Goes on after bad rows and files, whatever the job says: all of them are told. */
export async function dryRun(
  files: readonly SourceFile[],
  job: BackfillJob,
  context: QueryContext,
): Promise<DryRun> {
  const snapshot = await context.snapshot(job.database);
  const table = requireTarget(job, snapshot.tables);
  const finished = await snapshot.finishedFiles(table.id, byteString(job.name));
  const left = files.filter(({ name }) => !finished.has(fileDigest(name)));
  const tally = new Tally(table, snapshot);
  const problems: FileProblem[] = [];
  for (const file of left) {
    const onBad = reportedRows(file, problems);
    const reading = readFile(file, { job, table, context, onBad });
    try {
      for await (const block of reading) {
        checkRunning(context);
        tally.add(block);
      }
    } catch (error) {
      problems.push(problemOf(error, file));
    }
  }
  const { rows, memberships, ids } = tally;
  return {
    files: left.length,
    known: files.length - left.length,
    bytes: left.reduce((sum, { bytes }) => sum + bytes, 0),
    rows,
    memberships,
    ids,
    newIds: await tally.newIds(snapshot, context),
    problems,
  };
}

class Tally {
  readonly #sets: readonly (readonly [at: number, table: InternTable])[];
  readonly #tables = new Map<DictionaryId, InternTable>();
  rows = 0;
  memberships = 0;

  constructor({ columns }: TableSchema, snapshot: Snapshot) {
    this.#sets = columns.flatMap((column, at) => {
      const table = this.#tableOf(column, snapshot);
      return table === undefined ? [] : [[at, table] as const];
    });
  }

  get ids(): number {
    return [...this.#tables.values()].reduce((sum, { count }) => sum + count, 0);
  }

  add({ rows, columns }: InsertBlock): void {
    this.rows += rows;
    for (const [at, table] of this.#sets) {
      const column = columns[at];
      if (column?.kind !== 'ids' && column?.kind !== 'lists') continue;
      const { keys, ordinals } = listsOf(column);
      this.memberships += ordinals.length;
      table.intern(keys, new Uint32Array(keys.values.length));
    }
  }

  async newIds(snapshot: Snapshot, context: QueryContext): Promise<number | undefined> {
    const data = new DataObjects(context.store, snapshot.namespace, context.signal);
    const reader = new DictionaryReader(data, context.dictionaryCaches);
    let fresh = 0;
    for (const [dictionary, table] of this.#tables) {
      if (snapshot.dictionaries.get(dictionary)?.groupBy.rule === 'columns') return undefined;
      const found = await reader.encode(table.keys(), await dictionaryRef(snapshot, dictionary));
      fresh += found.known.reduce((sum, known) => sum + 1 - known, 0);
    }
    return fresh;
  }

  #tableOf({ dictionary }: ColumnSchema, snapshot: Snapshot): InternTable | undefined {
    if (dictionary === undefined) return undefined;
    const domain = snapshot.dictionaries.get(dictionary)?.domain ?? 'integer';
    const table = this.#tables.get(dictionary) ?? createInternTable(domain);
    this.#tables.set(dictionary, table);
    return table;
  }
}
