// INTERVAL 1 DAY, INTERVAL '1 day', and the names of units. INTERVAL may also be a column or a
// function: it is an interval only where a unit follows its value, which is tried once per place.

import { MusterError } from '../../base/errors.ts';
import type { Expression, IntervalUnit } from './ast.ts';
import { parseUnnamed } from './expression-parser.ts';
import type { TokenCursor } from './token-cursor.ts';

const spellings: readonly (readonly [IntervalUnit, string])[] = [
  ['second', 'SECOND SECONDS SQL_TSI_SECOND SS S'],
  ['minute', 'MINUTE MINUTES SQL_TSI_MINUTE MI N'],
  ['hour', 'HOUR HOURS SQL_TSI_HOUR HH H'],
  ['day', 'DAY DAYS SQL_TSI_DAY DD D'],
  ['week', 'WEEK WEEKS SQL_TSI_WEEK WK WW'],
  ['month', 'MONTH MONTHS SQL_TSI_MONTH MM M'],
  ['quarter', 'QUARTER QUARTERS SQL_TSI_QUARTER QQ Q'],
  ['year', 'YEAR YEARS SQL_TSI_YEAR YYYY YY'],
];
const units: ReadonlyMap<string, IntervalUnit> = new Map(
  spellings.flatMap(([unit, words]) => words.split(' ').map((word) => [word, unit] as const)),
);
const tooFine = /^(?:SQL_TSI_)?(?:NANO|MICRO|MILLI)SECONDS?$|^(?:NS|US|MS)$/;

/** The unit that the word `ahead` names. */
export function unitHere(cursor: TokenCursor, ahead = 0): IntervalUnit | undefined {
  return units.get(cursor.peek(ahead).key);
}

export function intervalOf(value: Expression, unit: IntervalUnit): Expression {
  return { kind: 'interval', at: value.at, value, unit };
}

/** The interval at the word INTERVAL; undefined, with nothing taken, if the word is a name here. */
export function parseInterval(cursor: TokenCursor): Expression | undefined {
  const { at } = cursor;
  const next = cursor.peek(1);
  if (next.kind === 'end' || cursor.failedIntervals.has(at)) return undefined;
  if (next.kind === 'symbol' && !['(', '-', '+', '[', '{'].includes(next.key)) return undefined;
  if (next.kind === 'string') {
    const whole = parseIntervalString(cursor, next.text);
    if (whole !== undefined) return whole;
  }
  const place = cursor.save();
  const value = attemptValue(cursor);
  const unit = value === undefined ? undefined : unitHere(cursor);
  if (value !== undefined && unit !== undefined) {
    cursor.advance();
    return { kind: 'interval', at, value, unit };
  }
  if (value !== undefined && tooFine.test(cursor.token.key)) {
    throw cursor.unsupported(`An interval of ${cursor.token.text}`);
  }
  cursor.restore(place);
  cursor.failedIntervals.add(at);
  return undefined;
}

function attemptValue(cursor: TokenCursor): Expression | undefined {
  cursor.advance();
  try {
    return parseUnnamed(cursor);
  } catch (error) {
    if (error instanceof MusterError && error.errorName === 'SYNTAX_ERROR') return undefined;
    throw error;
  }
}

/** `INTERVAL '1 day'`: value and unit in one string. */
function parseIntervalString(cursor: TokenCursor, text: string): Expression | undefined {
  const { at } = cursor;
  const parts = /^\s*(-?[0-9]+)\s+([A-Za-z_]+)\s*$/.exec(text);
  if (parts === null) {
    if (!/\s[A-Za-z]/.test(text) || unitHere(cursor, 2) !== undefined) return undefined;
    throw cursor.unsupported('An interval of several parts');
  }
  const unit = units.get((parts[2] ?? '').toUpperCase());
  if (unit === undefined) throw cursor.unsupported(`An interval of ${parts[2]}`);
  cursor.advance();
  const { start } = cursor.advance();
  const literal = { kind: 'integer', value: BigInt(parts[1] ?? '0') } as const;
  return { kind: 'interval', at, value: { kind: 'literal', at: start, literal }, unit };
}
