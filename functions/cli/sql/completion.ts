// What the Tab key offers: keywords, and the names that the server knows, asked for over the same
// connection as everything else. `table.` offers its columns, `database.` its tables.

import { textOf } from '../connection/connection.ts';
import type { Session } from './session.ts';

export interface Names {
  readonly databases: ReadonlySet<string>;
  /** With the database that each is in. */
  readonly tables: readonly (readonly [database: string, table: string])[];
  readonly columns: readonly (readonly [database: string, table: string, column: string])[];
  readonly functions: readonly string[];
  readonly settings: readonly string[];
}

export const noNames: Names = {
  databases: new Set(),
  tables: [],
  columns: [],
  functions: [],
  settings: [],
};

const keywords =
  'SELECT FROM WHERE PREWHERE GROUP BY ORDER HAVING LIMIT OFFSET WITH AS UNION ALL DISTINCT JOIN LEFT RIGHT INNER FULL CROSS ON USING AND OR NOT IN LIKE ILIKE BETWEEN IS NULL CASE WHEN THEN ELSE END ASC DESC INSERT INTO VALUES FORMAT SETTINGS SET USE CREATE TABLE DATABASE ENGINE PARTITION IF EXISTS DROP TRUNCATE SHOW TABLES DATABASES DESCRIBE EXPLAIN ARRAY FINAL INTERVAL CAST AggregatingMergeTree MergeTree ReplacingMergeTree AggregateFunction groupBitmap LowCardinality Nullable Array String UInt64 UInt32 Int64 Float64 Date DateTime PrettyCompact Vertical TabSeparated CSV CSVWithNames JSONEachRow JSON'.split(
    ' ',
  );

const queries = {
  tables: "SELECT database, name FROM system.tables WHERE database != 'system'",
  columns: "SELECT database, table, name FROM system.columns WHERE database != 'system'",
  functions: 'SELECT name FROM system.functions',
  settings: 'SELECT name FROM system.settings',
};

export async function readNames(session: Session, signal: AbortSignal): Promise<Names> {
  const rows = async (text: string): Promise<string[][]> => {
    const answer = await session.execute({ text, format: 'TabSeparated', signal });
    const lines = (await textOf(answer)).split('\n').filter((line) => line !== '');
    return lines.map((line) => line.split('\t'));
  };
  const tables = (await rows(queries.tables)) as [string, string][];
  return {
    databases: new Set(tables.map(([database]) => database)),
    tables,
    columns: (await rows(queries.columns)) as [string, string, string][],
    functions: (await rows(queries.functions)).map(([name]) => name ?? ''),
    settings: (await rows(queries.settings)).map(([name]) => name ?? ''),
  };
}

/** Candidates for the word at the end of the line, and that word: what readline's completer gives. */
export function complete(
  line: string,
  names: Names,
  database: string,
): readonly [readonly string[], string] {
  if (/^\s*\.\w*$/.test(line)) return among(commands, line.trim());
  const word = /[A-Za-z0-9_.]*$/.exec(line)?.[0] ?? '';
  const dot = word.lastIndexOf('.');
  if (dot !== -1) return among(qualified(word.slice(0, dot), names, database), word);
  if (word === '') return [[], word];
  if (/\bSET\s+\w*$/i.test(line)) return among(names.settings, word);
  const isLower = word === word.toLowerCase();
  const own = [
    ...names.databases,
    ...names.tables.filter(([inside]) => inside === database).map(([, table]) => table),
    ...names.columns.map(([, , column]) => column),
    ...names.functions,
  ];
  const words = keywords.map((keyword) =>
    isLower && keyword === keyword.toUpperCase() ? keyword.toLowerCase() : keyword,
  );
  return among([...own, ...words], word);
}

export const commands = ['.exit', '.format', '.help', '.tables', '.timing'];

function qualified(qualifier: string, names: Names, database: string): readonly string[] {
  const [first = '', second] = qualifier.split('.');
  const [inside, table] = second === undefined ? [database, first] : [first, second];
  const columns = names.columns
    .filter((column) => column[0] === inside && column[1] === table)
    .map((column) => `${qualifier}.${column[2]}`);
  const tables = names.tables
    .filter(([owner]) => second === undefined && owner === first)
    .map(([, name]) => `${qualifier}.${name}`);
  return [...columns, ...tables];
}

function among(candidates: readonly string[], word: string): readonly [readonly string[], string] {
  const start = word.toLowerCase();
  const fitting = candidates.filter((name) => name.toLowerCase().startsWith(start));
  return [[...new Set(fitting)].toSorted(), word];
}
