// The rows of one file, as columns of the table: read, sets decoded, the path's columns added, then
// mapped by name or through the job's SELECT. Everything streams.

import { MusterError } from '../../base/errors.ts';
import type { ColumnSchema, TableSchema } from '../../catalog/schema.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import { readParquet } from '../formats/parquet/parquet-input.ts';
import { type BadInputRow, readInput } from '../formats/read-input.ts';
import type { InsertBlock, InsertColumn } from '../ingest/insert-block.ts';
import { fillColumns } from '../ingest/target-columns.ts';
import { repeat } from '../library/columns/take.ts';
import type { InputSource, QueryContext } from '../query-context.ts';
import { runSelect } from '../root/run-select.ts';
import { parseStatement } from '../sql/statement-parser.ts';
import type { BackfillJob } from './backfill-job.ts';
import { type BadRow, decodedColumns, decodeSets } from './decoded-sets.ts';
import { openArrow } from './arrow-rows.ts';
import { columnsOfFile } from './file-columns.ts';
import { formOfFile } from './file-format.ts';
import { openNative } from './native-rows.ts';
import { parquetColumns } from './parquet-columns.ts';
import { SkippedRows } from './skipped-rows.ts';
import { byteString, type PathColumn, pathColumns, type SourceFile } from './source-files.ts';
import { unpacked } from './unpacked-bytes.ts';

interface FileReading {
  readonly job: BackfillJob;
  readonly table: TableSchema;
  readonly context: QueryContext;
  /** Told of rows that are left out; what it throws ends the file. Absent: the first one does. */
  readonly onBad?: ((bad: readonly BadRow[]) => void) | undefined;
}

/** Blocks with one column per column of the table. Throws what the file is refused for. */
export async function* readFile(
  file: SourceFile,
  reading: FileReading,
): AsyncGenerator<InsertBlock> {
  const path = [
    ...pathColumns(file.name),
    { name: '_path', value: byteString(file.name) },
    { name: '_file', value: byteString(file.name.split('/').at(-1) ?? '') },
  ];
  const opened = await openFile(file, path, reading);
  try {
    const rows = withPath(opened, path, reading);
    yield* reading.job.select === undefined
      ? mapByName(rows, reading)
      : mapBySelect(rows, reading.job.select, reading);
  } finally {
    await opened.close();
  }
}

interface Rows {
  readonly columns: readonly NamedType[];
  readonly blocks: AsyncIterable<InsertBlock>;
}

interface OpenedRows extends Rows {
  close(): Promise<void>;
}

async function openFile(
  file: SourceFile,
  path: readonly PathColumn[],
  { job, table, context, onBad }: FileReading,
): Promise<OpenedRows> {
  const { format, packing } = formOfFile(file.name, job.format);
  const { signal, functions } = context;
  const settings = context.settings.raw;
  const request = { job, table, fromPath: new Set(path.map(({ name }) => name)) };
  const skipped = new SkippedRows();
  const hooks = { onBad: onBad ?? refuseRows, rowOf: (row: number) => skipped.rowOf(row) };
  const finish = (
    { read, sets }: ReturnType<typeof columnsOfFile>,
    blocks: AsyncIterable<InsertBlock>,
  ) => ({
    columns: decodedColumns(read, sets),
    blocks: decodeSets(blocks, sets, hooks),
  });
  if (format === 'Parquet') {
    if (packing !== 'none') {
      throw new MusterError(
        'BAD_ARGUMENTS',
        `${file.name}: Parquet is packed inside, not as a file`,
      );
    }
    const access = await file.open(signal);
    const own = await parquetColumns(access);
    const columns = columnsOfFile(own, { ...request, isText: false });
    const blocks = readParquet({ access, columns: columns.read, settings, functions, signal });
    return { ...finish(columns, blocks), close: () => access.close() };
  }
  if (format === 'Native') {
    const opened = await openNative(unpacked(file.read(signal), packing), request);
    return { ...finish(opened.columns, opened.blocks), close: async () => {} };
  }
  if (format === 'Arrow' || format === 'ArrowStream') {
    const opened = await openArrow(unpacked(file.read(signal), packing), request);
    return { ...finish(opened.columns, opened.blocks), close: async () => {} };
  }
  const isText = !format.startsWith('RowBinary');
  const columns = columnsOfFile(undefined, { ...request, isText });
  const body = unpacked(file.read(signal), packing);
  const onBadRow = (bad: BadInputRow): void => {
    skipped.add(bad.row);
    onBad?.([bad]);
  };
  const skips = onBad === undefined ? {} : { onBadRow };
  const blocks = readInput({ format, columns: columns.read, body, settings, signal, ...skips });
  return { ...finish(columns, blocks), close: async () => {} };
}

