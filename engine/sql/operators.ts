// The table of infix operators: ClickHouse's precedences, and the function each one is short for.
// A higher number binds tighter; all associate to the left. Prefix operators and what follows an
// operand (`[i]`, `.1`, `::T`) are the expression parser's.

import type { TokenCursor } from './token-cursor.ts';

export interface Operator {
  /** Keywords or symbol. */
  readonly keys: readonly string[];
  readonly precedence: number;
  /** The function; for 'in' and 'between' and 'like' see `negated`. */
  readonly name: string;
  readonly shape: 'binary' | 'variadic' | 'postfix' | 'in' | 'between' | 'truth';
  readonly negated?: true;
}

export const precedenceOf = { lowest: 1, not: 6, betweenBounds: 8 } as const;

function binary(precedence: number, name: string, ...keys: readonly string[]): Operator {
  return { keys, precedence, name, shape: 'binary' };
}

const operators: readonly Operator[] = [
  { keys: ['OR'], precedence: 3, name: 'or', shape: 'variadic' },
  { keys: ['AND'], precedence: 4, name: 'and', shape: 'variadic' },
  { keys: ['IS', 'NULL'], precedence: 6, name: 'isNull', shape: 'postfix' },
  { keys: ['IS', 'NOT', 'NULL'], precedence: 6, name: 'isNotNull', shape: 'postfix' },
  { keys: ['IS', 'TRUE'], precedence: 6, name: 'true', shape: 'truth' },
  { keys: ['IS', 'FALSE'], precedence: 6, name: 'false', shape: 'truth' },
  { keys: ['IS', 'NOT', 'TRUE'], precedence: 6, name: 'true', shape: 'truth', negated: true },
  { keys: ['IS', 'NOT', 'FALSE'], precedence: 6, name: 'false', shape: 'truth', negated: true },
  binary(6, 'isDistinctFrom', 'IS', 'DISTINCT', 'FROM'),
  { keys: ['BETWEEN'], precedence: 7, name: 'between', shape: 'between' },
  { keys: ['NOT', 'BETWEEN'], precedence: 7, name: 'between', shape: 'between', negated: true },
  binary(9, 'equals', '='),
  binary(9, 'equals', '=='),
  binary(9, 'notEquals', '!='),
  binary(9, 'notEquals', '<>'),
  binary(9, 'isNotDistinctFrom', '<=>'),
  binary(6, 'isNotDistinctFrom', 'IS', 'NOT', 'DISTINCT', 'FROM'),
  binary(9, 'lessOrEquals', '<='),
  binary(9, 'greaterOrEquals', '>='),
  binary(9, 'less', '<'),
  binary(9, 'greater', '>'),
  binary(9, 'like', 'LIKE'),
  binary(9, 'ilike', 'ILIKE'),
  binary(9, 'notLike', 'NOT', 'LIKE'),
  binary(9, 'notILike', 'NOT', 'ILIKE'),
  binary(9, 'match', 'REGEXP'),
  { keys: ['IN'], precedence: 9, name: 'in', shape: 'in' },
  { keys: ['NOT', 'IN'], precedence: 9, name: 'in', shape: 'in', negated: true },
  { keys: ['GLOBAL', 'IN'], precedence: 9, name: 'in', shape: 'in' },
  { keys: ['GLOBAL', 'NOT', 'IN'], precedence: 9, name: 'in', shape: 'in', negated: true },
  { keys: ['||'], precedence: 10, name: 'concat', shape: 'variadic' },
  binary(11, 'plus', '+'),
  binary(11, 'minus', '-'),
  binary(12, 'multiply', '*'),
  binary(12, 'divide', '/'),
  binary(12, 'modulo', '%'),
  binary(12, 'modulo', 'MOD'),
  binary(12, 'intDiv', 'DIV'),
];

const byFirstKey = new Map<string, readonly Operator[]>();
for (const operator of operators) {
  const first = operator.keys[0] ?? '';
  byFirstKey.set(first, [...(byFirstKey.get(first) ?? []), operator]);
}

/** The operator whose keywords or symbol begin at the current token. */
export function operatorHere(cursor: TokenCursor): Operator | undefined {
  const candidates = byFirstKey.get(cursor.token.key);
  if (candidates === undefined) return undefined;
  return candidates.find(({ keys }) => keys.length === 1 || cursor.areNext(...keys));
}

/** Symbols by function, for printing: the first spelling of each. */
export const operatorSymbols: ReadonlyMap<string, string> = new Map(
  operators
    .filter(({ shape, name }) => shape === 'binary' && name !== 'match' && name !== 'intDiv')
    .toReversed()
    .map(({ name, keys }) => [name, keys.join(' ')] as const),
);
