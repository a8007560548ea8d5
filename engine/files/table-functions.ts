// The table functions of a query, opened before it is planned: their arguments are literals and
// parameters of the statement, and what their files are says what columns they have.

import { MusterError } from '../../base/errors.ts';
import { decodeUtf8 } from '../../base/utf8.ts';
import type { PlannedFiles } from '../plan/planning.ts';
import { tableFunctionsOf } from '../plan/table-names.ts';
import type { QueryContext } from '../query-context.ts';
import type { Expression, Query, TableExpression } from '../sql/ast.ts';
import { statementError } from '../sql/syntax-error.ts';
import { type FileRequest, fileRequest, isFileFunction } from './file-request.ts';
import { openFileSource } from './file-source.ts';

/** The sources go to `context.fileSources`. */
export async function openTableFunctions(
  query: Query,
  context: QueryContext,
): Promise<ReadonlyMap<TableExpression, PlannedFiles>> {
  const planned = new Map<TableExpression, PlannedFiles>();
  for (const table of tableFunctionsOf(query)) {
    const request = await atPlace(table.at, context, async () => requestOf(table, context));
    if (request === undefined) continue;
    const found = await atPlace(table.at, context, async () => {
      return await openFileSource(request, context.input?.targets, context);
    });
    const source = context.fileSources.push(found) - 1;
    const { label, columns, virtualColumns } = found;
    planned.set(table, { label, columns, virtualColumns, source });
  }
  return planned;
}

/** Undefined for functions that open nothing. */
export function requestOf(
  {
    name,
    arguments: operands,
  }: { readonly name: string; readonly arguments: readonly Expression[] },
  context: QueryContext,
): FileRequest | undefined {
  if (!isFileFunction(name)) return undefined;
  return fileRequest(
    name,
    operands.map((operand) => wordOf(operand, name, context)),
  );
}

function wordOf(operand: Expression, name: string, context: QueryContext): string | undefined {
  if (operand.kind === 'literal' && operand.literal.kind === 'string') {
    return decodeUtf8(operand.literal.value);
  }
  if (operand.kind === 'parameter') {
    const value = context.request.parameters.get(operand.name);
    if (value !== undefined) return value;
    throw new MusterError('UNKNOWN_QUERY_PARAMETER', `Substitution \`${operand.name}\` is not set`);
  }
  if (operand.kind === 'name' && operand.parts.length === 1) {
    const [word = ''] = operand.parts;
    if (word.toUpperCase() === 'NOSIGN') return undefined;
    return word;
  }
  throw new MusterError(
    'BAD_ARGUMENTS',
    `Table function ${name} takes texts in quotes, such as ${name}('...', 'Parquet')`,
  );
}

async function atPlace<T>(at: number, context: QueryContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof MusterError) || error.position !== undefined) throw error;
    const { errorName, message } = error;
    throw statementError(errorName, context.request.text, { offset: at, message });
  }
}
