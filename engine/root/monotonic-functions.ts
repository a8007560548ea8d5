// Which functions grow with one of their arguments, so that bounds of the argument are bounds of the
// result. Only what holds for every value of the type is here: a function that wraps at one end of it
// is not. Dates and times are read in one time zone; others than UTC turn their clocks back, so that
// chains tell which zones they go through.

import { valueType } from '../../storage-format/data-type.ts';
import { findScalarFunction } from '../library/registry.ts';
import type { BoundExpression } from '../plan/bound-expression.ts';
import { valueAt } from '../values/column-builder.ts';

/** Of Date and DateTime alike. */
export const growingDateFunctions: readonly string[] = [
  'toYear',
  'toISOYear',
  'toYYYYMM',
  'toYYYYMMDD',
  'toYYYYMMDDhhmmss',
  'toRelativeDayNum',
  'toRelativeMonthNum',
  'toRelativeYearNum',
  'toDate',
  'toStartOfMonth',
  'toStartOfQuarter',
  'toStartOfYear',
  'toStartOfISOYear',
  'toStartOfWeek',
  'toMonday',
];

/** Of DateTime: a late Date has no DateTime. */
export const growingTimeFunctions: readonly string[] = [
  'toStartOfDay',
  'toStartOfHour',
  'toStartOfFifteenMinutes',
  'toStartOfTenMinutes',
  'toStartOfFiveMinutes',
  'toStartOfMinute',
  'toUnixTimestamp',
];

/** An expression of one column: the column, then functions around it. */
export interface Chain {
  readonly column: number;
  readonly isColumn: boolean;
  /** Never falls while the column grows, but for clocks that are turned back. */
  readonly grows: boolean;
  /** Time zones that functions of the chain read times in; '' is the session's. */
  readonly zones: ReadonlySet<string>;
}

/** Undefined where there is no such column, or several. */
export function chainOf(expression: BoundExpression): Chain | undefined {
  if (expression.kind === 'column') {
    return { column: expression.index, isColumn: true, grows: true, zones: new Set() };
  }
  if (expression.kind !== 'call') return undefined;
  const { arguments: operands } = expression;
  const inner = operands.filter((operand) => operand.kind !== 'constant');
  const [varying] = inner;
  const chain = inner.length === 1 ? chainOf(varying!) : undefined;
  if (chain === undefined || findScalarFunction(expression.name)?.volatile === true) {
    return undefined;
  }
  const grows = chain.grows && growsWith(expression, operands.indexOf(varying!));
  const zones = new Set([...chain.zones, ...zonesOf(operands)]);
  return { column: chain.column, isColumn: false, grows, zones };
}

/** The one name of a function, whichever way it is written. */
export function canonicalName(name: string): string {
  return findScalarFunction(name)?.name ?? name;
}

function growsWith(call: Extract<BoundExpression, { kind: 'call' }>, at: number): boolean {
  const name = canonicalName(call.name);
  const { kind } = valueType(call.arguments[at]!.type);
  if (at !== 0) return false;
  if (name === 'intDiv') return /^U?Int/.test(kind) && isPositive(call.arguments[1]);
  if (kind === 'DateTime' && growingTimeFunctions.includes(name)) return true;
  return (kind === 'Date' || kind === 'DateTime') && growingDateFunctions.includes(name);
}

function isPositive(divisor: BoundExpression | undefined): boolean {
  if (divisor?.kind !== 'constant') return false;
  const value = valueAt(divisor.value, 0);
  if (typeof value !== 'number' && typeof value !== 'bigint') return false;
  return /^U?Int/.test(divisor.type.kind) && value > 0 && value < 2n ** 31n;
}

/** Every text beside a time may be the zone it is read in. */
function zonesOf(operands: readonly BoundExpression[]): readonly string[] {
  const texts: string[] = [];
  let ofType: string | undefined;
  for (const operand of operands) {
    const type = valueType(operand.type);
    if (operand.kind === 'constant' && type.kind === 'String') {
      texts.push(String(valueAt(operand.value, 0)));
    } else if (type.kind === 'DateTime' || type.kind === 'DateTime64') {
      ofType = type.timeZone ?? '';
    }
  }
  if (ofType === undefined) return [];
  return texts.length > 0 ? texts : [ofType];
}
