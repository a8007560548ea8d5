// Statements as SQL text. Of an INSERT only what stands before its data.

import { assertNever } from '../../base/assert.ts';
import { encodeUtf8 } from '../../base/utf8.ts';
import { formatType } from '../../storage-format/data-type.ts';
import type { CreateTable, Expression, Insert, Statement } from './ast.ts';
import { printExpression, printExpressions } from './expression-printer.ts';
import { printName, printString, quoteName } from './literal-printer.ts';
import {
  printAssignments,
  printQuery,
  printSettings,
  printTable,
  printTableFunction,
  printTableName,
} from './query-printer.ts';

/** Text that parses to the same tree; without FORMAT where the statement has none. */
export function printStatement(statement: Statement): string {
  const format = 'format' in statement ? statement.format : undefined;
  const text = printBody(statement);
  return format === undefined ? text : `${text} FORMAT ${printName(format)}`;
}

function printBody(statement: Statement): string {
  const { kind } = statement;
  switch (kind) {
    case 'select':
      return printQuery(statement.query);
    case 'create-table':
      return printCreateTable(statement);
    case 'insert':
      return printInsert(statement);
    case 'create-database':
      return words(
        'CREATE DATABASE',
        statement.ifNotExists && 'IF NOT EXISTS',
        printName(statement.name),
      );
    case 'drop-database':
      return words('DROP DATABASE', statement.ifExists && 'IF EXISTS', printName(statement.name));
    case 'drop-table':
      return words('DROP TABLE', statement.ifExists && 'IF EXISTS', printTableName(statement.name));
    case 'truncate':
      return words(
        'TRUNCATE TABLE',
        statement.ifExists && 'IF EXISTS',
        printTableName(statement.name),
      );
    case 'drop-partition': {
      const { partition } = statement;
      const which = partition === 'all' ? 'ALL' : printExpression(partition);
      return `ALTER TABLE ${printTableName(statement.name)} DROP PARTITION ${which}`;
    }
    case 'optimize': {
      const { name, partition, final, settings } = statement;
      return words(
        `OPTIMIZE TABLE ${printTableName(name)}`,
        partition !== undefined && `PARTITION ${printExpression(partition)}`,
        final && 'FINAL',
        settings.length > 0 && `SETTINGS ${printAssignments(settings)}`,
      );
    }
    case 'explain':
      return printExplain(statement);
    case 'use':
      return `USE ${printName(statement.database)}`;
    case 'set':
      return `SET ${printAssignments(statement.settings)}`;
    case 'unsupported':
      return statement.what;
    default:
      return printLook(statement);
  }
}

function printExplain(statement: Extract<Statement, { readonly kind: 'explain' }>): string {
  const { what, settings } = statement;
  return words(
    'EXPLAIN',
    what !== 'plan' && what.toUpperCase(),
    settings.length > 0 && printAssignments(settings),
    printStatement(statement.statement),
  );
}

type Look = Extract<
  Statement,
  { readonly kind: 'show-databases' | 'show-tables' | 'show-create' | 'describe' | 'exists' }
>;

function printLook(statement: Look): string {
  const { kind } = statement;
  switch (kind) {
    case 'show-databases':
      return words('SHOW DATABASES', like(statement.like));
    case 'show-tables': {
      const { database } = statement;
      return words(
        'SHOW TABLES',
        database !== undefined && `FROM ${printName(database)}`,
        like(statement.like),
      );
    }
    case 'show-create':
      return `SHOW CREATE ${statement.what.toUpperCase()} ${printTableName(statement.name)}`;
    case 'describe':
      return `DESCRIBE TABLE ${printTable(statement.target)}`;
    case 'exists':
      return `EXISTS ${statement.what.toUpperCase()} ${printTableName(statement.name)}`;
    default:
      return assertNever(kind);
  }
}

function words(...parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false && part !== '').join(' ');
}

function like(pattern: string | undefined): string | false {
  return pattern !== undefined && `LIKE ${printString(pattern)}`;
}

function printCreateTable(table: CreateTable): string {
  const columns = table.columns.map(({ name, type }) => `${quoteName(name)} ${formatType(type)}`);
  const { engine, partitionBy, primaryKey, orderBy, comment } = table;
  const list = engine === undefined ? '' : printExpressions(engine.arguments);
  return words(
    'CREATE TABLE',
    table.ifNotExists && 'IF NOT EXISTS',
    printTableName(table.name),
    columns.length > 0 && `(${columns.join(', ')})`,
    engine !== undefined && `ENGINE = ${printName(engine.name)}${list === '' ? '' : `(${list})`}`,
    partitionBy !== undefined && `PARTITION BY ${printExpression(partitionBy)}`,
    primaryKey !== undefined && `PRIMARY KEY ${printKey(primaryKey)}`,
    (orderBy.length > 0 || isSorted(table)) && `ORDER BY ${printKey(orderBy)}`,
    printSettings(table.settings),
    comment !== undefined && `COMMENT ${printString(encodeUtf8(comment))}`,
  );
}

/** Engines that must have a sorting key, `tuple()` if it is empty. */
function isSorted({ engine }: CreateTable): boolean {
  return engine?.name.endsWith('MergeTree') === true;
}

function printKey(key: readonly Expression[]): string {
  const [first] = key;
  if (first === undefined) return 'tuple()';
  return key.length === 1 ? printExpression(first) : `(${printExpressions(key)})`;
}

function printInsert({ name, columns, settings, source, ...insert }: Insert): string {
  const target =
    insert.function === undefined
      ? printTableName(name)
      : `FUNCTION ${printTableFunction(name.table, insert.function)}`;
  const head = words(
    'INSERT INTO',
    target,
    columns !== undefined && `(${columns.map(printName).join(', ')})`,
    printSettings(settings),
  );
  if (source.kind === 'values') return `${head} VALUES`;
  if (source.kind === 'format') return `${head} FORMAT ${printName(source.format)}`;
  const { query, format } = source;
  return words(head, printQuery(query), format !== undefined && `FORMAT ${printName(format)}`);
}
