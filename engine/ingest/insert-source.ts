// Where the rows of an INSERT come from: data behind the statement in a format, VALUES, or a SELECT,
// which may itself read the data through input().

import { Readable } from 'node:stream';
import { MusterError } from '../../base/errors.ts';
import { suggestion } from '../../base/nearest-name.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import { spoolBody } from '../files/spooled-body.ts';
import { readParquet } from '../formats/parquet/parquet-input.ts';
import { readInput } from '../formats/read-input.ts';
import type { InputSource, QueryContext } from '../query-context.ts';
import { runSelect } from '../root/run-select.ts';
import type { Insert } from '../sql/ast.ts';
import type { InsertBlock } from './insert-block.ts';
import { headOf, valuesQuery } from './value-expressions.ts';

/** The insert's columns, in its order. */
export function targetColumns<T extends NamedType>(
  statement: Insert,
  table: { readonly name: string; readonly columns: readonly T[] },
): readonly T[] {
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

export interface OpenedSource {
  readonly columns: readonly NamedType[];
  readonly blocks: AsyncIterable<InsertBlock>;
}

export async function openSource(
  statement: Insert,
  context: QueryContext,
  targets: readonly NamedType[],
): Promise<OpenedSource> {
  const { source } = statement;
  const data = { body: dataOf(context, source.dataAt), context, columns: targets };
  if (source.kind === 'values') return openValues(data, targets);
  if (source.kind === 'format') return openData(source.format, data);
  const input = inputOf(statement, context, targets);
  return runSelect(source.query, { ...context, input }, { sets: 'ids' });
}

/** What input() reads in the statement's SELECT. */
export function inputOf(
  { source }: Insert,
  context: QueryContext,
  targets: readonly NamedType[],
): InputSource {
  return {
    targets,
    open: (structure) => {
      if (source.kind !== 'query' || source.format === undefined) {
        throw new MusterError(
          'BAD_ARGUMENTS',
          'The table function input() needs data: end the statement with FORMAT and a format',
        );
      }
      const body = dataOf(context, source.dataAt);
      return openData(source.format, { body, context, columns: structure ?? targets });
    },
  };
}

interface DataOptions {
  readonly body: AsyncIterable<Uint8Array>;
  readonly context: QueryContext;
  readonly columns: readonly NamedType[];
}

/** Literals stream; a small VALUES with expressions in it is evaluated as a SELECT. */
async function openValues(data: DataOptions, targets: readonly NamedType[]): Promise<OpenedSource> {
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
