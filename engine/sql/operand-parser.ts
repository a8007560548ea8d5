// Operands: literals, names, parentheses, arrays, parameters, and what may follow one: `[i]`, `.1`,
// `.name`, `::Type`. Any word is a name where no special form begins with it: ClickHouse reserves
// only a few.

import { encodeUtf8 } from '../../base/utf8.ts';
import type { Expression } from './ast.ts';
import { parseCall } from './call-parser.ts';
import { call, parseExpression } from './expression-parser.ts';
import { isNumberHere, parseLiteral } from './literal-parser.ts';
import { continueQuery, isQueryWord, isSetOperation, parseQuery } from './query-parser.ts';
import { parseSpecialForm } from './special-form-parser.ts';
import type { TokenCursor } from './token-cursor.ts';
import { parseTypeText } from './type-text.ts';

/** Words that are never a name where an operand is expected. */
const neverNames: ReadonlySet<string> = new Set(['ALL', 'DISTINCT', 'NOT']);
/** What may stand between a star and the next item, changing the star's meaning. */
const starTransformers: ReadonlySet<string> = new Set([
  'EXCEPT',
  'REPLACE',
  'APPLY',
  'ILIKE',
  'LIKE',
]);

export function parseOperand(cursor: TokenCursor): Expression {
  return parseAccess(cursor, parsePrimary(cursor));
}

function parsePrimary(cursor: TokenCursor): Expression {
  const { kind, key } = cursor.token;
  switch (kind) {
    case 'number':
    case 'string':
      return parseLiteral(cursor);
    case 'quoted':
      return parseName(cursor);
    case 'word':
      return parseWord(cursor);
    case 'symbol':
      break;
    default:
      throw cursor.fail('expression');
  }
  if (key === '-') return parseLiteral(cursor);
  if (key === '(') return parseParentheses(cursor);
  if (key === '[') return parseArray(cursor);
  if (key === '{') return parseParameter(cursor);
  if (key === '*') return parseStar(cursor, cursor.at, []);
  if (key === '@@') throw cursor.unsupported('A global variable');
  throw cursor.fail('expression');
}

function parseWord(cursor: TokenCursor): Expression {
  const { key } = cursor.token;
  if (isLiteralWord(cursor, key)) return parseLiteral(cursor);
  const special = parseSpecialForm(cursor);
  if (special !== undefined) return special;
  if (!isNameWord(cursor, key)) throw cursor.fail('expression');
  if (key === 'COLUMNS' && cursor.peek(1).key === '(') throw cursor.unsupported('COLUMNS');
  return parseName(cursor);
}

function isLiteralWord(cursor: TokenCursor, key: string): boolean {
  if (key === 'NULL' || key === 'TRUE' || key === 'FALSE') return cursor.peek(1).key !== '(';
  return isNumberHere(cursor, 0);
}

/** FROM is a name only where no table can follow it. */
function isNameWord(cursor: TokenCursor, key: string): boolean {
  if (key !== 'FROM') return !neverNames.has(key);
  const next = cursor.peek(1);
  if (next.kind === 'word') return next.key === 'FROM' || next.key === 'AS';
  return next.kind !== 'quoted' && next.key !== '(' && next.key !== '{';
}

function parseName(cursor: TokenCursor): Expression {
  const at = cursor.at;
  const quoted = cursor.token.kind === 'quoted';
  const parts = [cursor.advance().text];
  while (cursor.is('.')) {
    const next = cursor.peek(1);
    if (next.key === '*') {
      cursor.advance();
      return parseStar(cursor, at, parts);
    }
    if (next.kind !== 'word' && next.kind !== 'quoted') break;
    if (next.key === 'COLUMNS' && cursor.peek(2).key === '(') throw cursor.unsupported('COLUMNS');
    cursor.advance();
    parts.push(cursor.advance().text);
  }
  if (!cursor.is('(')) return { kind: 'name', at, parts };
  return parseCall(cursor, { at, name: parts.join('.'), quoted: quoted || parts.length > 1 });
}

/** `*` with the qualifier before it already taken. */
function parseStar(cursor: TokenCursor, at: number, qualifier: readonly string[]): Expression {
  cursor.expect('*');
  if (starTransformers.has(cursor.token.key)) {
    throw cursor.unsupported(`${cursor.token.key} after *`);
  }
  return { kind: 'star', at, qualifier };
}