/** The first bad row ends the file. */
function refuseRows(bad: readonly BadRow[]): void {
  const [first] = bad;
  if (first === undefined) return;
  const { reason, ...place } = first;
  throw new MusterError('INCORRECT_DATA', reason, { place });
}

/** The file's own columns hide the path's of the same name. */
function withPath(rows: Rows, path: readonly PathColumn[], { job, table }: FileReading): Rows {
  const isWanted = (name: string): boolean =>
    job.select !== undefined || table.columns.some((column) => column.name === name);
  const own = new Set(rows.columns.map(({ name }) => name));
  const added = path.filter(({ name }) => !own.has(name) && isWanted(name));
  const types = added.map(({ name }): NamedType => ({ name, type: { kind: 'String' } }));
  return { columns: [...rows.columns, ...types], blocks: withColumns(rows.blocks, added) };
}

async function* withColumns(
  blocks: AsyncIterable<InsertBlock>,
  added: readonly PathColumn[],
): AsyncGenerator<InsertBlock> {
  for await (const { rows, columns } of blocks) {
    const constant = added.map(
      ({ value }): InsertColumn => repeat({ kind: 'string', values: [value] }, rows),
    );
    yield { rows, columns: [...columns, ...constant] };
  }
}

async function* mapByName(
  { columns, blocks }: Rows,
  { table, context }: FileReading,
): AsyncGenerator<InsertBlock> {
  const targets: ColumnSchema[] = [];
  const places: number[] = [];
  for (const column of table.columns) {
    const at = columns.findIndex(({ name }) => name === column.name);
    if (at < 0) continue;
    targets.push(column);
    places.push(at);
  }
  if (targets.length === 0) {
    throw new MusterError(
      'NO_SUCH_COLUMN_IN_TABLE',
      `The file has no column of table ${table.name}: give its structure, or a SELECT`,
    );
  }
  const source = places.map((at) => columns[at]!);
  for await (const block of blocks) {
    const picked = { rows: block.rows, columns: places.map((at) => block.columns[at]!) };
    yield fillColumns(picked, source, { table, targets, context });
  }
}

async function* mapBySelect(
  rows: Rows,
  select: string,
  { table, context }: FileReading,
): AsyncGenerator<InsertBlock> {
  const statement = parseStatement(select);
  if (statement.kind !== 'select') {
    throw new MusterError('BAD_ARGUMENTS', 'The SELECT of a backfill is one query over input()');
  }
  const input: InputSource = {
    open: (structure) => {
      if (structure === undefined) return rows;
      throw new MusterError('BAD_ARGUMENTS', 'In a backfill input() has no structure of its own');
    },
  };
  const request = { ...context.request, text: select };
  const selected = await runSelect(
    statement.query,
    { ...context, request, input },
    { sets: 'ids' },
  );
  const source = selected.columns;
  const targets = targetsOf(source, table);
  for await (const block of selected.blocks) {
    yield fillColumns(block, source, { table, targets, context });
  }
}

/** By name where all names are the table's, else by position, as INSERT ... SELECT does. */
function targetsOf(source: readonly NamedType[], table: TableSchema): readonly ColumnSchema[] {
  const named = source.map(({ name }) => table.columns.find((column) => column.name === name));
  return named.every((column) => column !== undefined) ? named : table.columns;
}
