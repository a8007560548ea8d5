// plus, minus, multiply over numbers; dates plus and minus numbers and intervals; the difference of
// two dates. Types up to 32 bits are added as doubles, 64-bit integers as halves.

import type { Column } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { illegalTypes } from '../function-errors.ts';
import {
  columnFromDoubles,
  columnFromPatterns,
  doubles,
  fitsDoubles,
  patterns,
} from '../number-lanes.ts';
import { isDateLike, numericShape, sumType } from '../numeric-types.ts';
import type { Argument, FunctionCall, ScalarFunction } from '../scalar-function.ts';
import { shiftDate, shiftedType } from './date-shift.ts';
import { addHalves, multiplyHalves, subtractHalves } from './wide-arithmetic.ts';

type Operator = 'plus' | 'minus' | 'multiply';

function numericType(name: Operator, a: DataType, b: DataType): DataType | undefined {
  const x = numericShape(a);
  const y = numericShape(b);
  return x && y ? sumType(x, y, name === 'minus') : undefined;
}

function dateType(name: Operator, a: DataType, b: DataType): DataType | undefined {
  if (isDateLike(a)) {
    if (name === 'minus' && a.kind === b.kind && a.kind !== 'DateTime64') return { kind: 'Int32' };
    if (b.kind === 'Interval') return shiftedType(name, a, b.unit);
    return numericShape(b) === undefined ? undefined : a;
  }
  if (a.kind === 'Interval' && b.kind === 'Interval') return a.unit === b.unit ? a : undefined;
  if (name === 'plus' && isDateLike(b)) return dateType(name, b, a);
  return undefined;
}

function returnType(name: Operator, a: DataType, b: DataType): DataType {
  const type = numericType(name, a, b) ?? (name === 'multiply' ? undefined : dateType(name, a, b));
  if (type === undefined) throw illegalTypes(name, [a, b]);
  return type;
}

function evaluate(name: Operator, call: FunctionCall): Column {
  const [a, b] = call.arguments as readonly [Argument, Argument];
  if (isDateLike(call.returns)) return evaluateDate(name, call);
  if (call.returns.kind === 'Float64' || isSmall(name, a, b)) {
    const x = doubles(a, call.rows);
    const y = doubles(b, call.rows);
    return columnFromDoubles(call.returns, combineDoubles(name, x, y));
  }
  const x = patterns(a, call.rows);
  const y = patterns(b, call.rows);
  return columnFromPatterns(call.returns, combineHalves(name, x, y));
}

/** Whether the exact result fits 53 bits. */
function isSmall(name: Operator, a: Argument, b: Argument): boolean {
  if (!fitsDoubles(a.type) || !fitsDoubles(b.type)) return false;
  if (name !== 'multiply') return true;
  return (numericShape(a.type)?.bytes ?? 8) + (numericShape(b.type)?.bytes ?? 8) <= 6;
}

function combineDoubles(name: Operator, x: Float64Array, y: Float64Array): Float64Array {
  const result = new Float64Array(x.length);
  if (name === 'plus') {
    for (let i = 0; i < result.length; i++) result[i] = (x[i] ?? 0) + (y[i] ?? 0);
  } else if (name === 'minus') {
    for (let i = 0; i < result.length; i++) result[i] = (x[i] ?? 0) - (y[i] ?? 0);
  } else {
    for (let i = 0; i < result.length; i++) result[i] = (x[i] ?? 0) * (y[i] ?? 0);
  }
  return result;
}

function combineHalves(name: Operator, x: Int32Array, y: Int32Array): Int32Array {
  if (name === 'plus') return addHalves(x, y);
  return name === 'minus' ? subtractHalves(x, y) : multiplyHalves(x, y);
}

function evaluateDate(name: Operator, call: FunctionCall): Column {
  const [a, b] = call.arguments as readonly [Argument, Argument];
  const [date, amount] = isDateLike(a.type) ? [a, b] : [b, a];
  const unit =
    amount.type.kind === 'Interval'
      ? amount.type.unit
      : date.type.kind === 'Date'
        ? ('Day' as const)
        : ('Second' as const);
  return shiftDate({ ...call, date, amount, unit, sign: name === 'minus' ? -1 : 1 });
}

function operator(name: Operator): ScalarFunction {
  return {
    name,
    arity: [2, 2],
    returnType: ([a, b]) => returnType(name, a!.type, b!.type),
    evaluate: (call) => evaluate(name, call),
  };
}

export const plusMinusFunctions: readonly ScalarFunction[] = [
  operator('plus'),
  operator('minus'),
  operator('multiply'),
];
