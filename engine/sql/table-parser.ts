// What FROM reads: tables, subqueries, table functions, joins to the left, and ARRAY JOIN.

import type { Expression, Select, TableExpression, TableName } from './ast.ts';
import { parseExpression, parseExpressions } from './expression-parser.ts';
import { isTableAlias } from './keywords.ts';
import { parseQuery, startsQuery } from './query-parser.ts';
import type { TokenCursor } from './token-cursor.ts';

type Join = Extract<TableExpression, { readonly kind: 'join' }>;

/** `from` is absent for a bare ARRAY JOIN, which ClickHouse has no use for either. */
interface Tables {
  readonly from?: TableExpression;
  readonly arrayJoin?: NonNullable<Select['arrayJoin']>;
}

/** The tables after FROM. */
export function parseTables(cursor: TokenCursor): Tables {
  let from = parseTable(cursor);
  let arrayJoin: Tables['arrayJoin'];
  for (;;) {
    const unrolled = parseArrayJoin(cursor);
    const join = unrolled === undefined ? parseJoin(cursor, from) : undefined;
    if (unrolled === undefined && join === undefined) break;
    if (arrayJoin !== undefined) throw cursor.unsupported('A join after ARRAY JOIN');
    if (join !== undefined) from = join;
    else arrayJoin = unrolled;
  }
  return arrayJoin === undefined ? { from } : { from, arrayJoin };
}

/** `t`, `db.t`. */
export function parseTableName(cursor: TokenCursor): TableName {
  const at = cursor.at;
  const first = cursor.expectName();
  return cursor.take('.')
    ? { at, database: first, table: cursor.expectName() }
    : { at, table: first };
}

/** One table, subquery or table function with its alias and FINAL. */
export function parseTable(cursor: TokenCursor): TableExpression {
  const at = cursor.at;
  if (cursor.is('(')) return parseSubquery(cursor);
  if (cursor.is('FROM')) throw cursor.fail('table');
  const name = parseTableName(cursor);
  const call = cursor.is('(') ? parseTableFunction(cursor, name) : undefined;
  const alias = parseTableAlias(cursor);
  if (call !== undefined) {
    if (cursor.is('FINAL')) throw cursor.unsupported('FINAL after a table function');
    refuseSample(cursor);
    return { kind: 'function', at, ...call, ...alias };
  }
  const final = cursor.take('FINAL');
  refuseSample(cursor);
  return { kind: 'table', at, name, ...alias, final };
}

function refuseSample(cursor: TokenCursor): void {
  if (cursor.is('SAMPLE') || cursor.is('STREAM')) throw cursor.unsupported(cursor.token.key);
}

function parseSubquery(cursor: TokenCursor): TableExpression {
  const at = cursor.at;
  if (!startsQuery(cursor, 1)) throw cursor.unsupported('A join in parentheses');
  cursor.expect('(');
  const query = parseQuery(cursor);
  cursor.expect(')');
  const alias = parseTableAlias(cursor);
  if (cursor.is('FINAL')) throw cursor.unsupported('FINAL after a subquery');
  return { kind: 'subquery', at, query, ...alias };
}

/** Behind its name. */
export function parseTableFunction(
  cursor: TokenCursor,
  name: TableName,
): { readonly name: string; readonly arguments: readonly Expression[] } {
  if (name.database !== undefined) throw cursor.unsupported('A table function of a database');
  cursor.expect('(');
  if (cursor.is('SELECT')) throw cursor.unsupported(`A query as the argument of ${name.table}`);
  const list = cursor.is(')') ? [] : parseExpressions(cursor);
  if (cursor.is('SETTINGS')) throw cursor.unsupported('SETTINGS in a table function');
  cursor.expect(')');
  if (name.table === 'input') cursor.sawInput = true;
  return { name: name.table, arguments: list };
}

function parseTableAlias(cursor: TokenCursor): { alias?: string } {
  if (!cursor.take('AS') && !isTableAlias(cursor.token)) return {};
  const alias = cursor.expectName();
  if (cursor.is('(')) throw cursor.unsupported('A list of columns behind an alias');
  return { alias };
}

function parseArrayJoin(cursor: TokenCursor): Tables['arrayJoin'] | undefined {
  const left = cursor.take('LEFT', 'ARRAY', 'JOIN');
  if (!left && !cursor.take('ARRAY', 'JOIN') && !cursor.take('INNER', 'ARRAY', 'JOIN')) {
    return undefined;
  }
  return { left, items: parseExpressions(cursor) };
}

/** The join that follows `left`, if one does. */
function parseJoin(cursor: TokenCursor, left: TableExpression): Join | undefined {
  const at = cursor.at;
  if (cursor.take(',')) return { kind: 'join', at, how: 'cross', left, right: parseTable(cursor) };
  const how = parseJoinKind(cursor);
  if (how === undefined) return undefined;
  const right = parseTable(cursor);
  const join = { kind: 'join', at, how, left, right } as const;
  if (how === 'cross') return join;
  if (cursor.take('USING')) return { ...join, using: parseUsing(cursor) };
  cursor.expect('ON');
  return { ...join, on: parseExpression(cursor) };
}

const sides: ReadonlyMap<string, Join['how']> = new Map<string, Join['how']>([
  ['INNER', 'inner'],
  ['LEFT', 'left'],
  ['RIGHT', 'right'],
  ['FULL', 'full'],
  ['CROSS', 'cross'],
]);
const strictnesses = ['ANY', 'ALL', 'ASOF', 'SEMI', 'ANTI'] as const;

/** The words up to JOIN; nothing taken when there is no join here. */
function parseJoinKind(cursor: TokenCursor): Join['how'] | undefined {
  if (!beginsJoin(cursor)) return undefined;
  if (!cursor.take('GLOBAL')) cursor.take('LOCAL');
  const before = strictnesses.find((word) => cursor.take(word));
  const side = [...sides.keys()].find((word) => cursor.take(word));
  if (side !== undefined && side !== 'INNER' && side !== 'CROSS') cursor.take('OUTER');
  const strictness = before ?? strictnesses.find((word) => cursor.take(word));
  cursor.expect('JOIN');
  const how = sides.get(side ?? 'INNER') ?? 'inner';
  if (strictness === undefined || strictness === 'ALL') return how;
  const left = side === undefined || side === 'LEFT';
  if ((strictness === 'SEMI' || strictness === 'ANTI') && left) {
    return strictness === 'SEMI' ? 'semi' : 'anti';
  }
  throw cursor.unsupported(`${strictness} ${side ?? 'INNER'} JOIN`);
}

/** Whether only words of a join stand before JOIN from here. */
function beginsJoin(cursor: TokenCursor): boolean {
  if (cursor.is('NATURAL') || cursor.is('PASTE')) {
    throw cursor.unsupported(`${cursor.token.key} JOIN`);
  }
  const words: readonly string[] = ['GLOBAL', 'LOCAL', 'OUTER', ...sides.keys(), ...strictnesses];
  const begins = cursor.is('JOIN') || words.includes(cursor.token.key);
  if (!begins) cursor.take('JOIN');
  return begins;
}

function parseUsing(cursor: TokenCursor): string[] {
  const parenthesised = cursor.take('(');
  const names = [cursor.expectName()];
  while (cursor.take(',')) names.push(cursor.expectName());
  if (parenthesised) cursor.expect(')');
  return names;
}
