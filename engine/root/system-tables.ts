// system.*: what clients look at before they ask anything of their own. Made in memory per query.

import { MusterError } from '../../base/errors.ts';
import { suggestion } from '../../base/nearest-name.ts';
import { encodeUtf8 } from '../../base/utf8.ts';
import type { TableSchema } from '../../catalog/schema.ts';
import { formatType, type NamedType } from '../../storage-format/data-type.ts';
import { scalarFunctionNames } from '../library/registry.ts';
import { aggregateNames } from '../plan/bind-aggregate.ts';
import { setFunctionNames } from '../plan/set-functions.ts';
import type { QueryContext } from '../query-context.ts';
import { plain, type Relation } from '../rows/relation.ts';
import { listSettings } from '../settings.ts';
import { partColumns, partRows } from './system-parts.ts';
import { columnOf, type Value } from '../values/column-builder.ts';

interface SystemTable {
  readonly columns: readonly NamedType[];
  rows(context: QueryContext): Promise<readonly (readonly Value[])[]>;
}

/** Columns of a system table, or `numbers`, which is endless. Throws UNKNOWN_TABLE (60). */
export function systemTable(name: string): readonly NamedType[] | 'numbers' {
  if (name === 'numbers') return 'numbers';
  return tableNamed(name).columns;
}

export async function systemRows(name: string, context: QueryContext): Promise<Relation> {
  const table = tableNamed(name);
  const rows = await table.rows(context);
  const columns = table.columns.map((column, i) =>
    plain(
      columnOf(
        column.type,
        rows.map((row) => row[i] ?? null),
      ),
    ),
  );
  return { rows: rows.length, columns };
}

function tableNamed(name: string): SystemTable {
  const found = Object.hasOwn(tables, name) ? tables[name] : undefined;
  if (found !== undefined) return found;
  const known = [...Object.keys(tables), 'numbers'];
  throw new MusterError(
    'UNKNOWN_TABLE',
    `Table system.${name} does not exist${suggestion(name, known)}`,
  );
}

const text = (name: string): NamedType => ({ name, type: { kind: 'String' } });
const flag = (name: string): NamedType => ({ name, type: { kind: 'UInt8' } });
const count = (name: string): NamedType => ({ name, type: { kind: 'UInt64' } });
const tables: Readonly<Record<string, SystemTable>> = {
  one: { columns: [flag('dummy')], rows: async () => [[0]] },
  databases: {
    columns: [text('name'), text('engine'), text('comment')],
    rows: async (context) =>
      (await context.catalog.databases()).map((name) => [encodeUtf8(name), 'Muster', '']),
  },
  tables: {
    columns: [
      text('database'),
      text('name'),
      text('engine'),
      flag('is_temporary'),
      text('partition_key'),
      text('sorting_key'),
      text('primary_key'),
      { name: 'total_rows', type: { kind: 'Nullable', inner: { kind: 'UInt64' } } },
      text('comment'),
    ],
    rows: (context) => eachTable(context, (database, schema) => [tableRow(database, schema)]),
  },
  columns: {
    columns: [
      text('database'),
      text('table'),
      text('name'),
      text('type'),
      count('position'),
      text('default_kind'),
      text('default_expression'),
      text('comment'),
      flag('is_in_partition_key'),
      flag('is_in_sorting_key'),
      flag('is_in_primary_key'),
    ],
    rows: (context) => eachTable(context, columnRows),
  },
  parts: { columns: partColumns, rows: partRows },
  muster_dictionaries: {
    columns: [
      text('database'),
      text('name'),
      text('key_domain'),
      text('grouped_by'),
      count('groups'),
      count('entries'),
      count('bytes'),
      count('segments'),
      { name: 'next_codes', type: { kind: 'Array', item: { kind: 'UInt64' } } },
    ],
    rows: dictionaryRows,
  },
  functions: {
    columns: [text('name'), flag('is_aggregate'), flag('case_insensitive'), text('alias_to')],
    rows: async () => [
      ...[...scalarFunctionNames(), ...setFunctionNames()].map((name) => [name, 0, 0, '']),
      ...aggregateNames().map((name) => [name, 1, 0, '']),
    ],
  },
  settings: {
    columns: [text('name'), text('value'), flag('changed'), text('description')],
    rows: async (context) =>
      listSettings(context.settings).map(({ name, value, changed }) => [
        name,
        encodeUtf8(value),
        changed ? 1 : 0,
        '',
      ]),
  },
};

async function dictionaryRows(context: QueryContext): Promise<readonly (readonly Value[])[]> {
  const rows: (readonly Value[])[] = [];
  for (const database of await context.catalog.databases()) {
    const snapshot = await context.snapshot(database);
    for (const { id, name, domain, groups, groupBy } of snapshot.dictionaries.values()) {
      const segments = await snapshot.segments(id);
      const next = snapshot.nextCodes(id);
      rows.push([
        encodeUtf8(database),
        encodeUtf8(name),
        domain,
        groupBy.rule === 'columns' ? encodeUtf8(groupBy.columns.join(', ')) : 'id',
        BigInt(groups),
        BigInt(next.reduce((sum, code) => sum + code, 0)),
        BigInt(segments.reduce((sum, { place }) => sum + place.bytes, 0)),
        BigInt(segments.length),
        Array.from({ length: groups }, (_, group) => BigInt(next[group] ?? 0)),
      ]);
    }
  }
  return rows;
}

async function eachTable(
  context: QueryContext,
  rowsOf: (database: string, schema: TableSchema) => readonly (readonly Value[])[],
): Promise<readonly (readonly Value[])[]> {
  const rows: (readonly Value[])[] = [];
  for (const database of await context.catalog.databases()) {
    const snapshot = await context.snapshot(database);
    for (const schema of snapshot.tables.values()) rows.push(...rowsOf(database, schema));
  }
  return rows;
}

function tableRow(database: string, schema: TableSchema): readonly Value[] {
  const key = encodeUtf8(schema.orderBy.join(', '));
  return [
    encodeUtf8(database),
    encodeUtf8(schema.name),
    schema.engine,
    0,
    encodeUtf8(schema.partitionBy ?? ''),
    key,
    key,
    null,
    encodeUtf8(schema.comment),
  ];
}

function columnRows(database: string, schema: TableSchema): readonly (readonly Value[])[] {
  return schema.columns.map((column, i) => {
    const sorted = schema.orderBy.includes(column.name) ? 1 : 0;
    return [
      encodeUtf8(database),
      encodeUtf8(schema.name),
      encodeUtf8(column.name),
      encodeUtf8(formatType(column.type)),
      BigInt(i + 1),
      '',
      '',
      '',
      schema.partitionBy === column.name ? 1 : 0,
      sorted,
      sorted,
    ];
  });
}
