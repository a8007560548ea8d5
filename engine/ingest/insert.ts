// INSERT: rows from the statement's data, from VALUES or from a SELECT become stripes of the table in
// one commit. Nothing of the insert is visible before that commit, and all of it after.

import { Readable } from 'node:stream';
import { MusterError } from '../../base/errors.ts';
import { suggestion } from '../../base/nearest-name.ts';
import type { ColumnSchema, NamespaceId, TableSchema } from '../../catalog/schema.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import { requireTable } from '../ddl/table-lookup.ts';
import { readParquet } from '../formats/parquet/parquet-input.ts';
import { readInput } from '../formats/read-input.ts';
import { writeFile } from '../files/file-target.ts';
import { spoolBody } from '../files/spooled-body.ts';
import { requestOf } from '../files/table-functions.ts';
import { checkRunning, type InputSource, type QueryContext } from '../query-context.ts';
import { runSelect, streamSelect } from '../root/run-select.ts';
import type { Expression, Insert } from '../sql/ast.ts';
import { limitsOf } from './async-inserts.ts';
import type { InsertBlock } from './insert-block.ts';
import { InsertWriter } from './insert-writer.ts';
import { blockBytes } from './row-stage.ts';
import { fillColumns } from './target-columns.ts';
import { headOf, valuesQuery } from './value-expressions.ts';

/** Counts what it wrote in `context.progress`. Throws with nothing visible. */
export async function executeInsert(statement: Insert, context: QueryContext): Promise<void> {
  if (statement.function !== undefined) {
    await insertIntoFunction(statement, statement.function, context);
    return;
  }
  const database = statement.name.database ?? context.request.database;
  const snapshot = await context.snapshot(database);
  const table = requireTable(snapshot, statement.name.table);
  const targets = targetColumns(statement, table);
  const source = await openSource(statement, context, targets);
  const into = { database, namespace: snapshot.namespace, table };
  const blocks = filledBlocks(source, { table, targets, context });
  if (isAsync(statement, context)) await insertTogether(blocks, into, context);
  else await insertAlone(blocks, into, context);
}

interface InsertTarget {
  readonly database: string;
  readonly namespace: NamespaceId;
  readonly table: TableSchema;
}

async function* filledBlocks(
  source: OpenedSource,
  options: Parameters<typeof fillColumns>[2],
): AsyncGenerator<InsertBlock> {
  for await (const block of source.blocks) {
    checkRunning(options.context);
    yield fillColumns(block, source.columns, options);
  }
  checkRunning(options.context);
}

async function insertAlone(
  blocks: AsyncIterable<InsertBlock>,
  into: InsertTarget,
  context: QueryContext,
): Promise<void> {
  const writer = new InsertWriter({ context, ...into });
  for await (const block of blocks) await writer.add(block);
  await writer.commit();
}

/**
 * Data of a server's clients, without a token of its own. A function is frozen when it has answered,
 * so that nothing can wait there.
 */
function isAsync({ source }: Insert, { settings, functionSize }: QueryContext): boolean {
  const isAble = source.kind !== 'query' && settings.insertDeduplicationToken === '';
  return settings.asyncInsert && isAble && functionSize === undefined;
}

/** Large ones are not put together with others. */
async function insertTogether(
  blocks: AsyncGenerator<InsertBlock>,
  into: InsertTarget,
  context: QueryContext,
): Promise<void> {
  const { raw, waitForAsyncInsert } = context.settings;
  const { bytes: bytesMax } = limitsOf(raw);
  const gathered: InsertBlock[] = [];
  let bytes = 0;
  for (;;) {
    const next = await blocks.next();
    if (next.done === true) break;
    gathered.push(next.value);
    bytes += blockBytes(next.value);
    if (bytes <= bytesMax) continue;
    await insertAlone(chained(gathered, blocks), into, context);
    return;
  }
  if (gathered.length === 0) return;
  const stored = context.asyncInserts.add({ ...into, blocks: gathered, bytes, settings: raw });
  context.progress.writtenRows += gathered.reduce((sum, { rows }) => sum + rows, 0);
  if (waitForAsyncInsert) await stored;
  else stored.catch(() => {});
}

async function* chained(
  first: readonly InsertBlock[],
  rest: AsyncIterable<InsertBlock>,
): AsyncGenerator<InsertBlock> {
  yield* first;
  yield* rest;
}

