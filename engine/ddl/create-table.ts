// CREATE TABLE: from the statement to a table's schema, with ClickHouse's checks and ours.

import { MusterError } from '../../base/errors.ts';
import { suggestion } from '../../base/nearest-name.ts';
import { decodeUtf8 } from '../../base/utf8.ts';
import type { Change } from '../../catalog/commit.ts';
import type { ColumnId, ColumnSchema, TableEngine, TableSchema } from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { formatType, isNullable, valueType } from '../../storage-format/data-type.ts';
import { domainOfIds, type KeyDomain } from '../../storage-format/key-list.ts';
import type { CreateTable, Expression, LiteralValue, Setting } from '../sql/ast.ts';
import { printExpression } from '../sql/expression-printer.ts';
import { chooseDictionaries, type DictionaryChoice, keyDomainOf } from './dictionary-settings.ts';
import { checkGrouping, parseGroupBy, parseIdColumn } from './grouping.ts';
import { checkName } from './names.ts';

const engines: readonly TableEngine[] = ['MergeTree', 'AggregatingMergeTree', 'ReplacingMergeTree'];

/** Settings of ClickHouse's MergeTree family that can't change an answer here. */
const harmlessSettings =
  /^(index_granularity|index_granularity_bytes|min_.*|max_.*|merge_.*|allow_nullable_key|storage_policy|.*_ttl_.*|enable_.*|use_.*|ratio_of_.*|parts_to_.*|old_parts_lifetime|non_replicated_deduplication_window)$/;

/** The changes that create the table on this snapshot. Throws 36, 43, 44, 47, 48, 56, 115. */
export function planCreateTable(statement: CreateTable, snapshot: Snapshot): readonly Change[] {
  const { name: engine, arguments: engineArguments } = tableEngine(statement);
  checkName('table', statement.name.table);
  checkColumns(statement);
  checkSettings(statement.settings);
  const choice = chooseDictionaries(snapshot, statement.settings, domainsOf(statement));
  const orderBy = sortingKey(statement);
  checkRowGroups(statement, engine, orderBy);
  const version = versionColumn(engine, engineArguments, statement);
  const table: TableSchema = {
    id: snapshot.nextTableId,
    name: statement.name.table,
    engine,
    ...(version === undefined ? {} : { versionColumn: version }),
    columns: statement.columns.map((column, at) =>
      columnSchema(column, (snapshot.nextColumnId + at) as ColumnId, choice),
    ),
    ...(statement.partitionBy === undefined || isEmptyTuple(statement.partitionBy)
      ? {}
      : { partitionBy: printExpression(statement.partitionBy) }),
    orderBy,
    settings: statement.settings.map((setting) => [setting.name, settingText(setting.value)]),
    comment: statement.comment ?? '',
    schemaVersion: 1,
  };
  return [
    ...choice.created.map((dictionary): Change => ({ kind: 'create-dictionary', dictionary })),
    { kind: 'create-table', table },
  ];
}

function columnSchema(
  column: CreateTable['columns'][number],
  id: ColumnId,
  choice: DictionaryChoice,
): ColumnSchema {
  if (column.type.kind !== 'Bitmap') return { id, name: column.name, type: column.type };
  const dictionary = choice.byDomain.get(keyDomainOf(column.type.id));
  return {
    id,
    name: column.name,
    type: column.type,
    ...(dictionary === undefined ? {} : { dictionary }),
  };
}

function domainsOf(statement: CreateTable): ReadonlySet<KeyDomain> {
  const domains = new Set<KeyDomain>();
  for (const column of statement.columns) {
    if (column.type.kind === 'Bitmap') domains.add(keyDomainOf(column.type.id));
  }
  const idSetting = statement.settings.find(({ name }) => name === 'muster_id_column');
  if (idSetting !== undefined) {
    const { columns } = statement;
    const engine = statement.engine?.name ?? 'MergeTree';
    domains.add(domainOfIds(parseIdColumn(idSetting.value, { columns, engine }).type));
  }
  return domains;
}

function tableEngine(statement: CreateTable): {
  name: TableEngine;
  arguments: readonly Expression[];
} {
  const asked = statement.engine?.name ?? 'MergeTree';
  const known = engines.find((engine) => engine === asked);
  if (known !== undefined) return { name: known, arguments: statement.engine?.arguments ?? [] };
  throw new MusterError(
    'UNKNOWN_STORAGE',
    `Unknown table engine ${asked}${suggestion(asked, engines)}: engines here are ${engines.join(', ')}`,
  );
}

