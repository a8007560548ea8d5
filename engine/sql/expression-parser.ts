// Expressions by precedence climbing: prefix operators, infix operators from the table, the
// ternary, lambdas and aliases. Operands are in operand-parser.ts. Operators become calls of the
// functions that they are short for, as in ClickHouse.

import type { Expression } from './ast.ts';
import { isNumberHere } from './literal-parser.ts';
import { parseOperand } from './operand-parser.ts';
import { type Operator, operatorHere, precedenceOf } from './operators.ts';
import type { TokenCursor } from './token-cursor.ts';

/** An expression, with `AS name` after it if there is one. */
export function parseExpression(cursor: TokenCursor): Expression {
  const at = cursor.at;
  const value = parseUnnamed(cursor);
  if (!cursor.take('AS')) return value;
  if (value.kind === 'star') throw cursor.fail();
  return { kind: 'alias', at, value, name: cursor.expectName() };
}

/** Expressions with commas between; at least one. */
export function parseExpressions(cursor: TokenCursor): Expression[] {
  const list = [parseExpression(cursor)];
  while (cursor.take(',')) list.push(parseExpression(cursor));
  return list;
}

/** An expression that leaves a following AS to the caller. */
export function parseUnnamed(cursor: TokenCursor): Expression {
  cursor.enter();
  const result = parseLambda(cursor) ?? parseTernary(cursor);
  cursor.leave();
  return result;
}

export function call(at: number, name: string, ...operands: readonly Expression[]): Expression {
  return { kind: 'call', at, name, arguments: operands };
}

function parseLambda(cursor: TokenCursor): Expression | undefined {
  const at = cursor.at;
  const names = lambdaNames(cursor);
  if (names === undefined) return undefined;
  cursor.expect('->');
  return { kind: 'lambda', at, names, body: parseTernary(cursor) };
}

/** Steps over `x` or `(x, y)` if `->` comes after it. */
function lambdaNames(cursor: TokenCursor): readonly string[] | undefined {
  if (cursor.isName()) {
    return cursor.peek(1).key === '->' ? [cursor.advance().text] : undefined;
  }
  if (!cursor.is('(')) return undefined;
  const names: string[] = [];
  let ahead = 1;
  for (; cursor.peek(ahead).key !== ')'; ahead++) {
    if (names.length > 0 && cursor.peek(ahead++).key !== ',') return undefined;
    const { kind, text } = cursor.peek(ahead);
    if (kind !== 'word' && kind !== 'quoted') return undefined;
    names.push(text);
  }
  if (cursor.peek(ahead + 1).key !== '->') return undefined;
  for (let step = 0; step <= ahead; step++) cursor.advance();
  return names;
}

function parseTernary(cursor: TokenCursor): Expression {
  const at = cursor.at;
  const condition = parseOperators(cursor, precedenceOf.lowest);
  if (!cursor.take('?')) return condition;
  const yes = parseOperators(cursor, precedenceOf.lowest);
  cursor.expect(':');
  return call(at, 'if', condition, yes, parseOperators(cursor, precedenceOf.lowest));
}

/** Infix operators that bind at least as tight as `floor`, with their operands. */
function parseOperators(cursor: TokenCursor, floor: number): Expression {
  const at = cursor.at;
  let left = parsePrefix(cursor);
  /** Operands of the AND, OR or || that `left` is, as long as the chain goes on. */
  let chain: { readonly name: string; readonly operands: Expression[] } | undefined;
  for (;;) {
    const operator = operatorHere(cursor);
    if (operator === undefined || operator.precedence < floor) return left;
    for (const _ of operator.keys) cursor.advance();
    if (operator.shape !== 'variadic') {
      chain = undefined;
      left = apply(cursor, operator, left);
      continue;
    }
    const right = parseOperators(cursor, operator.precedence + 1);
    if (chain?.name === operator.name) {
      chain.operands.push(right);
    } else {
      chain = { name: operator.name, operands: [left, right] };
      left = { kind: 'call', at, name: operator.name, arguments: chain.operands };
    }
  }
}

/** `left` with an operator whose keywords were just taken, and its right operand. */
function apply(cursor: TokenCursor, operator: Operator, left: Expression): Expression {
  const { at } = left;
  const negated = operator.negated === true;
  switch (operator.shape) {
    case 'postfix':
      return call(at, operator.name, left);
    case 'truth': {
      const truth = { kind: 'bool', value: operator.name === 'true' } as const;
      const name = negated ? 'isDistinctFrom' : 'isNotDistinctFrom';
      return call(at, name, left, { kind: 'literal', at, literal: truth });
    }
    case 'between':
      return parseBetween(cursor, left, negated);
    case 'in': {
      const set = parseOperators(cursor, operator.precedence + 1);
      return { kind: 'in', at, negated, value: left, set };
    }
    default:
      return parseBinary(cursor, operator, left);
  }
}

function parseBinary(cursor: TokenCursor, operator: Operator, left: Expression): Expression {
  const { key } = cursor.token;
  if ((key === 'ANY' || key === 'ALL' || key === 'SOME') && cursor.peek(1).key === '(') {
    const inner = cursor.peek(2).key;
    if (inner === 'SELECT' || inner === 'WITH') throw cursor.unsupported(`${key} of a subquery`);
  }
  const right = parseOperators(cursor, operator.precedence + 1);
  if (cursor.is('ESCAPE')) throw cursor.unsupported('ESCAPE');
  return call(left.at, operator.name, left, right);
}

function parseBetween(cursor: TokenCursor, value: Expression, negated: boolean): Expression {
  cursor.betweens++;
  const low = parseOperators(cursor, precedenceOf.betweenBounds);
  cursor.expect('AND');
  const high = parseOperators(cursor, precedenceOf.betweenBounds);
  const { at } = value;
  return negated
    ? call(at, 'or', call(at, 'less', value, low), call(at, 'greater', value, high))
    : call(
        at,
        'and',
        call(at, 'greaterOrEquals', value, low),
        call(at, 'lessOrEquals', value, high),
      );
}

function parsePrefix(cursor: TokenCursor): Expression {
  const { at } = cursor;
  const { key } = cursor.token;
  if (key !== '-' && key !== '+' && key !== 'NOT') return parseOperand(cursor);
  if (key === '-' && isNumberHere(cursor, 1)) return parseOperand(cursor);
  cursor.advance();
  cursor.enter();
  const operand = key === 'NOT' ? parseOperators(cursor, precedenceOf.not) : parsePrefix(cursor);
  cursor.leave();
  if (key === '+') return operand;
  return call(at, key === 'NOT' ? 'not' : 'negate', operand);
}
