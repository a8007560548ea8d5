// Statements about the catalog: CREATE, DROP, TRUNCATE change it in one commit; SHOW, DESCRIBE and
// EXISTS read one snapshot of it.

import { MusterError } from '../../base/errors.ts';
import type { Change } from '../../catalog/commit.ts';
import type { Catalog } from '../../catalog/port.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { CreateTable, Statement, TableName } from '../sql/ast.ts';
import { planCreateTable } from './create-table.ts';
import { dropPartition } from './drop-partition.ts';
import { checkName, systemDatabase } from './names.ts';
import { describeTable, flagRow, nameRows, showCreateTable, type TextRows } from './show.ts';
import { requireTable } from './table-lookup.ts';

interface DdlContext {
  readonly catalog: Catalog;
  /** Of the request, for names without one. */
  readonly database: string;
  readonly signal?: AbortSignal;
}

export type DdlStatement = Extract<
  Statement,
  {
    kind:
      | 'create-database'
      | 'drop-database'
      | 'create-table'
      | 'drop-table'
      | 'truncate'
      | 'drop-partition'
      | 'show-databases'
      | 'show-tables'
      | 'show-create'
      | 'describe'
      | 'exists';
  }
>;

/** Rows for SHOW and its like, undefined for changes. */
export async function executeDdl(
  statement: DdlStatement,
  context: DdlContext,
): Promise<TextRows | undefined> {
  switch (statement.kind) {
    case 'create-database':
      await createDatabase(statement.name, statement.ifNotExists, context);
      return undefined;
    case 'drop-database':
      await dropDatabase(statement.name, statement.ifExists, context);
      return undefined;
    case 'create-table':
      await createTable(statement, context);
      return undefined;
    case 'drop-table':
      await change(statement.name, context, (snapshot) => dropTable(snapshot, statement));
      return undefined;
    case 'truncate':
      await change(statement.name, context, (snapshot) => truncate(snapshot, statement));
      return undefined;
    case 'drop-partition':
      await change(statement.name, context, (snapshot) => [
        dropPartition(requireTable(snapshot, statement.name.table), statement.partition),
      ]);
      return undefined;
    case 'show-databases':
      return nameRows(await context.catalog.databases(), statement.like);
    case 'show-tables': {
      const snapshot = await context.catalog.snapshot(statement.database ?? context.database);
      return nameRows([...snapshot.tables.keys()], statement.like);
    }
    default:
      return readTable(statement, context);
  }
}

async function readTable(
  statement: Extract<DdlStatement, { kind: 'show-create' | 'describe' | 'exists' }>,
  context: DdlContext,
): Promise<TextRows> {
  if (statement.kind === 'exists') {
    if (statement.what === 'database') return databaseExists(statement.name.table, context);
    return tableExists(statement.name, context);
  }
  if (statement.kind === 'describe') {
    if (statement.target.kind !== 'table') {
      throw new MusterError('NOT_IMPLEMENTED', 'DESCRIBE takes the name of a table here');
    }
    const snapshot = await snapshotOf(statement.target.name, context);
    return describeTable(requireTable(snapshot, statement.target.name.table));
  }
  if (statement.what === 'database') {
    const { database } = await context.catalog.snapshot(statement.name.table);
    return { columns: [{ name: 'statement', values: [`CREATE DATABASE ${quoteName(database)}`] }] };
  }
  const snapshot = await snapshotOf(statement.name, context);
  const table = requireTable(snapshot, statement.name.table);
  return { columns: [{ name: 'statement', values: [showCreateTable(snapshot.database, table)] }] };
}

async function createDatabase(
  name: string,
  ifNotExists: boolean,
  context: DdlContext,
): Promise<void> {
  checkName('database', name);
  const created = name !== systemDatabase && (await context.catalog.createDatabase(name));
  if (created || ifNotExists) return;
  throw new MusterError('DATABASE_ALREADY_EXISTS', `Database ${name} already exists.`);
}

async function dropDatabase(name: string, ifExists: boolean, context: DdlContext): Promise<void> {
  const dropped = await context.catalog.dropDatabase(name);
  if (dropped || ifExists) return;
  throw new MusterError('UNKNOWN_DATABASE', `Database ${name} does not exist.`);
}

async function createTable(statement: CreateTable, context: DdlContext): Promise<void> {
  await change(statement.name, context, (snapshot) => {
    if (!snapshot.tables.has(statement.name.table)) return planCreateTable(statement, snapshot);
    if (statement.ifNotExists) return undefined;
    throw new MusterError(
      'TABLE_ALREADY_EXISTS',
      `Table ${snapshot.database}.${statement.name.table} already exists`,
    );
  });
}

function dropTable(
  snapshot: Snapshot,
  statement: Extract<DdlStatement, { kind: 'drop-table' }>,
): readonly Change[] | undefined {
  if (statement.ifExists && !snapshot.tables.has(statement.name.table)) return undefined;
  return [{ kind: 'drop-table', table: requireTable(snapshot, statement.name.table).id }];
}

function truncate(
  snapshot: Snapshot,
  statement: Extract<DdlStatement, { kind: 'truncate' }>,
): readonly Change[] | undefined {
  if (statement.ifExists && !snapshot.tables.has(statement.name.table)) return undefined;
  return [{ kind: 'truncate-table', table: requireTable(snapshot, statement.name.table).id }];
}

/** One commit in the name's database; `plan` is asked again after a lost race. */
async function change(
  name: TableName,
  context: DdlContext,
  plan: (snapshot: Snapshot) => readonly Change[] | undefined,
): Promise<void> {
  await context.catalog.commit(name.database ?? context.database, {
    ...(context.signal === undefined ? {} : { signal: context.signal }),
    propose: async (snapshot) => {
      const changes = plan(snapshot);
      return changes === undefined ? undefined : { changes };
    },
  });
}

async function snapshotOf(name: TableName, context: DdlContext): Promise<Snapshot> {
  return context.catalog.snapshot(name.database ?? context.database);
}

async function databaseExists(name: string, context: DdlContext): Promise<TextRows> {
  return flagRow((await context.catalog.databases()).includes(name));
}

async function tableExists(name: TableName, context: DdlContext): Promise<TextRows> {
  const database = name.database ?? context.database;
  if (!(await context.catalog.databases()).includes(database)) return flagRow(false);
  return flagRow((await context.catalog.snapshot(database)).tables.has(name.table));
}

function quoteName(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : `\`${name.replaceAll('`', '\\`')}\``;
}
