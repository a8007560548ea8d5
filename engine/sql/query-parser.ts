// Queries: SELECTs joined by UNION, and one SELECT with its clauses in ClickHouse's order. Tables
// are in table-parser.ts, the lists of the later clauses in clause-parser.ts.

import type { Expression, Query, Select, TableExpression, WithItem } from './ast.ts';
import { parseGroupBy, parseLimits, parseOrderBy } from './clause-parser.ts';
import { parseExpression, parseUnnamed } from './expression-parser.ts';
import { isItemAlias } from './keywords.ts';
import { parseSettings } from './settings-parser.ts';
import { parseTables } from './table-parser.ts';
import { depthMax, type TokenCursor } from './token-cursor.ts';

/** Whether a query begins at the current token; parentheses alone may be something else. */
export function isQueryStart(cursor: TokenCursor): boolean {
  return startsQuery(cursor, 0);
}

/** Whether a query begins `ahead` tokens on, after any number of parentheses. */
export function startsQuery(cursor: TokenCursor, ahead: number): boolean {
  let at = ahead;
  while (cursor.peek(at).key === '(' && at < ahead + depthMax) at++;
  return isQueryWord(cursor, at);
}

/** Whether the word `at` tokens ahead begins a query. */
export function isQueryWord(cursor: TokenCursor, at: number): boolean {
  const { key } = cursor.peek(at);
  const next = cursor.peek(at + (key === '' ? 0 : 1));
  if (key === 'SELECT') return !isContinuation(next.key);
  if (key === 'WITH') return next.kind !== 'symbol' || next.key === '(' || next.key === '[';
  return key === 'FROM' && (next.kind === 'word' || next.kind === 'quoted' || next.key === '(');
}

/** What follows a column that happens to be called `select`. */
function isContinuation(key: string): boolean {
  return [',', ')', '=', '.', '->', '::'].includes(key);
}

export function parseQuery(cursor: TokenCursor): Query {
  cursor.enter();
  const at = cursor.at;
  const query = continueQuery(cursor, parseMember(cursor));
  cursor.leave();
  return { ...query, at };
}

/** Whether a set operation follows a query. */
export function isSetOperation(cursor: TokenCursor): boolean {
  return cursor.is('UNION') || cursor.is('INTERSECT') || cursor.is('EXCEPT');
}

/** `first`, with the SELECTs that UNION adds to it. */
export function continueQuery(cursor: TokenCursor, first: Query): Query {
  refuseSetOperations(cursor);
  if (!cursor.is('UNION')) return first;
  const { at } = first;
  const selects = [...first.selects];
  let union: Query['union'] | undefined;
  while (cursor.is('UNION')) {
    const mode = parseUnionMode(cursor);
    if (union !== undefined && union !== mode) {
      throw cursor.unsupported('UNION ALL and UNION DISTINCT in one list', at);
    }
    union = mode;
    const member = parseMember(cursor);
    refuseMixture(cursor, member, mode);
    selects.push(...shareWith(member.selects));
    refuseSetOperations(cursor);
  }
  refuseMixture(cursor, first, union ?? 'all');
  return { at, selects, union: union ?? 'all' };
}

/** The WITH list of a UNION in parentheses is known to its own SELECTs alone. */
function shareWith([first, ...rest]: readonly Select[]): readonly Select[] {
  if (first === undefined) return [];
  return [first, ...rest.map((one) => ({ ...one, with: [...first.with, ...one.with] }))];
}

/** A UNION in parentheses is taken apart only if it is of the same kind as the one around it. */
function refuseMixture(cursor: TokenCursor, member: Query, mode: Query['union']): void {
  if (member.selects.length > 1 && member.union !== mode) {
    throw cursor.unsupported('UNION ALL and UNION DISTINCT in one list', member.at);
  }
}

function refuseSetOperations(cursor: TokenCursor): void {
  const { key } = cursor.token;
  if (key === 'INTERSECT' || key === 'EXCEPT') throw cursor.unsupported(key);
}

function parseUnionMode(cursor: TokenCursor): Query['union'] {
  cursor.expect('UNION');
  if (cursor.take('ALL')) return 'all';
  if (cursor.take('DISTINCT')) return 'distinct';
  throw cursor.unsupported('UNION without ALL or DISTINCT');
}