function parseParentheses(cursor: TokenCursor): Expression {
  const at = cursor.advance().start;
  if (isQueryWord(cursor, 0)) {
    const query = parseQuery(cursor);
    cursor.expect(')');
    return { kind: 'subquery', at, query };
  }
  const items: Expression[] = [];
  let tuple = false;
  while (!cursor.is(')')) {
    items.push(continueSubquery(cursor, parseExpression(cursor)));
    if (!cursor.take(',')) break;
    tuple = true;
  }
  cursor.expect(')');
  const [first] = items;
  if (first !== undefined && !tuple) return first;
  refuseLateLambda(cursor, items);
  return parseLiteralCast(cursor, { kind: 'tuple', at, items });
}

/** `((SELECT 1) UNION ALL SELECT 2)`: what looked like an operand was the first of the queries. */
function continueSubquery(cursor: TokenCursor, item: Expression): Expression {
  if (item.kind !== 'subquery' || !isSetOperation(cursor)) return item;
  return { ...item, query: continueQuery(cursor, item.query) };
}

function parseArray(cursor: TokenCursor): Expression {
  const { start: at } = cursor.advance();
  const items: Expression[] = [];
  if (!cursor.is(']')) {
    do items.push(parseExpression(cursor));
    while (cursor.take(','));
  }
  cursor.expect(']');
  refuseLateLambda(cursor, items);
  return parseLiteralCast(cursor, { kind: 'array', at, items });
}

/** A list of literals before `::` is named by its text; any other operand is left as it is. */
function parseLiteralCast(cursor: TokenCursor, list: Collection): Expression {
  if (!cursor.is('::') || !isLiteralList(list)) return list;
  return parseCastOperator(cursor, list, cursor.text.slice(list.at, cursor.previous?.end));
}

type Collection = Extract<Expression, { readonly kind: 'array' | 'tuple' }>;

function isLiteralList({ items }: Collection): boolean {
  return items.every((item) => {
    if (item.kind === 'array' || item.kind === 'tuple') return isLiteralList(item);
    return item.kind === 'literal';
  });
}

/** `[a, b -> c]`: ClickHouse takes all that is before the arrow as the lambda's names. */
function refuseLateLambda(cursor: TokenCursor, items: readonly Expression[]): void {
  const lambda = items.findIndex(({ kind }) => kind === 'lambda');
  if (lambda > 0) throw cursor.unsupported('A lambda after other items', items[lambda]?.at);
}

function parseParameter(cursor: TokenCursor): Expression {
  const at = cursor.advance().start;
  const name = cursor.expectName();
  cursor.expect(':');
  const { text: type } = parseTypeText(cursor);
  cursor.expect('}');
  const value = type.toUpperCase() === 'IDENTIFIER' ? cursor.options.identifier?.(name) : undefined;
  if (value === undefined) {
    if (type.toUpperCase() === 'IDENTIFIER' && cursor.is('.')) {
      throw cursor.unsupported('An Identifier parameter here', at);
    }
    return { kind: 'parameter', at, name, type };
  }
  const parts = [value];
  while (cursor.take('.')) parts.push(cursor.expectName());
  return { kind: 'name', at, parts };
}

/** `[i]`, `.1`, `.name` and `::Type` after an operand, as many as there are. */
function parseAccess(cursor: TokenCursor, operand: Expression): Expression {
  let value = operand;
  for (let steps = 0; ; steps++) {
    if (value.kind === 'star') return value;
    const { at } = value;
    if (cursor.take('[')) {
      value = call(at, 'arrayElement', value, parseExpression(cursor));
      cursor.expect(']');
    } else if (cursor.take('.')) {
      value = call(at, 'tupleElement', value, parseField(cursor));
    } else if (cursor.is('::')) {
      value = parseCastOperator(cursor, value, undefined);
    } else {
      return value;
    }
  }
}

function parseField(cursor: TokenCursor): Expression {
  const { at, token } = cursor;
  if (token.kind === 'number') return parseLiteral(cursor);
  if (token.key === '-' && cursor.peek(1).kind === 'number') return parseLiteral(cursor);
  const value = encodeUtf8(cursor.expectName());
  return { kind: 'literal', at, literal: { kind: 'string', value } };
}

function parseCastOperator(
  cursor: TokenCursor,
  value: Expression,
  literalText: string | undefined,
): Expression {
  cursor.expect('::');
  const { text: typeText, type } = parseTypeText(cursor);
  const cast = { kind: 'cast', at: value.at, value, type: type(), typeText } as const;
  return literalText === undefined ? cast : { ...cast, literalText };
}
