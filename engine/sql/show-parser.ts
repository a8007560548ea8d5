// SHOW, DESCRIBE, EXISTS, and the FORMAT that may end them.

import type { Statement } from './ast.ts';
import { isQueryStart, parseQuery } from './query-parser.ts';
import { parseTable, parseTableName } from './table-parser.ts';
import type { TokenCursor } from './token-cursor.ts';

/** `FORMAT name`, if it is next. */
export function parseFormat(cursor: TokenCursor): { readonly format?: string } {
  return cursor.take('FORMAT') ? { format: cursor.expectName() } : {};
}

const otherShows: ReadonlySet<string> = new Set(
  (
    'ACCESS CHANGED CLUSTER CLUSTERS COLUMNS CURRENT DICTIONARIES ENABLED ENGINES EXTENDED ' +
    'FIELDS FILESYSTEM FUNCTIONS GRANTS INDEX INDEXES INDICES KEYS MERGES POLICIES PRIVILEGES ' +
    'PROCESSLIST PROFILE PROFILES QUOTA QUOTAS ROLES ROW SETTING SETTINGS TEMPORARY USERS USER'
  ).split(' '),
);

export function parseShow(cursor: TokenCursor): Statement {
  const at = cursor.advance().start;
  if (cursor.take('DATABASES')) return parseShowDatabases(cursor, at);
  if (cursor.take('TABLES') || cursor.take('FULL', 'TABLES')) return parseShowTables(cursor, at);
  if (cursor.is('CREATE')) return parseShowCreate(cursor, at);
  if (!otherShows.has(cursor.token.key)) throw cursor.fail();
  return { kind: 'unsupported', at, what: `SHOW ${cursor.token.key}` };
}

function parseShowDatabases(cursor: TokenCursor, at: number): Statement {
  const like = parseLike(cursor);
  refuseLimit(cursor);
  return { kind: 'show-databases', at, ...like, ...parseFormat(cursor) };
}

function parseShowTables(cursor: TokenCursor, at: number): Statement {
  const qualified = cursor.take('FROM') || cursor.take('IN');
  const database = qualified ? { database: cursor.expectName() } : {};
  const like = parseLike(cursor);
  refuseLimit(cursor);
  return { kind: 'show-tables', at, ...database, ...like, ...parseFormat(cursor) };
}

function parseLike(cursor: TokenCursor): { readonly like?: string } {
  if (cursor.is('ILIKE') || cursor.is('NOT'))
    throw cursor.unsupported(`${cursor.token.key} in SHOW`);
  return cursor.take('LIKE') ? { like: cursor.expectString() } : {};
}

function refuseLimit(cursor: TokenCursor): void {
  for (const key of ['LIMIT', 'WHERE', 'SETTINGS', 'INTO']) {
    if (cursor.is(key)) throw cursor.unsupported(`${key} in SHOW`);
  }
}

function parseShowCreate(cursor: TokenCursor, at: number): Statement {
  cursor.advance();
  if (cursor.take('DATABASE')) {
    const nameAt = cursor.at;
    const name = { at: nameAt, table: cursor.expectName() };
    return { kind: 'show-create', at, what: 'database', name, ...parseFormat(cursor) };
  }
  const { key } = cursor.token;
  const other = ['VIEW', 'DICTIONARY', 'TEMPORARY', 'USER', 'ROLE', 'QUOTA', 'PROFILE', 'POLICY'];
  if (other.includes(key) && cursor.peek(1).kind === 'word') {
    return { kind: 'unsupported', at, what: `SHOW CREATE ${key}` };
  }
  cursor.take('TABLE');
  const name = parseTableName(cursor);
  return { kind: 'show-create', at, what: 'table', name, ...parseFormat(cursor) };
}

export function parseDescribe(cursor: TokenCursor): Statement {
  const at = cursor.advance().start;
  cursor.take('TABLE');
  const targetAt = cursor.at;
  const target =
    isQueryStart(cursor) && !cursor.is('(')
      ? ({ kind: 'subquery', at: targetAt, query: parseQuery(cursor) } as const)
      : parseTable(cursor);
  const format = parseFormat(cursor);
  if (cursor.is('SETTINGS')) throw cursor.unsupported('SETTINGS in DESCRIBE');
  return { kind: 'describe', at, target, ...format };
}

export function parseExists(cursor: TokenCursor): Statement {
  const at = cursor.advance().start;
  const { key } = cursor.token;
  const named = cursor.peek(1).kind === 'word' || cursor.peek(1).kind === 'quoted';
  if (named && ['VIEW', 'DICTIONARY', 'TEMPORARY'].includes(key)) {
    return { kind: 'unsupported', at, what: `EXISTS ${key}` };
  }
  const database = cursor.take('DATABASE');
  if (!database) cursor.take('TABLE');
  const nameAt = cursor.at;
  const name = database ? { at: nameAt, table: cursor.expectName() } : parseTableName(cursor);
  const what = database ? 'database' : 'table';
  return { kind: 'exists', at, what, name, ...parseFormat(cursor) };
}