function parseMember(cursor: TokenCursor): Query {
  const at = cursor.at;
  if (!cursor.take('(')) return { at, selects: [parseSelect(cursor)], union: 'all' };
  const query = parseQuery(cursor);
  cursor.expect(')');
  return query;
}

function parseSelect(cursor: TokenCursor): Select {
  const at = cursor.at;
  const withItems = cursor.take('WITH') ? parseWith(cursor) : [];
  const leading = cursor.take('FROM') ? parseTables(cursor) : undefined;
  if (withItems.length > 0 && cursor.is('INSERT')) throw cursor.unsupported('WITH before INSERT');
  cursor.expect('SELECT');
  const distinct = parseDistinct(cursor);
  const items = parseItems(cursor);
  const tables = leading ?? (cursor.take('FROM') ? parseTables(cursor) : undefined);
  const prewhere = cursor.take('PREWHERE') ? parseExpression(cursor) : undefined;
  const where = cursor.take('WHERE') ? parseExpression(cursor) : undefined;
  const grouping = parseGroupBy(cursor);
  const having = cursor.take('HAVING') ? parseExpression(cursor) : undefined;
  if (cursor.is('WINDOW') || cursor.is('QUALIFY')) throw cursor.unsupported(cursor.token.key);
  const orderBy = parseOrderBy(cursor);
  const limits = parseLimits(cursor);
  const settings = cursor.take('SETTINGS') ? parseSettings(cursor) : [];
  return {
    at,
    with: withItems,
    distinct,
    items,
    ...fromOf(tables),
    ...(prewhere === undefined ? {} : { prewhere }),
    ...(where === undefined ? {} : { where }),
    ...grouping,
    ...(having === undefined ? {} : { having }),
    orderBy,
    ...limits,
    settings,
  };
}

function fromOf(
  tables: ReturnType<typeof parseTables> | undefined,
): { from?: TableExpression } & Pick<Select, 'arrayJoin'> {
  if (tables === undefined) return {};
  const { from, arrayJoin } = tables;
  return {
    ...(from === undefined ? {} : { from }),
    ...(arrayJoin === undefined ? {} : { arrayJoin }),
  };
}

function parseDistinct(cursor: TokenCursor): boolean {
  if (cursor.is('TOP')) {
    const next = cursor.peek(1);
    if (next.kind === 'number' || next.key === '(') throw cursor.unsupported('TOP');
  }
  if (cursor.take('ALL')) return false;
  if (!cursor.take('DISTINCT')) return false;
  if (cursor.areNext('ON', '(')) throw cursor.unsupported('DISTINCT ON');
  return true;
}

function parseItems(cursor: TokenCursor): Expression[] {
  const items: Expression[] = [];
  do {
    if (items.length > 0 && cursor.is('FROM')) return items;
    const at = cursor.at;
    const value = parseExpression(cursor);
    const named = value.kind !== 'alias' && value.kind !== 'star' && isItemAlias(cursor.token);
    items.push(named ? { kind: 'alias', at, value, name: cursor.expectName() } : value);
  } while (cursor.take(','));
  return items;
}

function parseWith(cursor: TokenCursor): WithItem[] {
  const { kind } = cursor.peek(1);
  if (cursor.is('RECURSIVE') && kind === 'word') throw cursor.unsupported('WITH RECURSIVE');
  const items: WithItem[] = [];
  do items.push(parseWithItem(cursor));
  while (cursor.take(','));
  return items;
}

function parseWithItem(cursor: TokenCursor): WithItem {
  const at = cursor.at;
  if (cursor.isName() && cursor.peek(1).key === 'AS') {
    const after = cursor.peek(2).key;
    const modifier = cursor.peek(3).key === '(' || after === 'NOT';
    if ((after === 'MATERIALIZED' || after === 'NOT') && modifier) {
      throw cursor.unsupported('MATERIALIZED');
    }
    if (after === '(') return parseCommonTable(cursor);
  }
  const value = parseUnnamed(cursor);
  if (!cursor.take('AS')) throw cursor.unsupported('A WITH expression without a name', at);
  if (cursor.is('(')) throw cursor.unsupported('A list of columns in WITH', at);
  return { kind: 'expression', at, name: cursor.expectName(), value };
}

function parseCommonTable(cursor: TokenCursor): WithItem {
  const at = cursor.at;
  const name = cursor.expectName();
  cursor.expect('AS', '(');
  const query = parseQuery(cursor);
  cursor.expect(')');
  return { kind: 'query', at, name, query };
}
