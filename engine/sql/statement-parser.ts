// The entry: one statement, a semicolon after it or not, nothing behind. Each kind of statement is
// in a file of its own; here are the dispatch by the first words and the smallest kinds.

import { MusterError } from '../../base/errors.ts';
import type { Expression, Query, Setting, Statement } from './ast.ts';
import { parseAlter } from './alter-parser.ts';
import { parseCreate } from './create-parser.ts';
import { parseDrop, parseTruncate } from './drop-parser.ts';
import { parseExplain } from './explain-parser.ts';
import { parseExpression as parseExpressionAt } from './expression-parser.ts';
import { parseInsert } from './insert-parser.ts';
import { isQueryStart, parseQuery } from './query-parser.ts';
import { parseOptimize } from './optimize-parser.ts';
import { parseSettings } from './settings-parser.ts';
import { parseDescribe, parseExists, parseFormat, parseShow } from './show-parser.ts';
import { positionOf } from './syntax-error.ts';
import { type ParseOptions, TokenCursor } from './token-cursor.ts';
import { checkTree } from './tree-limits.ts';

/**
 * Parses one statement. Errors: SYNTAX_ERROR (62) with a position, NOT_IMPLEMENTED (48) naming what
 * ClickHouse has and we don't, UNKNOWN_TYPE (50), TOO_DEEP_AST, TOO_BIG_AST, QUERY_IS_TOO_LARGE.
 * Of an INSERT only the text before `source.dataAt` is read.
 */
export function parseStatement(text: string, options: ParseOptions = {}): Statement {
  const cursor = new TokenCursor(text, options);
  const statement = parseOne(cursor);
  if (!hasData(statement)) expectEnd(cursor);
  checkTree(cursor, statement);
  return statement;
}

/** Parses an expression alone, as the catalog keeps those of PARTITION BY and ORDER BY. */
export function parseExpression(text: string): Expression {
  const cursor = new TokenCursor(text);
  const expression = parseExpressionAt(cursor);
  expectEnd(cursor);
  checkTree(cursor, expression);
  return expression;
}

function hasData(statement: Statement): boolean {
  if (statement.kind === 'unsupported') return true;
  return (
    statement.kind === 'insert' &&
    (statement.source.kind !== 'query' || statement.source.format !== undefined)
  );
}

function expectEnd(cursor: TokenCursor): void {
  if (cursor.atEnd()) return;
  if (!cursor.is(';')) throw cursor.fail('end of query');
  const position = positionOf(cursor.text, cursor.at);
  while (cursor.is(';')) cursor.advance();
  if (cursor.atEnd()) return;
  const place = `(end of query) (line ${position.line}, col ${position.column})`;
  const failed = `failed at position ${position.offset + 1} ${place}`;
  const message = `Syntax error (Multi-statements are not allowed): ${failed}`;
  throw new MusterError('SYNTAX_ERROR', message, { position });
}

/** First words of statements that ClickHouse has and that do nothing here. */
const unsupportedStarts =
  'ATTACH BACKUP BEGIN CHECK COMMIT DELETE DETACH EXCHANGE EXECUTE GRANT KILL MOVE ' +
  'RENAME REPLACE RESTORE REVOKE ROLLBACK SYSTEM UNDROP UPDATE WATCH';
const unsupported: ReadonlySet<string> = new Set(unsupportedStarts.split(' '));

function parseOne(cursor: TokenCursor): Statement {
  if (isQueryStart(cursor)) return parseSelectStatement(cursor);
  const { kind, key } = cursor.token;
  if (kind !== 'word') throw cursor.fail('statement');
  switch (key) {
    case 'INSERT':
      return parseInsert(cursor);
    case 'ALTER':
      return parseAlter(cursor);
    case 'CREATE':
      return parseCreate(cursor);
    case 'DROP':
      return parseDrop(cursor);
    case 'TRUNCATE':
      return parseTruncate(cursor);
    case 'OPTIMIZE':
      return parseOptimize(cursor);
    case 'SHOW':
      return parseShow(cursor);
    case 'DESCRIBE':
    case 'DESC':
      return parseDescribe(cursor);
    case 'EXISTS':
      return parseExists(cursor);
    case 'EXPLAIN':
      return parseExplain(cursor, parseOne);
    case 'USE':
      return parseUse(cursor);
    case 'SET':
      return parseSet(cursor);
    default:
      break;
  }
  if (!unsupported.has(key) || cursor.peek(1).kind === 'end') throw cursor.fail('statement');
  return { kind: 'unsupported', at: cursor.at, what: key };
}

function parseSelectStatement(cursor: TokenCursor): Statement {
  const at = cursor.at;
  const query = parseQuery(cursor);
  if (cursor.is('INTO')) throw cursor.unsupported('INTO OUTFILE');
  const { format } = parseFormat(cursor);
  const settings = cursor.take('SETTINGS') ? parseSettings(cursor) : [];
  const merged = settings.length === 0 ? query : withSettings(query, settings);
  return { kind: 'select', at, query: merged, ...(format === undefined ? {} : { format }) };
}

/** Settings behind FORMAT hold for the whole query. */
function withSettings(query: Query, settings: readonly Setting[]): Query {
  const selects = query.selects.map((select) => ({
    ...select,
    settings: [...select.settings, ...settings],
  }));
  return { ...query, selects };
}

function parseUse(cursor: TokenCursor): Statement {
  const at = cursor.advance().start;
  if (cursor.is('DATABASE') && cursor.peek(1).kind !== 'end') cursor.take('DATABASE');
  return { kind: 'use', at, database: cursor.expectName() };
}

function parseSet(cursor: TokenCursor): Statement {
  const at = cursor.advance().start;
  const next = cursor.peek(1);
  const { key } = cursor.token;
  if ((key === 'ROLE' || key === 'TRANSACTION' || key === 'DEFAULT') && next.kind === 'word') {
    return { kind: 'unsupported', at, what: `SET ${key}` };
  }
  return { kind: 'set', at, settings: parseSettings(cursor) };
}
