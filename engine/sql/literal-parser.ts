// Literals: numbers with their exact digits, byte strings, NULL, booleans, inf and nan.

import type { Expression, LiteralValue } from './ast.ts';
import type { TokenCursor } from './token-cursor.ts';

const numberWords: Readonly<Record<string, number>> = {
  INF: Number.POSITIVE_INFINITY,
  INFINITY: Number.POSITIVE_INFINITY,
  NAN: Number.NaN,
};

/** Whether the token `ahead` is a number, or one of the words for numbers and no name. */
export function isNumberHere(cursor: TokenCursor, ahead: number): boolean {
  const { kind, key } = cursor.peek(ahead);
  if (kind !== 'word') return kind === 'number';
  if (!Object.hasOwn(numberWords, key)) return false;
  const next = cursor.peek(ahead + 1).key;
  return next !== '(' && next !== '.';
}

/**
 * The literal at the current token; a minus before a number belongs to it. A number that `::`
 * follows becomes a string of its digits, as in ClickHouse: `0.1::Decimal` never is a float.
 */
export function parseLiteral(cursor: TokenCursor): Expression {
  const at = cursor.at;
  const number = cursor.is('-') || cursor.token.kind === 'number';
  const literal = parseLiteralValue(cursor);
  if (!number || !cursor.is('::')) return { kind: 'literal', at, literal };
  const digits = cursor.text.slice(at, cursor.previous?.end).replace(/^-\s+/, '-');
  return { kind: 'literal', at, literal: { kind: 'string', value: digits } };
}

export function parseLiteralValue(cursor: TokenCursor): LiteralValue {
  const negative = cursor.take('-');
  const { kind, key, text } = cursor.token;
  if (kind === 'number') {
    const value = parseNumber(text, negative);
    if (value === undefined) throw cursor.fail('number');
    cursor.advance();
    return value;
  }
  if (kind === 'word' && Object.hasOwn(numberWords, key)) {
    cursor.advance();
    const value = numberWords[key] ?? 0;
    return { kind: 'float', value: negative ? -value : value };
  }
  if (negative) throw cursor.fail('number');
  if (kind === 'string') return { kind: 'string', value: cursor.advance().text };
  if (key === 'NULL' || key === 'TRUE' || key === 'FALSE') {
    cursor.advance();
    return key === 'NULL' ? { kind: 'null' } : { kind: 'bool', value: key === 'TRUE' };
  }
  throw cursor.fail('literal');
}

/** A number token's value; undefined when it is none after all (`1e`). */
function parseNumber(text: string, negative: boolean): LiteralValue | undefined {
  const plain = text.replaceAll('_', '');
  if (/^(?:[0-9]+|0[xX][0-9a-fA-F]+|0[bB][01]+)$/.test(plain)) {
    const value = BigInt(plain);
    return { kind: 'integer', value: negative ? -value : value };
  }
  const value = /^0[xX]/.test(plain) ? parseHexFloat(plain) : Number(plain);
  return Number.isNaN(value) ? undefined : { kind: 'float', value: negative ? -value : value };
}

function parseHexFloat(text: string): number {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^0[xX]([0-9a-fA-F]+)(?:\.([0-9a-fA-F]*))?(?:[pP]([+-]?[0-9]+))?$/.exec(text) ?? [];
  const mantissa = Number.parseInt(whole + fraction, 16);
  return mantissa * 2 ** (Number(exponent) - 4 * fraction.length);
}
