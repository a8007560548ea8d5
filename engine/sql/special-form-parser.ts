// Special forms that begin with a word: CASE, INTERVAL, DATE '...' and TIMESTAMP '...'. Each gives
// up, taking nothing, where its word is a name.

import type { Expression } from './ast.ts';
import { call, parseExpression } from './expression-parser.ts';
import { parseInterval } from './interval-parser.ts';
import { operatorHere } from './operators.ts';
import type { TokenCursor } from './token-cursor.ts';

export function parseSpecialForm(cursor: TokenCursor): Expression | undefined {
  switch (cursor.token.key) {
    case 'CASE':
      return parseCase(cursor);
    case 'INTERVAL':
      return parseInterval(cursor);
    case 'DATE':
      return parseTyped(cursor, 'toDate');
    case 'TIMESTAMP':
      return parseTyped(cursor, 'toDateTime');
    default:
      return undefined;
  }
}

/** DATE '2026-01-01'. */
function parseTyped(cursor: TokenCursor, name: string): Expression | undefined {
  if (cursor.peek(1).kind !== 'string') return undefined;
  const at = cursor.advance().start;
  const text = cursor.token;
  const literal = { kind: 'string', value: cursor.expectString() } as const;
  return call(at, name, { kind: 'literal', at: text.start, literal });
}

function parseCase(cursor: TokenCursor): Expression | undefined {
  if (!beginsCase(cursor)) return undefined;
  const at = cursor.advance().start;
  const operands: Expression[] = [];
  const subject = cursor.is('WHEN') ? undefined : parseExpression(cursor);
  if (subject !== undefined) operands.push(subject);
  if (!cursor.is('WHEN')) cursor.expect('WHEN');
  while (cursor.take('WHEN')) {
    operands.push(parseExpression(cursor));
    cursor.expect('THEN');
    operands.push(parseExpression(cursor));
  }
  if (cursor.take('ELSE')) operands.push(parseExpression(cursor));
  else operands.push({ kind: 'literal', at: cursor.at, literal: { kind: 'null' } });
  cursor.expect('END');
  return call(at, subject === undefined ? 'multiIf' : 'caseWithExpression', ...operands);
}

/** Whether an operand or WHEN follows, so that CASE is no name. */
function beginsCase(cursor: TokenCursor): boolean {
  const next = cursor.peek(1);
  if (next.kind === 'end') return false;
  if (next.key === 'FROM' || next.key === 'AS') return false;
  if (next.kind === 'symbol') return ['(', '-', '[', '{'].includes(next.key);
  const place = cursor.save();
  cursor.advance();
  const name = cursor.token.key !== 'NOT' && operatorHere(cursor) !== undefined;
  cursor.restore(place);
  return !name;
}
