// CREATE DATABASE and CREATE TABLE. Clauses of the table may come in any order. What would change
// an answer or a row and isn't supported is error 48 by its name; codecs and comments change
// neither.

import { decodeUtf8 } from '../../base/utf8.ts';
import type { CreateTable, Expression, Setting, Statement } from './ast.ts';
import { parseColumnList } from './column-definition-parser.ts';
import { parseExpression, parseExpressions, parseUnnamed } from './expression-parser.ts';
import { operatorHere } from './operators.ts';
import { parseSettings } from './settings-parser.ts';
import { parseTableName } from './table-parser.ts';
import type { TokenCursor } from './token-cursor.ts';

const otherCreates: ReadonlySet<string> = new Set(
  (
    'VIEW MATERIALIZED LIVE WINDOW DICTIONARY FUNCTION USER ROLE ROW POLICY QUOTA SETTINGS ' +
    'PROFILE NAMED INDEX UNIQUE RESOURCE WORKLOAD MASKING'
  ).split(' '),
);

export function parseCreate(cursor: TokenCursor): Statement {
  const at = cursor.advance().start;
  if (cursor.areNext('OR', 'REPLACE')) throw cursor.unsupported('CREATE OR REPLACE');
  if (cursor.is('TEMPORARY')) throw cursor.unsupported('CREATE TEMPORARY TABLE');
  if (cursor.take('DATABASE')) return parseCreateDatabase(cursor, at);
  if (cursor.take('TABLE')) return parseCreateTable(cursor, at);
  if (!otherCreates.has(cursor.token.key)) throw cursor.fail();
  return { kind: 'unsupported', at, what: `CREATE ${cursor.token.key}` };
}

function parseCreateDatabase(cursor: TokenCursor, at: number): Statement {
  const ifNotExists = cursor.take('IF', 'NOT', 'EXISTS');
  const name = cursor.expectName();
  refuseUuidAndCluster(cursor);
  if (cursor.take('ENGINE')) {
    cursor.take('=');
    if (!cursor.is('ATOMIC')) throw cursor.unsupported(`Database engine ${cursor.token.text}`);
    cursor.advance();
    if (cursor.take('(')) cursor.expect(')');
  }
  if (cursor.take('COMMENT')) cursor.expectString();
  if (cursor.is('SETTINGS')) throw cursor.unsupported('SETTINGS of a database');
  return { kind: 'create-database', at, ifNotExists, name };
}

function refuseUuidAndCluster(cursor: TokenCursor): void {
  if (cursor.is('UUID')) throw cursor.unsupported('UUID');
  if (cursor.areNext('ON', 'CLUSTER')) throw cursor.unsupported('ON CLUSTER');
}

interface Clauses {
  engine?: NonNullable<CreateTable['engine']>;
  partitionBy?: Expression;
  orderBy?: readonly Expression[];
  primaryKey?: readonly Expression[];
  settings?: readonly Setting[];
  comment?: string;
}

function parseCreateTable(cursor: TokenCursor, at: number): Statement {
  const ifNotExists = cursor.take('IF', 'NOT', 'EXISTS');
  const name = parseTableName(cursor);
  refuseUuidAndCluster(cursor);
  const { columns, primaryKey } = cursor.is('(') ? parseColumnList(cursor) : { columns: [] };
  const clauses: Clauses = primaryKey === undefined ? {} : { primaryKey };
  while (parseClause(cursor, clauses));
  for (const key of ['AS', 'CLONE', 'EMPTY']) {
    if (cursor.is(key)) throw cursor.unsupported(`${key} in CREATE TABLE`);
  }
  const { orderBy = [], settings = [], ...others } = clauses;
  return { kind: 'create-table', at, ifNotExists, name, columns, orderBy, settings, ...others };
}

/** Reads one clause into `clauses`; false when none is next. */
function parseClause(cursor: TokenCursor, clauses: Clauses): boolean {
  const { key } = cursor.token;
  switch (key) {
    case 'ENGINE':
      once(cursor, clauses.engine);
      clauses.engine = parseEngine(cursor);
      return true;
    case 'PARTITION':
      once(cursor, clauses.partitionBy);
      cursor.expect('PARTITION', 'BY');
      clauses.partitionBy = parseExpression(cursor);
      return true;
    case 'ORDER':
      once(cursor, clauses.orderBy);
      cursor.expect('ORDER', 'BY');
      clauses.orderBy = parseKey(cursor);
      return true;
    case 'PRIMARY':
      once(cursor, clauses.primaryKey);
      cursor.expect('PRIMARY', 'KEY');
      clauses.primaryKey = parseKey(cursor);
      return true;
    case 'SETTINGS':
      once(cursor, clauses.settings);
      cursor.advance();
      clauses.settings = parseSettings(cursor);
      return true;
    case 'COMMENT':
      once(cursor, clauses.comment);
      cursor.advance();
      clauses.comment = decodeUtf8(cursor.expectString());
      return true;
    default:
      break;
  }
  for (const other of ['SAMPLE', 'TTL', 'UNIQUE', 'DEFINER', 'SQL']) {
    if (key === other) throw cursor.unsupported(`${other} in CREATE TABLE`);
  }
  return false;
}

function once(cursor: TokenCursor, clause: unknown): void {
  if (clause !== undefined) throw cursor.fail();
}

function parseEngine(cursor: TokenCursor): NonNullable<CreateTable['engine']> {
  cursor.expect('ENGINE');
  cursor.take('=');
  const name = cursor.expectName();
  if (!cursor.take('(')) return { name, arguments: [] };
  const list = cursor.is(')') ? [] : parseExpressions(cursor);
  cursor.expect(')');
  return { name, arguments: list };
}

/** A sorting key: `a`, `(a, b)`, `tuple()`. */
export function parseKey(cursor: TokenCursor): readonly Expression[] {
  const list = cursor.is('(') ? parseKeyList(cursor) : undefined;
  const key = list === undefined ? parseUnnamed(cursor) : undefined;
  refuseDirection(cursor);
  if (key === undefined) return list ?? [];
  if (key.kind === 'tuple') return key.items;
  return key.kind === 'call' && key.name === 'tuple' ? key.arguments : [key];
}

/** `(a, b)` as a list; undefined, with nothing taken, if an operator goes on after it. */
function parseKeyList(cursor: TokenCursor): readonly Expression[] | undefined {
  const place = cursor.save();
  cursor.advance();
  const list: Expression[] = [];
  while (!cursor.is(')')) {
    list.push(parseUnnamed(cursor));
    refuseDirection(cursor);
    if (!cursor.take(',')) break;
  }
  cursor.expect(')');
  const goesOn = ['.', '[', '::', '?'].includes(cursor.token.key);
  if (!goesOn && operatorHere(cursor) === undefined) return list;
  cursor.restore(place);
  return undefined;
}

function refuseDirection(cursor: TokenCursor): void {
  if (['DESC', 'DESCENDING', 'ASC', 'ASCENDING'].includes(cursor.token.key)) {
    throw cursor.unsupported(`${cursor.token.key} in a sorting key`);
  }
}
