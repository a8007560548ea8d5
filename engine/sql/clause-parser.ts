// GROUP BY, ORDER BY, LIMIT and their relatives. What ClickHouse has and the tree can't hold
// (GROUPING SETS, WITH FILL, WITH TIES, ...) is error 48 by its name.

import type { Expression, OrderItem, Select } from './ast.ts';
import { parseExpression, parseExpressions } from './expression-parser.ts';
import type { TokenCursor } from './token-cursor.ts';

type Grouping = Pick<Select, 'groupBy' | 'groupModifier'>;
type Limits = Pick<Select, 'limitBy' | 'limit' | 'offset'>;
type GroupModifier = NonNullable<Select['groupModifier']>;

const modifiers: readonly GroupModifier[] = ['rollup', 'cube', 'totals'];

export function parseGroupBy(cursor: TokenCursor): Grouping {
  if (!cursor.take('GROUP', 'BY')) {
    const groupModifier = parseModifier(cursor, ['totals']);
    return groupModifier === undefined ? { groupBy: [] } : { groupBy: [], groupModifier };
  }
  if (cursor.areNext('GROUPING', 'SETS')) throw cursor.unsupported('GROUPING SETS');
  if (cursor.is('ALL')) return parseGroupByAll(cursor);
  const prefix = modifiers.find(
    (modifier) => modifier !== 'totals' && cursor.areNext(modifier.toUpperCase(), '('),
  );
  const groupBy = prefix === undefined ? parseExpressions(cursor) : parsePrefixed(cursor);
  const suffix = parseModifier(cursor, modifiers);
  if (prefix !== undefined && suffix !== undefined) {
    throw cursor.unsupported('More than one modifier of GROUP BY');
  }
  const groupModifier = prefix ?? suffix;
  return groupModifier === undefined ? { groupBy } : { groupBy, groupModifier };
}

function parseGroupByAll(cursor: TokenCursor): Grouping {
  cursor.advance();
  if (parseModifier(cursor, modifiers) !== undefined) {
    throw cursor.unsupported('A modifier after GROUP BY ALL');
  }
  return { groupBy: [], groupModifier: 'all' };
}

/** ROLLUP (a, b). */
function parsePrefixed(cursor: TokenCursor): Expression[] {
  cursor.advance();
  cursor.expect('(');
  const list = parseExpressions(cursor);
  cursor.expect(')');
  return list;
}

function parseModifier(
  cursor: TokenCursor,
  allowed: readonly GroupModifier[],
): GroupModifier | undefined {
  const found = allowed.find((modifier) => cursor.take('WITH', modifier.toUpperCase()));
  if (found !== undefined && cursor.is('WITH')) {
    throw cursor.unsupported('More than one modifier of GROUP BY');
  }
  return found;
}

export function parseOrderBy(cursor: TokenCursor): OrderItem[] {
  if (!cursor.take('ORDER', 'BY')) return [];
  if (cursor.is('ALL')) throw cursor.unsupported('ORDER BY ALL');
  const items: OrderItem[] = [];
  do items.push(parseOrderItem(cursor));
  while (cursor.take(','));
  if (cursor.is('INTERPOLATE')) throw cursor.unsupported('INTERPOLATE');
  return items;
}

function parseOrderItem(cursor: TokenCursor): OrderItem {
  const at = cursor.at;
  const value = parseExpression(cursor);
  const descending = cursor.take('DESC') || cursor.take('DESCENDING');
  if (!descending && !cursor.take('ASC')) cursor.take('ASCENDING');
  let nullsFirst = false;
  if (cursor.take('NULLS')) {
    nullsFirst = cursor.take('FIRST');
    if (!nullsFirst) cursor.expect('LAST');
  }
  if (cursor.is('COLLATE')) throw cursor.unsupported('COLLATE');
  if (cursor.areNext('WITH', 'FILL')) throw cursor.unsupported('WITH FILL');
  return { at, value, descending, nullsFirst };
}

/** LIMIT ... BY, LIMIT and OFFSET. */
export function parseLimits(cursor: TokenCursor): Limits {
  const first = cursor.take('LIMIT') ? parseLimit(cursor) : undefined;
  if (first === undefined) {
    const offset = parseOffset(cursor);
    return offset === undefined ? {} : { offset };
  }
  if (!cursor.take('BY')) return first;
  const limitBy = { ...first, by: parseExpressions(cursor) };
  return cursor.take('LIMIT') ? { limitBy, ...parseLimit(cursor) } : { limitBy };
}

/** `n`, `n OFFSET m`, or `m, n`. */
function parseLimit(cursor: TokenCursor): { limit: Expression; offset?: Expression } {
  const first = parseExpression(cursor);
  if (cursor.take(',')) {
    const limit = parseExpression(cursor);
    refuseTies(cursor);
    return { limit, offset: first };
  }
  refuseTies(cursor);
  const offset = parseOffset(cursor);
  return offset === undefined ? { limit: first } : { limit: first, offset };
}

function parseOffset(cursor: TokenCursor): Expression | undefined {
  if (cursor.is('FETCH')) throw cursor.unsupported('FETCH');
  if (!cursor.take('OFFSET')) return undefined;
  const offset = parseExpression(cursor);
  if (!cursor.take('ROWS')) cursor.take('ROW');
  if (cursor.is('FETCH')) throw cursor.unsupported('FETCH');
  return offset;
}

function refuseTies(cursor: TokenCursor): void {
  if (cursor.areNext('WITH', 'TIES')) throw cursor.unsupported('WITH TIES');
}
