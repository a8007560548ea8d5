// Calls: `f(x)`, `f(p)(x)`, DISTINCT, FILTER, OVER, and the functions whose arguments have words of
// their own between them (CAST(x AS T), SUBSTRING(s FROM 1), ...: call-forms.ts).

import type { Expression } from './ast.ts';
import { parseCallForm } from './call-forms.ts';
import { parseExpression, parseUnnamed } from './expression-parser.ts';
import type { TokenCursor } from './token-cursor.ts';

export interface Callee {
  readonly at: number;
  readonly name: string;
  /** Quoted names are never special. */
  readonly quoted: boolean;
}

interface Arguments {
  readonly list: readonly Expression[];
  readonly distinct: boolean;
}

/** The call whose opening parenthesis is the current token. */
export function parseCall(cursor: TokenCursor, callee: Callee): Expression {
  const form = callee.quoted ? undefined : parseCallForm(cursor, callee);
  if (form !== undefined) return form;
  const first = parseArguments(cursor);
  const second = cursor.is('(') && !first.distinct ? parseArguments(cursor) : undefined;
  if (second !== undefined && first.list.length === 0) throw cursor.fail();
  const { list, distinct } = second ?? first;
  const condition = parseFilter(cursor);
  if (cursor.areNext('RESPECT', 'NULLS') || cursor.areNext('IGNORE', 'NULLS')) {
    throw cursor.unsupported(`${cursor.token.key} NULLS`);
  }
  const over = parseOver(cursor);
  return {
    kind: 'call',
    at: callee.at,
    name: condition === undefined ? callee.name : filteredName(callee.name, distinct),
    ...(second === undefined ? {} : { parameters: first.list }),
    arguments: condition === undefined ? list : [...list, condition],
    ...(distinct && condition === undefined ? { distinct: true } : {}),
    ...(over ? { over: true } : {}),
  };
}

/** FILTER is short for the combinator -If. */
function filteredName(name: string, distinct: boolean): string {
  return distinct ? `${name}DistinctIf` : `${name}If`;
}

function parseArguments(cursor: TokenCursor): Arguments {
  cursor.expect('(');
  const next = cursor.peek(1).key;
  const modifier = next !== ')' && next !== ',' && (cursor.is('DISTINCT') || cursor.is('ALL'));
  const distinct = modifier && cursor.advance().key === 'DISTINCT';
  const list: Expression[] = [];
  if (!cursor.is(')')) {
    do list.push(parseExpression(cursor));
    while (cursor.take(','));
  }
  cursor.expect(')');
  return { list: gatherLambda(cursor, list), distinct };
}

/**
 * `f(a, b -> c, x)` is `f((a, b) -> c, x)`: ClickHouse takes the arguments before an arrow as the
 * lambda's names.
 */
function gatherLambda(cursor: TokenCursor, list: readonly Expression[]): readonly Expression[] {
  const index = list.findIndex(({ kind }) => kind === 'lambda');
  const lambda = list[index];
  if (index <= 0 || lambda?.kind !== 'lambda') return list;
  const names: string[] = [];
  for (const argument of list.slice(0, index)) {
    const name = argument.kind === 'name' ? argument.parts[0] : undefined;
    if (name === undefined || argument.kind !== 'name' || argument.parts.length > 1) {
      throw cursor.unsupported('A lambda after other arguments', lambda.at);
    }
    names.push(name);
  }
  if (cursor.text[lambda.at] === '(') {
    throw cursor.unsupported('A lambda after other arguments', lambda.at);
  }
  const gathered: Expression = {
    kind: 'lambda',
    at: list[0]?.at ?? lambda.at,
    names: [...names, ...lambda.names],
    body: lambda.body,
  };
  return [gathered, ...list.slice(index + 1)];
}

function parseFilter(cursor: TokenCursor): Expression | undefined {
  if (!cursor.areNext('FILTER', '(', 'WHERE')) return undefined;
  cursor.expect('FILTER', '(', 'WHERE');
  const condition = parseUnnamed(cursor);
  cursor.expect(')');
  return condition;
}

/** Steps over OVER and its window, which nothing reads. */
function parseOver(cursor: TokenCursor): boolean {
  const next = cursor.peek(1);
  if (!cursor.is('OVER') || (next.key !== '(' && next.kind !== 'word' && next.kind !== 'quoted')) {
    return false;
  }
  cursor.advance();
  let depth = 0;
  do {
    const { kind, key } = cursor.token;
    if (kind === 'end' || kind === 'error' || key === ';') throw cursor.fail(')');
    if (key === '(') depth++;
    if (key === ')') depth--;
    cursor.advance();
  } while (depth > 0);
  return true;
}
