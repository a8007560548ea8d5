// INSERT INTO FUNCTION: rows become a file of what file(), s3() or url() name. Where the function is told
// the file's columns, rows are for those, by position or by the statement's list; what isn't given is the
// type's default. Rows of a SELECT need no such list: their columns are the SELECT's.

import { MusterError } from '../../base/errors.ts';
import type { Column } from '../../storage-format/column.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import type { FileRequest } from '../files/file-request.ts';
import { writeFile } from '../files/file-target.ts';
import { requestOf } from '../files/table-functions.ts';
import type { QueryContext } from '../query-context.ts';
import { streamSelect } from '../root/run-select.ts';
import type { Expression, Insert } from '../sql/ast.ts';
import type { InsertBlock } from './insert-block.ts';
import { inputOf, openSource, type OpenedSource, targetColumns } from './insert-source.ts';
import { fillColumns } from './target-columns.ts';

export async function insertIntoFunction(
  statement: Insert,
  operands: readonly Expression[],
  context: QueryContext,
): Promise<void> {
  const { table: name } = statement.name;
  const request = requestOf({ name, arguments: operands }, context);
  if (request === undefined) {
    throw new MusterError(
      'UNKNOWN_FUNCTION',
      `Unknown table function ${name} for INSERT: expected file, s3 or url`,
    );
  }
  await writeFile(request, await rowsOf(statement, request, context), context);
}

interface FileRows {
  readonly columns: readonly NamedType[];
  readonly blocks: AsyncIterable<{ readonly rows: number; readonly columns: readonly Column[] }>;
}

async function rowsOf(
  statement: Insert,
  { structure, label }: FileRequest,
  context: QueryContext,
): Promise<FileRows> {
  const { source } = statement;
  const given =
    structure === undefined ? [] : targetColumns(statement, { name: label, columns: structure });
  const rows =
    source.kind === 'query'
      ? await selected(statement, source, { context, targets: given })
      : undefined;
  const columns = structure ?? rows?.columns;
  if (columns === undefined) throw withoutStructure(label);
  const targets = targetColumns(statement, { name: label, columns });
  const opened = rows ?? (await openSource(statement, context, targets));
  return { columns, blocks: filled(opened, { table: { columns }, targets, context }) };
}

/** Sets come as the bytes of their states. */
async function selected(
  statement: Insert,
  { query }: Extract<Insert['source'], { readonly kind: 'query' }>,
  of: { readonly context: QueryContext; readonly targets: readonly NamedType[] },
): Promise<FileRows> {
  const input = inputOf(statement, of.context, of.targets);
  return await streamSelect(query, { ...of.context, input });
}

async function* filled(
  source: OpenedSource,
  options: Parameters<typeof fillColumns>[2],
): FileRows['blocks'] {
  for await (const block of source.blocks) {
    const { rows, columns } = fillColumns(block, source.columns, options);
    yield { rows, columns: columns.map(plainColumn) };
  }
}

function plainColumn(column: InsertBlock['columns'][number]): Column {
  if (column.kind !== 'ids' && column.kind !== 'lists') return column;
  throw new MusterError(
    'NOT_IMPLEMENTED',
    'Sets in data that become a file are not supported: INSERT INTO FUNCTION ... SELECT them from a table',
  );
}

function withoutStructure(label: string): MusterError {
  return new MusterError(
    'CANNOT_EXTRACT_TABLE_STRUCTURE',
    `Data of an INSERT into ${label} need the columns of the file: give them as the argument behind the format, as in 'id UInt64, name String'`,
  );
}
