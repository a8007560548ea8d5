// Functions whose arguments are written with words between them, after the SQL standard. Each form
// reads its arguments and gives the plain call that ClickHouse makes of it. A form that finds an
// ordinary list of arguments leaves it to the call parser.

import { assert } from '../../base/assert.ts';
import { decodeUtf8 } from '../../base/utf8.ts';
import type { Expression } from './ast.ts';
import type { Callee } from './call-parser.ts';
import { call, parseExpression, parseUnnamed } from './expression-parser.ts';
import { intervalOf, unitHere } from './interval-parser.ts';
import { parseQuery, startsQuery } from './query-parser.ts';
import type { TokenCursor } from './token-cursor.ts';
import { parseTypeString, parseTypeText } from './type-text.ts';

type Form = (cursor: TokenCursor, callee: Callee) => Expression | undefined;

const forms: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['cast', parseCast],
  ['extract', parseExtract],
  ['substring', parseSubstring],
  ['substr', parseSubstring],
  ['mid', parseSubstring],
  ['position', parsePosition],
  ['trim', parseTrim],
  ['ltrim', (cursor, callee) => parseSideTrim(cursor, callee, 'trimLeft')],
  ['rtrim', (cursor, callee) => parseSideTrim(cursor, callee, 'trimRight')],
  ['exists', parseExists],
  ['dateadd', (cursor, callee) => parseDateAdd(cursor, callee, 'plus')],
  ['date_add', (cursor, callee) => parseDateAdd(cursor, callee, 'plus')],
  ['timestampadd', (cursor, callee) => parseDateAdd(cursor, callee, 'plus')],
  ['timestamp_add', (cursor, callee) => parseDateAdd(cursor, callee, 'plus')],
  ['datesub', (cursor, callee) => parseDateAdd(cursor, callee, 'minus')],
  ['date_sub', (cursor, callee) => parseDateAdd(cursor, callee, 'minus')],
  ['timestampsub', (cursor, callee) => parseDateAdd(cursor, callee, 'minus')],
  ['timestamp_sub', (cursor, callee) => parseDateAdd(cursor, callee, 'minus')],
  ['datediff', parseDateDiff],
  ['date_diff', parseDateDiff],
  ['timestampdiff', parseDateDiff],
  ['timestamp_diff', parseDateDiff],
]);

/** The call at its opening parenthesis, if it is written in a form of its own. */
export function parseCallForm(cursor: TokenCursor, callee: Callee): Expression | undefined {
  return forms.get(callee.name.toLowerCase())?.(cursor, callee);
}

function parseCast(cursor: TokenCursor, { at }: Callee): Expression {
  cursor.expect('(');
  const value = parseNamedOnlyTwice(cursor);
  if (cursor.take('AS')) {
    const { text: typeText, type } = parseTypeText(cursor);
    const cast = { kind: 'cast', at, value, type: type(), typeText } as const;
    cursor.expect(')');
    return cast;
  }
  cursor.expect(',');
  const type = parseExpression(cursor);
  cursor.expect(')');
  if (type.kind !== 'literal' || type.literal.kind !== 'string')
    return call(at, 'CAST', value, type);
  const typeText = decodeUtf8(type.literal.value);
  return { kind: 'cast', at, value, type: parseTypeString(cursor, typeText), typeText };
}

/** CAST(x AS name AS T): an AS that another AS follows is an alias. */
function parseNamedOnlyTwice(cursor: TokenCursor): Expression {
  const at = cursor.at;
  const value = parseUnnamed(cursor);
  const aliased = cursor.is('AS') && (cursor.peek(2).key === 'AS' || cursor.peek(2).key === ',');
  if (!aliased) return value;
  cursor.expect('AS');
  return { kind: 'alias', at, value, name: cursor.expectName() };
}

const extractions: Readonly<Record<string, string>> = {
  second: 'toSecond',
  minute: 'toMinute',
  hour: 'toHour',
  day: 'toDayOfMonth',
  month: 'toMonth',
  quarter: 'toQuarter',
  year: 'toYear',
};

function parseExtract(cursor: TokenCursor, { at }: Callee): Expression | undefined {
  if (cursor.peek(2).key !== 'FROM' || cursor.peek(1).kind !== 'word') return undefined;
  cursor.expect('(');
  const unit = unitHere(cursor);
  const name = unit === undefined ? undefined : extractions[unit];
  if (name === undefined) throw cursor.unsupported(`EXTRACT of ${cursor.token.text}`);
  cursor.advance();
  cursor.expect('FROM');
  const value = parseExpression(cursor);
  cursor.expect(')');
  return call(at, name, value);
}

