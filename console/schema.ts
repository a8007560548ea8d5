// What the server holds, for completion and for the list of tables: one look at system.columns.

import { cellText } from './cell-text.ts';
import type { Result } from './result.ts';

interface SchemaColumn {
  readonly name: string;
  readonly type: string;
}

export interface SchemaTable {
  readonly database: string;
  readonly name: string;
  readonly columns: readonly SchemaColumn[];
}

export interface Schema {
  readonly tables: readonly SchemaTable[];
  readonly functions: readonly string[];
}

export const emptySchema: Schema = { tables: [], functions: [] };

export const columnsStatement =
  "SELECT database, table, name, type FROM system.columns WHERE database != 'system' " +
  'ORDER BY database, table, position';
export const functionsStatement = 'SELECT DISTINCT name FROM system.functions ORDER BY name';

/** From the answers to the two statements. */
export function schemaOf(columns: Result, functions: Result): Schema {
  const tables = new Map<string, { table: SchemaTable; columns: SchemaColumn[] }>();
  for (const row of columns.rows) {
    const [database = '', name = '', column = '', type = ''] = row.map(String);
    const key = `${database}.${name}`;
    const known = tables.get(key) ?? newTable(database, name);
    known.columns.push({ name: column, type });
    tables.set(key, known);
  }
  return {
    tables: [...tables.values()].map(({ table }) => table),
    functions: functions.rows.map(([name = null]) => cellText(name, 'String')),
  };
}

function newTable(database: string, name: string) {
  const columns: SchemaColumn[] = [];
  return { table: { database, name, columns }, columns };
}

/** As a statement names it: without the database when that is `default`, quoted where needed. */
export function tableReference(table: SchemaTable): string {
  const name = identifier(table.name);
  return table.database === 'default' ? name : `${identifier(table.database)}.${name}`;
}

export function identifier(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name.replace(/[\\`]/g, '\\$&')}\``;
}

/** Tables that a statement names after FROM, JOIN, INTO and the like; with the database or not. */
export function tablesNamed(statement: string, schema: Schema): readonly SchemaTable[] {
  const words = new Set(statement.match(/[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)?/g) ?? []);
  const named = new Set([...words].map((word) => word.replace(/\s+/g, '')));
  return schema.tables.filter(
    ({ database, name }) =>
      named.has(`${database}.${name}`) || (database === 'default' && named.has(name)),
  );
}