function checkColumns(statement: CreateTable): void {
  if (statement.columns.length === 0) {
    throw new MusterError('EMPTY_LIST_OF_COLUMNS_QUERIED', 'A table needs at least one column');
  }
  const seen = new Set<string>();
  for (const column of statement.columns) {
    if (seen.has(column.name)) {
      throw new MusterError('DUPLICATE_COLUMN', `Column ${column.name} is defined twice`);
    }
    seen.add(column.name);
    checkName('column', column.name);
    if (column.type.kind === 'Tuple') {
      throw new MusterError(
        'NOT_IMPLEMENTED',
        `Columns of ${formatType(column.type)} are not supported (${column.name}): make each field a column`,
      );
    }
    if (valueType(column.type).kind === 'Nothing') {
      throw new MusterError(
        'UNKNOWN_TYPE',
        `Type ${formatType(column.type)} of column ${column.name} can't be stored`,
      );
    }
  }
}

function checkSettings(settings: readonly Setting[]): void {
  for (const { name } of settings) {
    if (!name.startsWith('muster_') && !harmlessSettings.test(name)) {
      throw new MusterError('UNKNOWN_SETTING', `Unknown setting '${name}': for storage MergeTree`);
    }
  }
}

function sortingKey(statement: CreateTable): readonly string[] {
  const nullableAllowed = statement.settings.some(
    (setting) => setting.name === 'allow_nullable_key' && settingText(setting.value) !== '0',
  );
  return statement.orderBy.map((expression) => {
    for (const name of namesIn(expression)) checkKeyColumn(statement, name, nullableAllowed);
    return printExpression(expression);
  });
}

function checkKeyColumn(statement: CreateTable, name: string, nullableAllowed: boolean): void {
  const column = statement.columns.find((candidate) => candidate.name === name);
  if (column === undefined) {
    const known = statement.columns.map((candidate) => candidate.name);
    throw new MusterError(
      'UNKNOWN_IDENTIFIER',
      `Missing columns: '${name}' while processing the sorting key${suggestion(name, known)}`,
    );
  }
  if (column.type.kind === 'Bitmap') {
    throw new MusterError(
      'ILLEGAL_COLUMN',
      `Column ${name} of type ${formatType(column.type)} can't be in the sorting key`,
    );
  }
  if (isNullable(column.type) && !nullableAllowed) {
    throw new MusterError(
      'ILLEGAL_COLUMN',
      `Sorting key contains nullable column ${name}, but setting allow_nullable_key is disabled`,
    );
  }
}

function checkRowGroups(
  statement: CreateTable,
  engine: TableEngine,
  orderBy: readonly string[],
): void {
  const setting = statement.settings.find(({ name }) => name === 'muster_group_by');
  const names = setting === undefined ? undefined : parseGroupBy(setting.value);
  if (names === undefined) return;
  const { columns } = statement;
  if (statement.settings.some(({ name }) => name === 'muster_id_column')) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      'Settings muster_group_by and muster_id_column exclude each other: rows lie in one place',
    );
  }
  const mergedBy = orderBy.map((text) => text.replace(/^`(.*)`$/, '$1'));
  checkGrouping(names, engine === 'MergeTree' ? { columns } : { columns, mergedBy });
}

function versionColumn(
  engine: TableEngine,
  engineArguments: readonly Expression[],
  statement: CreateTable,
): string | undefined {
  const [argument, ...rest] = engineArguments;
  if (argument === undefined) return undefined;
  if (engine !== 'ReplacingMergeTree' || rest.length > 0) {
    throw new MusterError(
      'NOT_IMPLEMENTED',
      `Arguments of engine ${engine} are not supported: ${engineArguments.map(printExpression).join(', ')}`,
    );
  }
  const name = argument.kind === 'name' ? argument.parts.join('.') : printExpression(argument);
  const column = statement.columns.find((candidate) => candidate.name === name);
  if (column === undefined) {
    throw new MusterError('UNKNOWN_IDENTIFIER', `Version column ${name} does not exist in table`);
  }
  if (!/^(U?Int\d+|Date|DateTime|DateTime64)$/.test(column.type.kind)) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      `The column ${name} cannot be used as a version column for storage ReplacingMergeTree because it is of type ${formatType(column.type)} (must be of an integer type or of type Date/DateTime/DateTime64)`,
    );
  }
  return name;
}

/** Every column name that an expression reads. */
function namesIn(expression: Expression): readonly string[] {
  switch (expression.kind) {
    case 'name':
      return [expression.parts.join('.')];
    case 'call':
      return expression.arguments.flatMap(namesIn);
    case 'array':
    case 'tuple':
      return expression.items.flatMap(namesIn);
    case 'cast':
    case 'alias':
    case 'interval':
      return namesIn(expression.value);
    case 'in':
      return [...namesIn(expression.value), ...namesIn(expression.set)];
    default:
      return [];
  }
}

function isEmptyTuple(expression: Expression): boolean {
  return (
    (expression.kind === 'tuple' && expression.items.length === 0) ||
    (expression.kind === 'call' && expression.name === 'tuple' && expression.arguments.length === 0)
  );
}

function settingText(value: LiteralValue): string {
  switch (value.kind) {
    case 'string':
      return `'${decodeUtf8(value.value).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
    case 'null':
      return 'NULL';
    case 'bool':
      return value.value ? '1' : '0';
    default:
      return String(value.value);
  }
}
