// What SHOW, DESCRIBE and EXISTS print, as rows of text.

import { encodeUtf8 } from '../../base/utf8.ts';
import type { TableSchema } from '../../catalog/schema.ts';
import { formatType } from '../../storage-format/data-type.ts';
import { likePredicate } from '../library/scalar/like-pattern.ts';

/** Columns of equal length; `number` columns are UInt8, others String. */
export interface TextRows {
  readonly columns: readonly {
    readonly name: string;
    readonly values: readonly string[] | Uint8Array;
  }[];
}

/** One column `name`; `like` is a LIKE pattern as a byte string. */
export function nameRows(names: readonly string[], like: string | undefined): TextRows {
  const matches = like === undefined ? undefined : likePredicate(like, false);
  const values = names.filter((name) => matches === undefined || matches(encodeUtf8(name)));
  return { columns: [{ name: 'name', values }] };
}

export function flagRow(flag: boolean): TextRows {
  return { columns: [{ name: 'result', values: Uint8Array.of(flag ? 1 : 0) }] };
}

/** ClickHouse's seven columns of DESCRIBE TABLE. */
export function describeTable(table: TableSchema): TextRows {
  const blank = table.columns.map(() => '');
  return {
    columns: [
      { name: 'name', values: table.columns.map((column) => column.name) },
      { name: 'type', values: table.columns.map((column) => formatType(column.type)) },
      { name: 'default_type', values: blank },
      { name: 'default_expression', values: blank },
      { name: 'comment', values: blank },
      { name: 'codec_expression', values: blank },
      { name: 'ttl_expression', values: blank },
    ],
  };
}

/** The statement that would make the table again, laid out as ClickHouse does. */
export function showCreateTable(database: string, table: TableSchema): string {
  const columns = table.columns.map(
    (column) => `    \`${column.name}\` ${formatType(column.type)}`,
  );
  const lines = [
    `CREATE TABLE ${database}.${table.name}`,
    `(\n${columns.join(',\n')}\n)`,
    `ENGINE = ${engineOf(table)}`,
  ];
  if (table.partitionBy !== undefined) lines.push(`PARTITION BY ${table.partitionBy}`);
  lines.push(`ORDER BY ${orderByOf(table)}`);
  if (table.settings.length > 0) {
    lines.push(
      `SETTINGS ${table.settings.map(([name, value]) => `${name} = ${value}`).join(', ')}`,
    );
  }
  if (table.comment !== '') lines.push(`COMMENT '${table.comment.replaceAll("'", "\\'")}'`);
  return lines.join('\n');
}

function engineOf(table: TableSchema): string {
  return table.versionColumn === undefined
    ? table.engine
    : `${table.engine}(${table.versionColumn})`;
}

function orderByOf(table: TableSchema): string {
  if (table.orderBy.length === 0) return 'tuple()';
  return table.orderBy.length === 1 ? (table.orderBy[0] ?? '') : `(${table.orderBy.join(', ')})`;
}
