// INSERT: rows from the statement's data, from VALUES or from a SELECT become stripes of the table in
// one commit. Nothing of the insert is visible before that commit, and all of it after.

import type { NamespaceId, TableSchema } from '../../catalog/schema.ts';
import { requireTable } from '../ddl/table-lookup.ts';
import { checkRunning, type QueryContext } from '../query-context.ts';
import type { Insert } from '../sql/ast.ts';
import { limitsOf } from './async-inserts.ts';
import type { InsertBlock } from './insert-block.ts';
import { insertIntoFunction } from './insert-function.ts';
import { openSource, type OpenedSource, targetColumns } from './insert-source.ts';
import { InsertWriter } from './insert-writer.ts';
import { blockBytes } from './row-stage.ts';
import { fillColumns } from './target-columns.ts';

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