function parseSubstring(cursor: TokenCursor, { at, name }: Callee): Expression {
  cursor.expect('(');
  if (cursor.take(')')) return call(at, name);
  const list = [parseExpression(cursor)];
  const standard = cursor.take('FROM');
  if (standard) {
    list.push(parseExpression(cursor));
    if (cursor.take('FOR')) list.push(parseExpression(cursor));
  } else {
    while (cursor.take(',')) list.push(parseExpression(cursor));
  }
  cursor.expect(')');
  return call(at, standard ? 'substring' : name, ...list);
}

/** POSITION(needle IN haystack). */
function parsePosition(cursor: TokenCursor, { at, name }: Callee): Expression {
  cursor.expect('(');
  if (cursor.take(')')) return call(at, name);
  const list = [parseExpression(cursor)];
  const [first] = list;
  if (first?.kind === 'in' && !first.negated && cursor.is(')')) {
    cursor.advance();
    return call(at, name, first.set, first.value);
  }
  while (cursor.take(',')) list.push(parseExpression(cursor));
  cursor.expect(')');
  return call(at, name, ...list);
}

const trimSides: Readonly<Record<string, string>> = {
  BOTH: 'trimBoth',
  LEADING: 'trimLeft',
  TRAILING: 'trimRight',
};

function parseTrim(cursor: TokenCursor, { at }: Callee): Expression {
  const next = cursor.peek(2);
  const side = next.key === ')' || next.key === ',' ? undefined : trimSides[cursor.peek(1).key];
  if (side === undefined) return parseSideTrim(cursor, { at }, 'trimBoth');
  cursor.expect('(');
  cursor.advance();
  const characters = parseUnnamed(cursor);
  cursor.expect('FROM');
  const value = parseExpression(cursor);
  cursor.expect(')');
  return call(at, side, value, characters);
}

function parseSideTrim(cursor: TokenCursor, { at }: Pick<Callee, 'at'>, name: string): Expression {
  cursor.expect('(');
  if (cursor.take(')')) return call(at, name);
  const list = [parseExpression(cursor)];
  while (cursor.take(',')) list.push(parseExpression(cursor));
  cursor.expect(')');
  return call(at, name, ...list);
}

function parseExists(cursor: TokenCursor, { at }: Callee): Expression | undefined {
  if (!startsQuery(cursor, 1)) return undefined;
  const inner = cursor.advance().start;
  const query = parseQuery(cursor);
  cursor.expect(')');
  return call(at, 'exists', { kind: 'subquery', at: inner, query });
}

/** DATE_ADD(unit, n, date) and DATE_ADD(date, INTERVAL n unit): both are `date + INTERVAL`. */
function parseDateAdd(cursor: TokenCursor, { at }: Callee, name: string): Expression | undefined {
  const interval = cursor.peek(3).key === 'INTERVAL';
  const unitFirst = cursor.peek(2).key === ',' && !interval && unitHere(cursor, 1) !== undefined;
  cursor.expect('(');
  if (!unitFirst) {
    const date = parseExpression(cursor);
    cursor.expect(',');
    const added = parseExpression(cursor);
    cursor.expect(')');
    return call(at, name, date, added);
  }
  const unit = unitHere(cursor);
  assert(unit !== undefined, 'a unit was seen');
  cursor.advance();
  cursor.expect(',');
  const count = parseExpression(cursor);
  cursor.expect(',');
  const date = parseExpression(cursor);
  cursor.expect(')');
  return call(at, name, date, intervalOf(count, unit));
}

/** DATEDIFF(day, a, b): the unit may be a bare word. */
function parseDateDiff(cursor: TokenCursor, { at }: Callee): Expression | undefined {
  const unit = cursor.peek(2).key === ',' ? unitHere(cursor, 1) : undefined;
  if (unit === undefined) return undefined;
  cursor.expect('(');
  const unitAt = cursor.advance().start;
  cursor.expect(',');
  const list: Expression[] = [
    { kind: 'literal', at: unitAt, literal: { kind: 'string', value: unit } },
    parseExpression(cursor),
  ];
  while (cursor.take(',')) list.push(parseExpression(cursor));
  cursor.expect(')');
  return call(at, 'dateDiff', ...list);
}