async function insertIntoFunction(
  { name, columns, source }: Insert,
  operands: readonly Expression[],
  context: QueryContext,
): Promise<void> {
  const request = requestOf({ name: name.table, arguments: operands }, context);
  if (request === undefined) {
    throw new MusterError(
      'UNKNOWN_FUNCTION',
      `Unknown table function ${name.table} for INSERT: expected file, s3 or url`,
    );
  }
  if (source.kind !== 'query' || columns !== undefined) {
    throw new MusterError(
      'NOT_IMPLEMENTED',
      'INSERT INTO FUNCTION takes its columns and rows from a SELECT',
    );
  }
  await writeFile(request, await streamSelect(source.query, context), context);
}

/** The insert's columns, in its order. */
function targetColumns(statement: Insert, table: TableSchema): readonly ColumnSchema[] {
  if (statement.columns === undefined) return table.columns;
  const seen = new Set<string>();
  return statement.columns.map((name) => {
    const column = table.columns.find((candidate) => candidate.name === name);
    if (column === undefined) {
      const known = table.columns.map((candidate) => candidate.name);
      throw new MusterError(
        'NO_SUCH_COLUMN_IN_TABLE',
        `No such column ${name} in table ${table.name}${suggestion(name, known)}`,
      );
    }
    if (seen.has(name)) {
      throw new MusterError('DUPLICATE_COLUMN', `Column ${name} is listed twice in the INSERT`);
    }
    seen.add(name);
    return column;
  });
}

interface OpenedSource {
  readonly columns: readonly NamedType[];
  readonly blocks: AsyncIterable<InsertBlock>;
}

async function openSource(
  statement: Insert,
  context: QueryContext,
  targets: readonly ColumnSchema[],
): Promise<OpenedSource> {
  const { source } = statement;
  const data = { body: dataOf(context, source.dataAt), context, columns: targets };
  if (source.kind === 'values') return openValues(data, targets);
  if (source.kind === 'format') return openData(source.format, data);
  const input: InputSource = {
    targets,
    open: (structure) => {
      const columns = structure ?? targets;
      if (source.format === undefined) {
        throw new MusterError(
          'BAD_ARGUMENTS',
          'The table function input() needs data: end the statement with FORMAT and a format',
        );
      }
      return openData(source.format, { ...data, columns });
    },
  };
  return runSelect(source.query, { ...context, input }, { sets: 'ids' });
}

interface DataOptions {
  readonly body: AsyncIterable<Uint8Array>;
  readonly context: QueryContext;
  readonly columns: readonly NamedType[];
}

/** Literals stream; a small VALUES with expressions in it is evaluated as a SELECT. */
async function openValues(
  data: DataOptions,
  targets: readonly ColumnSchema[],
): Promise<OpenedSource> {
  const { whole, body } = await headOf(data.body);
  if (whole === undefined) return openData('Values', { ...data, body });
  try {
    const blocks: InsertBlock[] = [];
    for await (const block of openData('Values', { ...data, body }).blocks) blocks.push(block);
    return { columns: targets, blocks: Readable.from(blocks) };
  } catch (error) {
    if (!(error instanceof MusterError) || error.errorName !== 'NOT_IMPLEMENTED') throw error;
    const query = valuesQuery(whole.toString('utf8'), targets);
    return runSelect(query, data.context, { sets: 'ids' });
  }
}

function openData(format: string, data: DataOptions): OpenedSource {
  const { body, context, columns } = data;
  if (format === 'Parquet') return { columns, blocks: parquetBlocks(data) };
  return {
    columns,
    blocks: readInput({
      format,
      columns,
      body,
      settings: context.settings.raw,
      signal: context.signal,
    }),
  };
}

async function* parquetBlocks({
  body,
  context,
  columns,
}: DataOptions): AsyncGenerator<InsertBlock> {
  const { clock, files, functions, signal, settings } = context;
  const access = await spoolBody(body, { clock, spool: files.spool, signal });
  try {
    yield* readParquet({ access, columns, settings: settings.raw, functions, signal });
  } finally {
    await access.close();
  }
}

/** The end of the statement's text, then the request's body. */
async function* dataOf(context: QueryContext, dataAt: number): AsyncIterable<Uint8Array> {
  const inText = context.request.text.slice(dataAt);
  if (inText !== '') yield Buffer.from(inText, 'utf8');
  if (context.request.body !== undefined) yield* context.request.body;
}
